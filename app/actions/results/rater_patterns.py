"""How each rater answers: counts of answers, agreement with the other raters, and runs of equal answers."""

from __future__ import annotations

from itertools import compress
from typing import TYPE_CHECKING

import numpy as np

from app.actions.results.rater_review import RaterPattern

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from numpy.typing import NDArray

    from app.storage.results.answers_by_rater import RaterAnswers

_POINT = np.dtype([("number", ">f8"), ("thing", ">i8"), ("turn", ">i4")])
_LEFT = ord("l")


def patterns_of(answers: Mapping[int, RaterAnswers], models: Collection[int]) -> dict[int, RaterPattern]:
    """The pattern of each rater, by rater ID; `models` are not compared with anyone."""
    agreed = _agreement({rater: one.points for rater, one in answers.items() if rater not in models})
    return {rater: _pattern(one, agreed.get(rater, (0, None))) for rater, one in answers.items()}


def _pattern(one: RaterAnswers, agreed: tuple[int, float | None]) -> RaterPattern:
    # As integers of the same size: only whether two numbers are equal matters.
    points = np.frombuffer(one.points, _POINT)["number"].view(">i8")
    chosen = np.frombuffer(one.sides, np.uint8)
    counts = np.unique(points, return_counts=True)[1]
    return RaterPattern(
        *agreed,
        longest_run=_longest_run(points),
        longest_side_run=_longest_run(chosen),
        n_ratings=one.n_ratings,
        n_points=len(points),
        n_most=int(counts.max(initial=0)),
        n_sides=len(chosen),
        n_left=int(np.count_nonzero(chosen == _LEFT)),
    )


def _longest_run(values: NDArray[np.generic]) -> int:
    """The length of the longest run of equal values.

    >>> _longest_run(np.array([1, 2, 2, 2, 1])), _longest_run(np.array([]))
    (3, 0)
    """
    starts = np.flatnonzero(values[1:] != values[:-1]) + 1
    return int(np.diff(starts, prepend=0, append=len(values)).max())


def _agreement(points: Mapping[int, bytes]) -> dict[int, tuple[int, float | None]]:
    """By rater: number of ratings that others gave too, and the correlation with the mean of the others.

    This is the correlation of `stats.raters.profiles`, without its interval.
    """
    if not points:
        return {}
    given = np.frombuffer(b"".join(points.values()), _POINT)
    rater = np.repeat(np.arange(len(points)), [len(one) // _POINT.itemsize for one in points.values()])
    is_about = given["thing"] != 0
    number, rater = given["number"][is_about].astype(np.float64), rater[is_about]
    # A turn has at most a few digits, and an ID has fewer than 2^43.
    thing = given["thing"][is_about].astype(np.int64) * 2**20 + given["turn"][is_about]
    names, code = np.unique(thing, return_inverse=True)
    n, total = np.bincount(code, minlength=len(names))[code], np.bincount(code, number, len(names))[code]
    is_compared = n > 1
    x, others = number[is_compared], (total - number)[is_compared] / (n[is_compared] - 1)
    return _correlations(list(points), rater[is_compared], x, others)


def _correlations(
    names: list[int], rater: NDArray[np.int64], x: NDArray[np.float64], y: NDArray[np.float64]
) -> dict[int, tuple[int, float | None]]:
    """The correlation of x and y of each rater, None if either does not vary; `rater` is sorted."""
    n = np.bincount(rater, minlength=len(names))
    first = np.flatnonzero(np.diff(rater, prepend=-1))
    present = n > 0
    if not len(first):
        return {}

    def centred(values: NDArray[np.float64]) -> NDArray[np.float64]:
        mean: NDArray[np.float64] = np.add.reduceat(values, first) / n[present]
        return values - np.repeat(mean, n[present])

    varies = [np.minimum.reduceat(one, first) < np.maximum.reduceat(one, first) for one in (x, y)]
    dx, dy = centred(x), centred(y)
    sums = [np.add.reduceat(one, first) for one in (dx * dy, dx * dx, dy * dy)]
    with np.errstate(invalid="ignore", divide="ignore"):
        found = np.clip(sums[0] / np.sqrt(sums[1] * sums[2]), -1, 1)
    values = [float(r) if is_defined else None for r, is_defined in zip(found, varies[0] & varies[1], strict=True)]
    return dict(zip(compress(names, present), zip(n[present].tolist(), values, strict=True), strict=True))
