"""The effects behind test statistics: a t of item means stands for a difference of means."""

from __future__ import annotations

from collections.abc import Iterable

from app.analysis.estimate import Estimate

# The effect behind a test statistic: its statistic, and the start of its method.
EFFECTS = {
    "t_paired": ("mean_difference", "t_paired"),
    "t_unpaired": ("mean_difference", "t_unpaired"),
    "wilcoxon": ("mean_difference", "t_paired"),
    "mann_whitney": ("rank_biserial", ""),
}


def effect_behind(estimate: Estimate, among: Iterable[Estimate]) -> Estimate | None:
    """The number behind a test statistic: a t stands for a difference of means; None for an estimate of its own."""
    if estimate.statistic not in EFFECTS:
        return None
    statistic, method = EFFECTS[estimate.statistic]
    same = (
        one
        for one in among
        if (one.question, one.scope, one.unit) == (estimate.question, estimate.scope, estimate.unit)
        and one.statistic == statistic
        and one.method.startswith(method)
    )
    return next(same, None)
