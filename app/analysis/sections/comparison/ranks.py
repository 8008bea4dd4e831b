"""Comparisons that use only the order of the points, and common tests of ranks and counts."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from app.analysis.data.questions.source_contrast import Found
from app.analysis.sections.comparison.distribution import point_counts
from app.stats.comparison import superiority as stats
from app.stats.comparison.rank_tests import mann_whitney, rank_biserial, wilcoxon_of_item_means
from app.stats.comparison.responders import compare_responders
from app.stats.core.item_means import item_means
from app.stats.proportions.count_tests import chi_square

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.analysis.data.encoded_study import Bools
    from app.analysis.data.questions.source_contrast import Contrast
    from app.stats.core.result import Result


def superiority(contrast: Contrast) -> Iterator[Found]:
    """Yield how often the source is rated above the reference: by the same rater on the same item, then unpaired."""
    value, is_mine, where = contrast.answers.value, contrast.is_mine, contrast.answers.where
    for name in ("prob_superiority", "cliffs_delta", "prob_superiority_unpaired", "cliffs_delta_unpaired"):
        yield Found(name, "rating", getattr(stats, name)(value, is_mine, **where))


def rank_tests(contrast: Contrast) -> Iterator[Found]:
    """Yield Wilcoxon of paired item means, Mann-Whitney of item or responder means, and chi-square of the points."""
    means = contrast.means
    yield Found("wilcoxon", "item_mean", wilcoxon_of_item_means(means.value, contrast.means_are_mine, **means.where))
    yield from _of_responders(contrast) if _has_responders(contrast) else _of_item_means(contrast)
    sides = (contrast.answers.select(side) for side in _sides(contrast))
    table = np.array([point_counts(contrast.data.question, side)[2] for side in sides])
    yield Found("chi_square", "rating", _as_counted(chi_square(table), contrast, table.shape[1]))


def _as_counted(result: Result, contrast: Contrast, n_columns: int) -> Result:
    """Name the steps in the method if the values of a fine slider were counted in steps."""
    if n_columns == len(contrast.data.question.values):
        return result
    return replace(result, method=f"{result.method}, values in {n_columns} equal steps")


def _of_item_means(contrast: Contrast) -> Iterator[Found]:
    means = item_means(contrast.means.value, contrast.means_are_mine, **contrast.means.where)
    for name, test in (("mann_whitney", mann_whitney), ("rank_biserial", rank_biserial)):
        result = test(means.mine, means.theirs)
        yield Found(name, "item_mean", replace(result, method=f"{result.method}, item means, unpaired"))


def _has_responders(contrast: Contrast) -> bool:
    """Return whether the authors of the responses are known and the question is about responses."""
    return contrast.data.codes.responses.responder is not None and contrast.data.question.target == "response"


def _of_responders(contrast: Contrast) -> Iterator[Found]:
    """Yield exact and asymptotic tests of responders' means, without responses of unknown authors (-1)."""
    answers, writers = contrast.answers, contrast.data.codes.responses.responder
    responder = np.full(len(answers.value), -1) if writers is None else writers[answers.unit]
    known = responder >= 0
    found = compare_responders(answers.value[known], contrast.is_mine[known], responder[known])
    for name, result in (
        ("mann_whitney", found.exact),
        ("mann_whitney", found.asymptotic),
        ("rank_biserial", found.rank_biserial),
    ):
        of_means = replace(result, method=f"{result.method}, means of responders")
        yield Found(name, "item_mean", of_means, {"level": "responder"})


def _sides(contrast: Contrast) -> tuple[Bools, Bools]:
    return contrast.is_mine, ~contrast.is_mine
