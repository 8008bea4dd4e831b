"""Krippendorff's alpha: how far raters agree beyond chance, for any number of raters and with gaps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from krippendorff import alpha

from app.stats.agreement.disagreement import Disagreement, Level, patterns, unit_free
from app.stats.agreement.two_way import alpha_two_way
from app.stats.core.jackknife import correlation_spread, no_variation, nothing_to_compare
from app.stats.core.result import Result

if TYPE_CHECKING:
    from app.stats.agreement.two_way import For
    from app.stats.core.ratings import Ratings

# above this many numbers (units x values x values; 40,000 units on five points) the package costs more than all else
PACKAGE_CELLS = 1_000_000


def krippendorff_alpha(
    ratings: Ratings, *, level: Level, inference: For = "new_units", confidence: float = 0.95
) -> Result:
    """Do raters tell the units apart in the same way? 1 is perfect, 0 is what chance gives.

    The estimate is the `krippendorff` package's, on value counts; where that takes long (a slider, or very many
    units) it is the same formula of ours. Values that are declared and never given do not change alpha.
    The interval for new units rated by these raters is `jackknife_units`: analytic, infinitesimal jackknife, Fisher's
    z, t. That for new units and new raters is `jackknife_two_way`: see `alpha_two_way`.
    Source: Krippendorff (2011), Computing Krippendorff's Alpha-Reliability.
    Not for: one rating per unit; a pooled sample whose sources differ says little about agreement within each.
    """
    missing = nothing_to_compare(ratings)
    if missing:
        return missing
    paired = ratings.paired
    parts = Disagreement(*patterns(paired.counts), paired.values, level)
    if parts.spread <= 0:
        return no_variation(ratings)
    estimate = point_estimate(paired, parts)
    if inference == "new_units":
        spread = correlation_spread(estimate, parts.unit_influence(), parts.weight, confidence)
    else:
        spread = alpha_two_way(paired, parts, estimate, confidence)
    return Result(estimate, method=f"{level} distances", **spread, **ratings.sizes())


def point_estimate(paired: Ratings, parts: Disagreement) -> float:
    """Alpha by the package where its arrays stay small, else by the same formula."""
    counts, values = paired.counts, unit_free(paired.values)
    if counts.size * len(values) > PACKAGE_CELLS:
        return parts.alpha
    return float(alpha(value_counts=counts, value_domain=values, level_of_measurement=parts.level))
