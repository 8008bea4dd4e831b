"""Differences of means and of shares: first for new items and raters, then by the methods common in the field."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.analysis.data.questions.question_data import TOO_MANY
from app.analysis.data.questions.source_contrast import Found
from app.stats.comparison import describe
from app.stats.comparison import t_tests as classical
from app.stats.comparison.equivalence import equivalence, non_inferiority
from app.stats.comparison.pigeonhole import METHOD as PIGEONHOLE
from app.stats.comparison.pigeonhole import mean_difference_pigeonhole
from app.stats.core.clusters import for_new_items, has_few_raters
from app.stats.core.result import undefined
from app.stats.linear.lmm import mean_difference_lmm
from app.stats.linear.lmm_name import LMM
from app.stats.proportions import share_bootstrap as bootstrap

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.analysis.data.questions.source_contrast import Contrast


# Label of intervals that treat the raters as fixed.
THESE_RATERS = "these raters only"


def mean_differences(contrast: Contrast) -> Iterator[Found]:
    """Yield the two-way cluster interval first, then alternatives, then the t tests on item means."""
    answers, is_mine, means, means_are_mine = (
        contrast.answers,
        contrast.is_mine,
        contrast.means,
        contrast.means_are_mine,
    )
    found = describe.mean_difference(answers.value, is_mine, **answers.where)
    yield Found("mean_difference", "rating", found)
    if has_few_raters(found):
        alone = describe.mean_difference(answers.value, is_mine, item=answers.item, rater=answers.item)
        yield Found("mean_difference", "rating", for_new_items(alone, THESE_RATERS))
    if contrast.data.is_light:
        linear = mean_difference_lmm(answers.value, is_mine, **answers.where)
        drawn = mean_difference_pigeonhole(answers.value, is_mine, seed=answers.seed, **answers.where)
    else:
        linear, drawn = (undefined("not_run", TOO_MANY, method=method) for method in (LMM, PIGEONHOLE))
    yield Found("mean_difference", "rating", linear)
    if contrast.data.codes.raters.are_known:
        yield Found("mean_difference", "rating", drawn)
    for is_paired, name, test in (
        (True, "t_paired", classical.t_paired),
        (False, "t_unpaired", classical.t_unpaired),
    ):
        gap = classical.item_mean_difference(means.value, means_are_mine, is_paired=is_paired, **means.where)
        yield Found("mean_difference", "item_mean", gap)
        yield Found(name, "item_mean", test(means.value, means_are_mine, **means.where))


def against_margin(contrast: Contrast) -> Iterator[Found]:
    """Yield equivalence and non-inferiority, if the lead declared a margin."""
    margin, answers = contrast.data.margin, contrast.answers
    if margin is None:
        return
    difference = describe.mean_difference(answers.value, contrast.is_mine, **answers.where)
    worse_is_higher = contrast.data.question.reversed
    yield Found("equivalence", "rating", equivalence(difference, margin))
    yield Found("non_inferiority", "rating", non_inferiority(difference, margin, is_lower_better=worse_is_higher))


def shares(contrast: Contrast) -> Iterator[Found]:
    """Yield the ratio of the shares of item means at or above the cut."""
    cut, means = contrast.data.cut, contrast.means
    if cut is not None:
        ratio = bootstrap.share_at_least_ratio(
            means.value, contrast.means_are_mine, cut, seed=means.seed, **means.where
        )
        yield Found("share_at_least_ratio", "item_mean", ratio, {"cut": cut})
