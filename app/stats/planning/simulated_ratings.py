"""Studies made of chance, to see before the data how wide an interval will be and how often a difference is found.

A response is as good as its source, its item, its own luck, the rater's leniency and the rater's taste for its source
make it, all normal; a rating is that with noise, at the nearest point of the scale; a choice takes the better of two.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.stats.core.arrays import Floats, Ints
    from app.stats.core.result import Result


@dataclass(frozen=True, slots=True)
class Sds:
    """Standard deviations in points: as `fit_lmm` gives them with the sources coded -1/2 and 1/2.

    `item` and `rater` are those of the mean over both sources, `item_source` and `rater_source` those of the difference
    between two sources; `residual` is what one rating has of its own.
    """

    item: float
    rater: float
    item_source: float
    rater_source: float
    residual: float


@dataclass(frozen=True, eq=False)
class Shown:
    """A response that a rater sees, n times: codes from 0, shape (n,). A response belongs to one item and source."""

    item: Ints
    response: Ints
    source: Ints
    rater: Ints


class Minds:
    """One draw of all effects: what the raters make of the responses."""

    def __init__(
        self, sds: Sds, of_source: Floats, *, n_items: int, n_responses: int, n_raters: int, rng: np.random.Generator
    ) -> None:
        """`of_source` is the mean of each source, shape (k,)."""
        self._sds, self._of_source, self._rng = sds, of_source, rng
        self._item = rng.normal(0, _level(sds.item, sds.item_source), n_items)
        self._rater = rng.normal(0, _level(sds.rater, sds.rater_source), n_raters)
        self._response = rng.normal(0, sds.item_source / np.sqrt(2), n_responses)
        self._taste = rng.normal(0, sds.rater_source / np.sqrt(2), (n_raters, len(of_source)))

    def ratings(self, shown: Shown, points: Floats) -> Floats:
        """What is given, shape (n,): one of `points`, which ascend."""
        between = (points[1:] + points[:-1]) / 2
        return points[np.searchsorted(between, self._seen(shown))]

    def choices(self, one: Shown, other: Shown) -> Floats:
        """1 where `one` is found better than `other`, the same raters see both, else 0; shape (n,)."""
        return np.asarray(self._seen(one) > self._seen(other), dtype=np.float64)

    def _seen(self, shown: Shown) -> Floats:
        lasting = self._of_source[shown.source] + self._item[shown.item] + self._response[shown.response]
        of_rater = self._rater[shown.rater] + self._taste[shown.rater, shown.source]
        seen: Floats = lasting + of_rater + self._rng.normal(0, self._sds.residual, len(shown.item))
        return seen


def _level(mean: float, difference: float) -> float:
    """The standard deviation of what both sources share: each has, beside it, half the variance of the difference."""
    return float(np.sqrt(max(mean**2 - difference**2 / 4, 0.0)))


@dataclass(frozen=True, slots=True)
class Expectation:
    """What many simulated studies gave for one statistic, with the Monte Carlo standard errors.

    Attributes:
        estimate: mean of the estimates; None where no study had one.
        width, width_error: mean width of the intervals; None where no study had one.
        power, power_error: share of studies, those without an interval included, with p below .05; None where nothing
            is tested.
        n_without: how many studies had no interval.
    """

    estimate: float | None
    width: float | None
    width_error: float | None
    power: float | None
    power_error: float | None
    n_without: int


def expectation(results: Sequence[Result], *, is_tested: bool = True, significance: float = 0.05) -> Expectation:
    """The mean of what simulated studies gave; `is_tested` asks for the power too. At least one result."""
    n = len(results)
    estimates = [result.estimate for result in results if result.estimate is not None]
    widths = np.array([result.interval.high - result.interval.low for result in results if result.interval])
    power = float(np.mean([result.p_value is not None and result.p_value < significance for result in results]))
    return Expectation(
        estimate=float(np.mean(estimates)) if estimates else None,
        width=float(widths.mean()) if len(widths) else None,
        width_error=float(widths.std(ddof=1) / np.sqrt(len(widths))) if len(widths) > 1 else None,
        power=power if is_tested else None,
        power_error=float(np.sqrt(power * (1 - power) / n)) if is_tested else None,
        n_without=n - len(widths),
    )
