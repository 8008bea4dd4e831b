"""Estimates of the cumulative link mixed model for two sources: the primary analysis of an ordinal scale."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from app.analysis.data.questions.question_data import TOO_MANY
from app.analysis.data.questions.source_contrast import Found
from app.stats.core.result import undefined
from app.stats.ordinal.clmm import METHOD, compare_ordinal, probit_shift
from app.stats.ordinal.proportional_odds import proportional_odds

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.analysis.data.questions.source_contrast import Contrast
    from app.stats.ordinal.clmm import OrdinalComparison

PARTS = ("item", "rater", "item_slope", "rater_slope")


def ordinal(contrast: Contrast) -> Iterator[Found]:
    """Yield odds ratio, predicted difference and shares, variance components, and the probit shift.

    Nothing for nominal questions, which have no order.
    """
    data, answers = contrast.data, contrast.answers
    if data.question.level == "nominal":
        return
    if not data.is_light:
        yield Found("odds_ratio_clmm", "rating", undefined("not_run", TOO_MANY, method=METHOD))
        return
    fitted = compare_ordinal(answers.value, contrast.is_mine, **answers.where)
    yield Found("odds_ratio_clmm", "rating", fitted.effect)
    yield Found("mean_difference_clmm", "rating", fitted.mean_difference)
    yield from _predicted(contrast, fitted)
    yield from _components(fitted)
    probit = probit_shift(answers.value, contrast.is_mine, logit=fitted, **answers.where)
    yield Found("probit_shift_clmm", "rating", probit)


def proportionality(contrast: Contrast) -> Iterator[Found]:
    """Yield whether the odds ratio is the same at every point, as the ordinal model assumes."""
    if contrast.data.question.level != "nominal":
        found = proportional_odds(contrast.answers.value, contrast.is_mine, **contrast.answers.where)
        yield Found("proportional_odds_trend", "rating", found.trend)
        for cut, ratio in zip(found.cuts, found.log_odds_ratios, strict=True):
            yield Found("log_odds_ratio_at_least", "rating", ratio, {"cut": cut})


def _predicted(contrast: Contrast, fitted: OrdinalComparison) -> Iterator[Found]:
    """Yield shares at or above the declared cut; above the middle of the scale if none is declared."""
    values = contrast.data.question.values
    middle = (values[0] + values[-1]) / 2
    for share in fitted.upper_shares:
        if share.cut == contrast.data.cut or (contrast.data.cut is None and share.cut > middle):
            yield Found("share_at_least_clmm", "rating", share.source, {"cut": share.cut})
            reference = {"source": contrast.data.reference, "reference": contrast.source, "cut": share.cut}
            yield Found("share_at_least_clmm", "rating", share.reference, reference)


def _components(fitted: OrdinalComparison) -> Iterator[Found]:
    """Yield the standard deviations of the random effects on the latent scale, and the thresholds."""
    bare = replace(fitted.effect, interval=None, interval_reason=None, p_value=None, note="")
    for part in PARTS:
        if part in (fitted.sds or {}):
            yield Found(f"sd_{part}_clmm", "rating", replace(bare, estimate=(fitted.sds or {})[part]))
    for share, threshold in zip(fitted.upper_shares, fitted.thresholds, strict=True):
        yield Found("threshold_clmm", "rating", replace(bare, estimate=threshold), {"cut": share.cut})
