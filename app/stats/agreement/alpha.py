"""Krippendorff's alpha: how far raters agree beyond chance, for any number of raters and with gaps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.stats.agreement.disagreement import Level, alpha_and_influence, patterns, unit_free
from app.stats.agreement.jackknife import correlation_spread, no_variation, nothing_to_compare
from app.stats.result import Result

if TYPE_CHECKING:
    from app.stats.ratings import Ratings

# above this many numbers (units x values x values) the package's arrays take seconds and gigabytes
PACKAGE_CELLS = 5_000_000


def krippendorff_alpha(ratings: Ratings, *, level: Level, confidence: float = 0.95) -> Result:
    """Do raters tell the units apart in the same way? 1 is perfect, 0 is what chance gives.

    The estimate is the `krippendorff` package's, on value counts; on scales too fine for it (a slider on thousands
    of units) it is the same formula of ours. The interval is analytic: infinitesimal jackknife over units, Fisher's
    z, t with units - 1 degrees of freedom. It is for new units like these, rated by raters like these.
    Values that are declared and never given do not change alpha, so no domain is needed.
    Source: Krippendorff (2011), Computing Krippendorff's Alpha-Reliability.
    Not for: one rating per unit; a pooled sample whose sources differ says little about agreement within each.
    """
    missing = nothing_to_compare(ratings)
    if missing:
        return missing
    counts, weight = patterns(ratings.pairable_counts)
    found = alpha_and_influence(counts, weight, ratings.values, level)
    if found is None:
        return no_variation(ratings)
    estimate, influence = found
    if ratings.pairable_counts.size * len(ratings.values) <= PACKAGE_CELLS:
        estimate = _package_alpha(ratings, level)
    spread = correlation_spread(estimate, influence, weight, confidence)
    return Result(
        estimate, method=_method(level, has_interval=spread["interval"] is not None), **spread, **ratings.sizes()
    )


def _package_alpha(ratings: Ratings, level: Level) -> float:
    from krippendorff import alpha

    return float(
        alpha(
            value_counts=ratings.pairable_counts,
            value_domain=unit_free(ratings.values),
            level_of_measurement=level,
        )
    )


def _method(level: Level, *, has_interval: bool) -> str:
    return f"jackknife_units: {level} distances, Fisher's z, t" if has_interval else f"{level} distances"
