"""Agreement between raters. Every function takes `Ratings` and gives a `Result`."""

from app.stats.agreement.alpha import krippendorff_alpha
from app.stats.agreement.shares import percent_agreement, unanimous_share, within_one_agreement

__all__ = ["krippendorff_alpha", "percent_agreement", "unanimous_share", "within_one_agreement"]
