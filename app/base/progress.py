"""How far a long task is, for whoever waits."""

from collections.abc import Callable

# Called with a step, how much of it is done, and the total.
Progress = Callable[[str, int, int], None]


def quiet(step: str, n_done: int, n_all: int) -> None:
    """Tell nobody."""
