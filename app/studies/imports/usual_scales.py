"""The scales that ratings are usually on: points and sliders."""

from collections.abc import Iterable

from app.base.words import number

# Numbers on so many points at most are a scale of points, others a slider.
MAX_POINTS = 11
SLIDER = (0.0, 100.0)
_TOPS = (2, 3, 5, 7, 9, 10)


def points_of_values(cells: Iterable[str]) -> tuple[int, int] | None:
    """The ends of the smallest usual scale of whole points that has all the values; None if they are on none.

    >>> points_of_values(["1", "4", "2.0", ""]), points_of_values(["0", "2"]), points_of_values(["-1", "2"])
    ((1, 5), (0, 2), (-2, 2))
    >>> points_of_values(["6", "1"]), points_of_values(["2.5", "1"]), points_of_values(["18", "64"])
    ((1, 7), None, None)
    """
    values = {number(cell) for cell in cells if cell.strip()}
    if not values or None in values or any(value != int(value) for value in values if value is not None):
        return None
    low, high = int(min(values)), int(max(values))  # type: ignore[type-var, arg-type]
    top = next((top for top in _TOPS if top >= high), None)
    if low < 0:
        end = max(-low, high)
        return (-end, end) if 2 * end < MAX_POINTS else None
    if top is None:
        return None
    return (0, max(high, 1)) if low == 0 else (1, top)
