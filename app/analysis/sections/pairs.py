"""All pairs of sources, if there are three or more."""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import combinations

import numpy as np

from app.analysis.data.answers import Answers
from app.analysis.data.question_data import ScaledData
from app.analysis.data.scopes import Contrast, distinct_groups, groups, with_answers
from app.analysis.estimate import Estimate, Scope, Unit
from app.analysis.sections.distribution import point_counts
from app.analysis.statistic import Recorded, Statistic, declare
from app.stats.comparison import describe
from app.stats.comparison.percent import percent_change
from app.stats.comparison.t_tests import t_paired, t_unpaired
from app.stats.proportions.share_difference import chi_square, share_difference
from app.stats.result import Result

SECTION = "contrast"
# More pairs would fill the report; strengths of a choice model summarize many sources better.
MAX_SOURCES = 12
_THREE = 3
_ROUNDING = 1e-9

declare(
    Statistic(
        "share_difference",
        "Difference in share (percentage points)",
        "share_points",
        docs="comparison",
        no_difference=0.0,
    ),
    Statistic(
        "percent_change",
        "Percentage difference from the reference",
        "percent",
        docs="contrasts",
        no_difference=0.0,
        tests={"percent_change": Recorded(), "percent_change_at_least": Recorded(keys=("source", "reference", "cut"))},
    ),
)


def source_pairs(data: ScaledData) -> Iterator[Estimate]:
    """Yield differences of means, item means and shares at or above the cut, after a test of all sources at once.

    Differences from the reference in means and item means are in the section of comparisons, and not repeated here.
    """
    rated = [source for source in data.sources if (data.answers.source == data.code_of(source)).any()]
    if not _THREE <= len(rated) <= MAX_SOURCES:
        return
    for group, answers in with_answers(distinct_groups(data.codes), data.answers):
        yield _over_all(data, answers, group.scope, rated)
        yield from _of_group(data, answers, group.scope, rated)


def _over_all(data: ScaledData, answers: Answers, scope: Scope, sources: list[str]) -> Estimate:
    """Return a test of whether all sources have the same distribution, counting each rating as independent."""
    sides = (answers.of_source(data.code_of(source)) for source in sources)
    found = chi_square(np.array([point_counts(data.question, side)[2] for side in sides]))
    return data.record(found, answers, section=SECTION, scope=scope, statistic="chi_square", unit="rating")


def _of_group(data: ScaledData, answers: Answers, group: Scope, sources: list[str]) -> Iterator[Estimate]:
    pairs = [(later, earlier) for earlier, later in combinations(sources, 2)]
    others = [pair for pair in pairs if data.reference not in pair]
    for pair in others:
        yield _record(data, answers, _scope(group, pair), "mean_difference", "rating", _mean)
    for statistic, test in (("t_paired", t_paired), ("t_unpaired", t_unpaired)):
        for pair in others:
            yield _record(data, answers, _scope(group, pair), statistic, "item_mean", partial(_of_item_means, test))
    if data.cut is not None:
        for pair in pairs:
            scope: Scope = {**_scope(group, pair), "cut": data.cut}
            yield _record(data, answers, scope, "share_difference", "rating", _share)


def _scope(group: Scope, pair: tuple[str, str]) -> Scope:
    source, reference = pair
    return {**group, "source": source, "reference": reference}


def _record(
    data: ScaledData, answers: Answers, scope: Scope, statistic: str, unit: Unit, compare: Callable[[Contrast], Result]
) -> Estimate:
    contrast = Contrast.of(data, answers, scope)
    return data.record(
        compare(contrast), contrast.answers, section=SECTION, scope=scope, statistic=statistic, unit=unit
    )


def _mean(contrast: Contrast) -> Result:
    return describe.mean_difference(contrast.answers.value, contrast.is_mine, **contrast.answers.where)


def _of_item_means(test: Callable[..., Result], contrast: Contrast) -> Result:
    return test(contrast.means.value, contrast.means_are_mine, **contrast.means.where)


def _share(contrast: Contrast) -> Result:
    cut = contrast.data.cut or 0.0
    reaches = np.asarray(contrast.answers.value >= cut - _ROUNDING, dtype=np.float64)
    return share_difference(reaches, contrast.is_mine, **contrast.answers.where)


# Differences in percent of the reference's mean, and of its share at or above the cut.


def percent(data: ScaledData) -> Iterator[Estimate]:
    """Yield each source against the reference, for human raters; nothing on scales with negative values."""
    answers = groups(data.codes)[0].of(data.answers)
    if data.reference is None or (len(answers.value) and answers.value.min() < 0):
        return
    for source in data.sources:
        if source == data.reference:
            continue
        scope: Scope = {"source": source, "reference": data.reference}
        contrast = Contrast.of(data, answers, scope)
        values = [(contrast.answers.value, scope)]
        if data.cut is not None:
            reaches = np.asarray(contrast.answers.value >= data.cut - _ROUNDING, dtype=np.float64)
            values.append((reaches, {**scope, "cut": data.cut}))
        for value, of in values:
            found = percent_change(value, contrast.is_mine, **contrast.answers.where)
            yield data.record(
                found, contrast.answers, section=SECTION, scope=of, statistic="percent_change", unit="rating"
            )
