"""Krippendorff's alpha: agreement beyond chance for any number of raters, with missing ratings allowed."""

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

# above this size (units x values x values; 40,000 units on five points) the package dominates the run time
PACKAGE_CELLS = 1_000_000


def krippendorff_alpha(
    ratings: Ratings, *, level: Level, inference: For = "new_units", confidence: float = 0.95
) -> Result:
    """Return Krippendorff's alpha: 1 is perfect agreement, 0 is agreement as expected by chance.

    The estimate comes from the `krippendorff` package, given value counts. Where that would be slow (a slider, or very
    many units), our own implementation of the same formula is used. Declared values that were never given do not change
    alpha. The interval for new units and the same raters is `jackknife_units`: analytic, infinitesimal jackknife,
    Fisher's z, t. The interval for new units and new raters is `jackknife_two_way`: see `alpha_two_way`.
    Source: Krippendorff (2011), Computing Krippendorff's Alpha-Reliability.
    Not for: one rating per unit. Pooling sources that differ is not informative about agreement within each source.
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
    """Return alpha from the package where its arrays stay small, else from our own implementation."""
    counts, values = paired.counts, unit_free(paired.values)
    if counts.size * len(values) > PACKAGE_CELLS:
        return parts.alpha
    return float(alpha(value_counts=counts, value_domain=values, level_of_measurement=parts.level))
