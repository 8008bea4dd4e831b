"""Agreement between raters. Every function takes `Ratings` and gives a `Result`."""

from app.stats.agreement.alpha import krippendorff_alpha
from app.stats.agreement.chance import brennan_prediger, fleiss_kappa, gwet_ac1, gwet_ac2
from app.stats.agreement.cohen import cohen_kappa
from app.stats.agreement.components import Components, variance_components
from app.stats.agreement.icc import icc
from app.stats.agreement.resample import LeaveOneRaterOut, alpha_bootstrap, alpha_without_each_rater
from app.stats.agreement.shares import percent_agreement, unanimous_share, within_one_agreement

__all__ = [
    "Components",
    "LeaveOneRaterOut",
    "alpha_bootstrap",
    "alpha_without_each_rater",
    "brennan_prediger",
    "cohen_kappa",
    "fleiss_kappa",
    "gwet_ac1",
    "gwet_ac2",
    "icc",
    "krippendorff_alpha",
    "percent_agreement",
    "unanimous_share",
    "variance_components",
    "within_one_agreement",
]
