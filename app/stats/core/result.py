"""What every statistic gives back: an estimate or the reason why there is none."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal, get_args

Reason = Literal[
    "no_pairable_units",
    "no_variation",
    "one_cluster",
    "separation",
    "disconnected",
    "not_converged",
    "singular",
    "not_run",
]
REASONS: tuple[str, ...] = get_args(Reason)

Inference = Literal["items", "raters", "items_and_raters", "ratings", "none"]
INFERENCES: tuple[str, ...] = get_args(Inference)


@dataclass(frozen=True, slots=True)
class Interval:
    """A two-sided interval.

    `method` begins with a fixed word, such as `two_way_cluster_t` or `wilson`; it names the computation and nothing is
    read off it. `inference` says what the interval generalizes to: new items, new raters, both at once, or further
    ratings where each rating counts as independent of all others. Whoever computes the interval states it.
    """

    low: float
    high: float
    method: str
    level: float = 0.95
    inference: Inference = field(kw_only=True)


@dataclass(frozen=True, slots=True)
class Result:
    """One statistic.

    `estimate` is None exactly when `reason` says why; `interval` is None where there is none, and then
    `interval_reason` says why if one could have been expected. The words of `Reason` are a contract: where no rating
    is at all, the word is `no_pairable_units` and the note says it. Numbers are always finite: nan is refused.
    `seed` is that of whatever was drawn at random. `note` is a sentence for people. The counts describe what it ran
    over; None where a count has no meaning.
    """

    estimate: float | None
    method: str = ""
    reason: Reason | None = None
    interval: Interval | None = None
    interval_reason: Reason | None = None
    standard_error: float | None = None
    p_value: float | None = None
    df: float | None = None
    n_items: int | None = None
    n_units: int | None = None
    n_pairable_units: int | None = None
    n_raters: int | None = None
    n_ratings: int | None = None
    seed: int | None = None
    note: str = ""

    def __post_init__(self) -> None:
        """Refuse a Result that a page could not show.

        Raises:
            ValueError: neither or both of estimate and reason, or a number that is not finite.

        >>> Result(float("nan"))
        Traceback (most recent call last):
        ValueError: a Result carries finite numbers only, found nan
        """
        if (self.estimate is None) != (self.reason is not None):
            raise ValueError("a Result has an estimate or a reason, never both, never neither")
        ends = (self.interval.low, self.interval.high) if self.interval else ()
        for number in (self.estimate, self.standard_error, self.p_value, self.df, *ends):
            if number is not None and not abs(number) < float("inf"):
                raise ValueError(f"a Result carries finite numbers only, found {number}")

    def with_inference(self, inference: Inference) -> Result:
        """The same result where the caller knows better what its interval generalizes to; unchanged without one."""
        return self if self.interval is None else replace(self, interval=replace(self.interval, inference=inference))

    def with_counts(self, **counts: int | None) -> Result:
        """The same result with counts (`n_items`, `n_units` ...) filled in."""
        return replace(self, **counts)  # type: ignore[arg-type]  # the names are checked by replace itself


def undefined(reason: Reason, note: str = "", *, method: str = "", **counts: int | None) -> Result:
    """A statistic that does not exist for these data, with the reason.

    >>> undefined("no_variation").estimate is None
    True
    """
    return Result(None, method=method, reason=reason, note=note).with_counts(**counts)
