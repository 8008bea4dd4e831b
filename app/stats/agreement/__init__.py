"""Agreement between raters: every function takes `Ratings` and returns a `Result`."""

from app.stats.agreement.alpha import LeaveOneRaterOut, alpha_bootstrap, alpha_without_each_rater, krippendorff_alpha
from app.stats.agreement.chance import brennan_prediger, fleiss_kappa, gwet_ac1, gwet_ac2
from app.stats.agreement.cohen import (
    RaterPair,
    SelfAgreement,
    cohen_kappa,
    cohen_kappas,
    intra_rater_agreement,
    rater_pairs,
)
from app.stats.agreement.concordance import kendall_w
from app.stats.agreement.disagreement import UnitDisagreement, worst_units
from app.stats.agreement.percent_agreement import percent_agreement, unanimous_share, within_one_agreement
from app.stats.reliability.components import Components, variance_components
from app.stats.reliability.icc import icc, icc_forms

__all__ = [
    "Components",
    "LeaveOneRaterOut",
    "RaterPair",
    "SelfAgreement",
    "UnitDisagreement",
    "alpha_bootstrap",
    "alpha_without_each_rater",
    "brennan_prediger",
    "cohen_kappa",
    "cohen_kappas",
    "fleiss_kappa",
    "gwet_ac1",
    "gwet_ac2",
    "icc",
    "icc_forms",
    "intra_rater_agreement",
    "kendall_w",
    "krippendorff_alpha",
    "percent_agreement",
    "rater_pairs",
    "unanimous_share",
    "variance_components",
    "within_one_agreement",
    "worst_units",
]
