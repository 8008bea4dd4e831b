"""Check of the proportional odds assumption: is the odds ratio the same at every point of the scale?"""

from dataclasses import dataclass

import numpy as np
from scipy import special

from app.stats.arms import Arms
from app.stats.arrays import Bools, Floats, Labels, present
from app.stats.clusters import METHOD, clusters, with_two_way_interval
from app.stats.result import Result, undefined


@dataclass(frozen=True)
class ProportionalOdds:
    """Results of the check.

    Attributes:
        trend: increase of the log odds ratio from one cut to the next; 0 under proportional odds.
        cuts: cut points, ascending: ratings at or above against below.
        log_odds_ratios: one per cut, marginal over raters and items (closer to 0 than the mixed model's).
    """

    trend: Result
    cuts: tuple[float, ...]
    log_odds_ratios: tuple[Result, ...]


def proportional_odds(
    value: Floats, is_treated: Bools, *, item: Labels, rater: Labels, level: float = 0.95
) -> ProportionalOdds:
    """Return log odds ratios at every cut and their trend, with two-way cluster t intervals. As `mean_difference`.

    In the spirit of Brant (1990), with a single degree of freedom so that few raters suffice. Cuts with all ratings of
    one source on the same side have no finite odds and are left out; at least two cuts are needed.
    """
    number, (treated, items, raters) = present(value, is_treated, item, rater)
    treated = treated.astype(bool)
    groups, n = clusters(items, raters), len(number)
    arms = Arms.of_two(treated)
    cuts, estimates, influences = [], [], []
    for cut in np.unique(number)[1:]:
        above = (number >= cut).astype(np.float64)
        parts = [_log_odds(above, side) for side in (treated, ~treated)]
        if parts[0] is not None and parts[1] is not None:
            cuts.append(float(cut))
            estimates.append(parts[0][0] - parts[1][0])
            influences.append(parts[0][1] - parts[1][1])
    ratios = tuple(
        with_two_way_interval(estimate, influence, groups, null=0.0, level=level, arms=arms)
        for estimate, influence in zip(estimates, influences, strict=True)
    )
    if len(cuts) < 2:  # noqa: PLR2004  # a trend needs two cuts
        counts = {"n_items": groups.n_items, "n_raters": groups.n_raters, "n_units": n, "n_ratings": n}
        note = "Fewer than two points of the scale separate the ratings of both sources."
        trend = undefined("no_variation" if n else "no_pairable_units", note, method=METHOD, **counts)
        return ProportionalOdds(trend, tuple(cuts), ratios)
    steps = np.arange(len(cuts)) - (len(cuts) - 1) / 2
    weights = steps / (steps @ steps)
    slope, influence = float(weights @ np.array(estimates)), weights @ np.array(influences)
    trend = with_two_way_interval(slope, influence, groups, null=0.0, level=level, arms=arms)
    return ProportionalOdds(trend, tuple(cuts), ratios)


def _log_odds(above: Floats, side: Bools) -> tuple[float, Floats] | None:
    """Return the log odds in these ratings and the influence of all ratings on it, or None if not finite."""
    n, total = int(side.sum()), float(above[side].sum())
    if total in {0, n}:
        return None
    share = total / n
    return float(special.logit(share)), np.where(side, above - share, 0) / (n * share * (1 - share))
