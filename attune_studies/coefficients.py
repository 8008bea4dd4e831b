"""The coefficients that Attune reports, as functions of arrays: each returns an estimate with interval, or a reason.

They are the functions of `app.stats` themselves. Their docstrings have definitions and shapes; docs/python.md lists
them with the statistics that they compute, whose pages have formulas and publications.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import isfunction
from typing import Any

import pandas as pd

from app.analysis.document.bibliography import of_statistic
from app.stats.accuracy.calibration import brier_score, calibration_error, overconfidence
from app.stats.accuracy.category_f1 import accuracy_share, f1_macro
from app.stats.accuracy.detection import criterion, dprime
from app.stats.accuracy.empathic import empathic_accuracy
from app.stats.agreement.alpha import krippendorff_alpha
from app.stats.agreement.chance import brennan_prediger, finn_r, fleiss_kappa, gwet_ac1, gwet_ac2
from app.stats.agreement.cohen import cohen_kappa
from app.stats.agreement.concordance import kendall_w
from app.stats.agreement.percent_agreement import percent_agreement, unanimous_share, within_one_agreement
from app.stats.agreement.rankings import concordance_within_items, rank_correlation_within_items
from app.stats.attrition import attrition_difference, attrition_share
from app.stats.choice.preference_shares import (
    first_side_share,
    lose_share,
    neither_share,
    share_preferred,
    tie_share,
    win_share,
)
from app.stats.comparison.bootstrap import share_at_least_ratio
from app.stats.comparison.change import change, change_difference
from app.stats.comparison.describe import mean, mean_difference, sd, share_at_least
from app.stats.comparison.percent import percent_change
from app.stats.comparison.pools import pool_correlation, pool_difference
from app.stats.comparison.rank_tests import (
    cliffs_delta,
    cliffs_delta_unpaired,
    mann_whitney,
    prob_superiority,
    prob_superiority_unpaired,
    rank_biserial,
    wilcoxon,
)
from app.stats.comparison.t_tests import equivalence, mean_difference_responders, non_inferiority, t_paired, t_unpaired
from app.stats.factors import attribute_effect, factor_effect, interaction
from app.stats.linear.correlation import correlation, halo
from app.stats.linear.slopes import turn_slope, turn_slope_difference
from app.stats.proportions.share_difference import (
    category_difference,
    chi_square,
    cochran_q,
    share_difference,
    stuart_maxwell,
)
from app.stats.raters.alt_test import alternative_annotator_test
from app.stats.ratings import Ratings
from app.stats.reliability.decision import g_coefficient, items_needed, phi_coefficient, raters_needed
from app.stats.reliability.icc import icc
from app.stats.scales import cronbach_alpha, omega
from app.stats.spans import span_alpha

__all__ = [
    "COEFFICIENTS",
    "accuracy_share",
    "alternative_annotator_test",
    "attribute_effect",
    "attrition_difference",
    "attrition_share",
    "brennan_prediger",
    "brier_score",
    "calibration_error",
    "category_difference",
    "change",
    "change_difference",
    "chi_square",
    "cliffs_delta",
    "cliffs_delta_unpaired",
    "cochran_q",
    "cohen_kappa",
    "concordance_within_items",
    "correlation",
    "criterion",
    "cronbach_alpha",
    "dprime",
    "empathic_accuracy",
    "equivalence",
    "f1_macro",
    "factor_effect",
    "finn_r",
    "first_side_share",
    "fleiss_kappa",
    "g_coefficient",
    "gwet_ac1",
    "gwet_ac2",
    "halo",
    "icc",
    "interaction",
    "items_needed",
    "kendall_w",
    "krippendorff_alpha",
    "lose_share",
    "mann_whitney",
    "mean",
    "mean_difference",
    "mean_difference_responders",
    "neither_share",
    "non_inferiority",
    "omega",
    "overconfidence",
    "percent_agreement",
    "percent_change",
    "phi_coefficient",
    "pool_correlation",
    "pool_difference",
    "prob_superiority",
    "prob_superiority_unpaired",
    "rank_biserial",
    "rank_correlation_within_items",
    "raters_needed",
    "ratings_of",
    "references",
    "sd",
    "share_at_least",
    "share_at_least_ratio",
    "share_difference",
    "share_preferred",
    "span_alpha",
    "statistics_of",
    "stuart_maxwell",
    "t_paired",
    "t_unpaired",
    "tie_share",
    "turn_slope",
    "turn_slope_difference",
    "unanimous_share",
    "wilcoxon",
    "win_share",
    "within_one_agreement",
]
Coefficient = Callable[..., Any]
# The statistics that a function computes, by its name; every other one computes that with its own name.
_SEVERAL: dict[str, tuple[str, ...]] = {
    "krippendorff_alpha": tuple(f"krippendorff_alpha_{level}" for level in ("nominal", "ordinal", "interval", "ratio")),
    "icc": ("icc_a_1", "icc_a_k", "icc_c_1", "icc_c_k", "icc_1_1", "icc_1_k"),
    "cohen_kappa": ("cohen_kappa", "cohen_kappa_linear", "cohen_kappa_quadratic"),
    "concordance_within_items": ("kendall_w_within_items",),
    "alternative_annotator_test": ("alt_test_winning_rate", "alt_test_advantage_probability"),
}
COEFFICIENTS: dict[str, Coefficient] = {
    name: value
    for name, value in vars().items()
    if getattr(value, "__module__", "").startswith("app.stats.") and isfunction(value)
}


def statistics_of(coefficient: Coefficient) -> tuple[str, ...]:
    """The keys of the statistics that a function computes, as in the column `statistic` of the estimates.

    >>> statistics_of(gwet_ac1)
    ('gwet_ac1',)

    Raises:
        ValueError: it is none of COEFFICIENTS.
    """
    name = coefficient.__name__
    if COEFFICIENTS.get(name) is not coefficient:
        raise ValueError(
            f"{name} is not a coefficient of attune_studies. See attune_studies.coefficients.COEFFICIENTS."
        )
    return _SEVERAL.get(name, (name,))


def references(coefficient: Coefficient) -> list[str]:
    """The publications that define a coefficient; none for what is defined by counting or averaging.

    >>> references(gwet_ac1)[0][:12]
    'Gwet, K. L. '
    """
    return list(dict.fromkeys(one.in_list for key in statistics_of(coefficient) for one in of_statistic(key)))


def ratings_of(table: pd.DataFrame, *, unit: str = "response", value: str = "value_number") -> Ratings:
    """The input of the coefficients of agreement, from a table of answers to one question.

    Args:
        table: columns `rater`, and those named; rows without a value are left out.
        unit: the column that says what was rated; `item` for questions about items.
        value: a column of numbers; texts such as codes become their places in alphabetical order.

    Raises:
        ValueError: the table lacks a column, or has answers to several questions.
    """
    missing = [name for name in ("rater", unit, value) if name not in table]
    if missing:
        raise ValueError(f"The table has no column {missing[0]!r}. It has: {', '.join(map(str, table.columns))}.")
    if "question" in table and len(table["question"].unique()) > 1:
        raise ValueError(
            "The table has answers to several questions. Select those of one: table[table.question == ...]."
        )
    rows = table[table[value].notna() & table[unit].notna()]
    values = rows[value]
    if not pd.api.types.is_numeric_dtype(values):
        values = pd.Series(pd.factorize(values, sort=True)[0])
    return Ratings(pd.factorize(rows[unit])[0], pd.factorize(rows["rater"])[0], values.to_numpy(dtype=float))
