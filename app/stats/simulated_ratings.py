"""Simulated studies, to estimate interval widths and power before data collection.

The perceived quality of a response is the sum of normal effects of source, item, response, rater leniency and rater
preference for the source, plus noise. A rating is this value rounded to the nearest scale point; a choice takes the
better of two.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from app.stats.arrays import Floats, Ints
from app.stats.result import Result

_ALPHA = 0.05


@dataclass(frozen=True, slots=True)
class Sds:
    """Standard deviations in points, as `fit_lmm` estimates them with sources coded -1/2 and 1/2.

    `item` and `rater` are those of the mean over both sources, `item_source` and `rater_source` those of the difference
    between two sources; `residual` is the noise of a single rating.
    """

    item: float
    rater: float
    item_source: float
    rater_source: float
    residual: float

    @property
    def whole(self) -> float:
        """The sd of single ratings of a source, over items and raters, before rounding."""
        shared = _level(self.item, self.item_source) ** 2 + _level(self.rater, self.rater_source) ** 2
        return float(np.sqrt(shared + (self.item_source**2 + self.rater_source**2) / 2 + self.residual**2))


@dataclass(frozen=True, eq=False)
class Shown:
    """Responses shown to raters: codes from 0, shape (n,). A response belongs to one item and one source."""

    item: Ints
    response: Ints
    source: Ints
    rater: Ints


class Minds:
    """One random draw of all effects, from which ratings and choices are generated."""

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
        """Return simulated ratings, shape (n,): values from `points`, which are in ascending order."""
        return rounded(self.seen(shown), points)

    def choices(self, one: Shown, other: Shown) -> Floats:
        """Return 1 if a rater perceives `one` as better than `other`, else 0, shape (n,); both have the same raters."""
        return np.asarray(self.seen(one) > self.seen(other), dtype=np.float64)

    def seen(self, shown: Shown) -> Floats:
        """Return the perceived quality before it is rounded, shape (n,)."""
        lasting = self._of_source[shown.source] + self._item[shown.item] + self._response[shown.response]
        of_rater = self._rater[shown.rater] + self._taste[shown.rater, shown.source]
        seen: Floats = lasting + of_rater + self._rng.normal(0, self._sds.residual, len(shown.item))
        return seen


def rounded(value: Floats, points: Floats) -> Floats:
    """Return the point that is nearest to each value, shape (n,); `points` are in ascending order."""
    found: Floats = points[np.searchsorted((points[1:] + points[:-1]) / 2, value)]
    return found


def _level(mean: float, difference: float) -> float:
    """Return the sd of what both sources share; each source adds half the variance of the difference to it."""
    return float(np.sqrt(max(mean**2 - difference**2 / 4, 0.0)))


@dataclass(frozen=True, slots=True)
class Expectation:
    """Mean results of many simulated studies for one statistic, with Monte Carlo standard errors.

    Attributes:
        estimate: mean of the estimates; None if no study had one.
        width, width_error: mean width of the intervals; None if no study had one.
        power, power_error: proportion of all studies (with or without an interval) with p below .05; None without a
            test.
        n_without: number of studies without an interval.
    """

    estimate: float | None
    width: float | None
    width_error: float | None
    power: float | None
    power_error: float | None
    n_without: int


def expectation(results: Sequence[Result], *, is_tested: bool = True) -> Expectation:
    """Return the mean results of at least one simulated study; `is_tested`: whether to compute the power too."""
    n = len(results)
    estimates = [result.estimate for result in results if result.estimate is not None]
    widths = np.array([result.interval.high - result.interval.low for result in results if result.interval])
    power = float(np.mean([result.p_value is not None and result.p_value < _ALPHA for result in results]))
    return Expectation(
        estimate=float(np.mean(estimates)) if estimates else None,
        width=float(widths.mean()) if len(widths) else None,
        width_error=float(widths.std(ddof=1) / np.sqrt(len(widths))) if len(widths) > 1 else None,
        power=power if is_tested else None,
        power_error=float(np.sqrt(power * (1 - power) / n)) if is_tested else None,
        n_without=n - len(widths),
    )
