"""All pairs of sources, if there are three or more."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from app.analysis.data.questions.scopes import distinct_groups, with_answers
from app.analysis.data.questions.source_contrast import Contrast
from app.analysis.sections.comparison.distribution import point_counts
from app.stats.comparison import describe
from app.stats.comparison.source_pairs import all_pairs
from app.stats.comparison.t_tests import t_paired
from app.stats.proportions.count_tests import chi_square
from app.stats.proportions.share_difference import share_difference

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from app.analysis.data.questions.answers import Answers
    from app.analysis.data.questions.question_data import ScaledData
    from app.analysis.estimate import Estimate, Scope, Unit
    from app.stats.core.result import Result

SECTION = "contrast"
# More pairs would fill the report; strengths of a choice model summarize many sources better.
MAX_SOURCES = 12
_THREE = 3
_ROUNDING = 1e-9


def source_pairs(data: ScaledData) -> Iterator[Estimate]:
    """Yield differences of means, item means and shares at or above the cut; p adjusted by Holm over all pairs.

    The first estimate is a test of all sources at once.
    """
    rated = [source for source in data.sources if (data.answers.source == data.code_of(source)).any()]
    if not _THREE <= len(rated) <= MAX_SOURCES:
        return
    for group, answers in with_answers(distinct_groups(data.codes), data.answers):
        yield _over_all(data, answers, group.scope, rated)
        yield from _of_group(data, answers, group.scope, rated)


def _over_all(data: ScaledData, answers: Answers, scope: Scope, sources: list[str]) -> Estimate:
    """Return a test of whether all sources have the same distribution, counting each rating as independent."""
    sides = (answers.select(answers.source == data.code_of(source)) for source in sources)
    found = chi_square(np.array([point_counts(data.question, side)[2] for side in sides]))
    return data.record(found, answers, section=SECTION, scope=scope, statistic="chi_square", unit="rating")


def _of_group(data: ScaledData, answers: Answers, group: Scope, sources: list[str]) -> Iterator[Estimate]:
    ways: list[tuple[str, Unit, Scope, Callable[[Contrast], Result]]] = [
        ("mean_difference", "rating", {}, _mean),
        ("t_paired", "item_mean", {}, _paired),
    ]
    if data.cut is not None:
        ways.append(("share_difference", "rating", {"cut": data.cut}, _share))
    for statistic, unit, more, compare in ways:

        def between(source: str, reference: str, compare: Callable[[Contrast], Result] = compare) -> Result:
            return compare(Contrast.of(data, answers, {"source": source, "reference": reference}))

        for pair in all_pairs(sources, between):
            scope = {**group, "source": pair.source, "reference": pair.reference, **more}
            part = Contrast.of(data, answers, scope).answers
            record = data.record(pair.result, part, section=SECTION, scope=scope, statistic=statistic, unit=unit)
            yield replace(record, p_adjusted=pair.p_adjusted)


def _mean(contrast: Contrast) -> Result:
    return describe.mean_difference(contrast.answers.value, contrast.is_mine, **contrast.answers.where)


def _paired(contrast: Contrast) -> Result:
    return t_paired(contrast.means.value, contrast.means_are_mine, **contrast.means.where)


def _share(contrast: Contrast) -> Result:
    cut = contrast.data.cut or 0.0
    reaches = np.asarray(contrast.answers.value >= cut - _ROUNDING, dtype=np.float64)
    return share_difference(reaches, contrast.is_mine, **contrast.answers.where)
