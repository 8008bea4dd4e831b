"""The effects behind test statistics: a t of item means stands for a difference of means."""

from __future__ import annotations

from collections.abc import Iterable

from app.analysis.estimate import Estimate
from app.analysis.statistic import declared


def effect_behind(estimate: Estimate, among: Iterable[Estimate]) -> Estimate | None:
    """The number behind a test statistic: a t stands for a difference of means; None for an estimate of its own."""
    effect = declared(estimate.statistic).effect
    if effect is None:
        return None
    same = (
        one
        for one in among
        if (one.asked, one.scope, one.unit) == (estimate.asked, estimate.scope, estimate.unit)
        and one.statistic == effect.statistic
        and effect.procedure in {None, one.procedure}
    )
    return next(same, None)
