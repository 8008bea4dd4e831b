"""Judges that were asked the same again on a later day: how far their answers to the same units have moved."""

from collections.abc import Iterator
from typing import TypeAlias

import numpy as np

from app.analysis.data.answers import Answers, Choices
from app.analysis.data.encoded_study import Floats, Ints
from app.analysis.data.question_data import AnyQuestionData
from app.analysis.data.series import Again, asked_again
from app.analysis.estimate import Estimate, Scope
from app.analysis.sections.choice import choices_between
from app.analysis.sections.judges.contrasts import SECTION, pairs_of_sources, unit_of
from app.analysis.sections.judges.model_judges import averaged
from app.analysis.sections.study_data import StudyData
from app.analysis.statistic import Bounds, Column, PageTable, Statistic, declare
from app.stats.clusters import for_new_items
from app.stats.comparison import describe

declare(
    Statistic(
        "drift",
        "Judge's later ratings minus its first",
        "points",
        docs="judges",
        no_difference=0.0,
        bounds=Bounds(times=1),
    ),
    Statistic(
        "drift_of_share",
        "Judge's later share preferring the source minus its first",
        "share_points",
        docs="judges",
        no_difference=0.0,
    ),
    Statistic("drift_same", "Same answer on the later day", "share", docs="judges"),
)
ROUNDING = 1e-9
Part: TypeAlias = tuple[Ints, Ints, Floats]
OVER_TIME = PageTable(
    "Judges asked again on a later day, with 95% CIs for new items",
    (
        Column("Later minus first, points", ("drift",)),
        Column("Later minus first, percentage points", ("drift_of_share",)),
        Column("Same answer", ("drift_same",)),
    ),
)


def drift(study: StudyData) -> Iterator[Estimate]:
    """Yield for each judge that was asked again how its answers differ from its first ones, and how many are the same.

    The data are `StudyData.over_time`. Ratings are averaged over the showings of a day, as in other estimates of
    judges; whether an answer is the same is asked of the first showing.
    """
    for again in asked_again(study.frames):
        for data in study.every:
            yield from _of_question(data, again)


def _of_question(data: AnyQuestionData, again: Again) -> Iterator[Estimate]:
    ids, answers = data.codes.raters.ids, data.answers
    scope: Scope = {"rater_kind": "model", "raters": [again.first, again.later]}
    is_repeat = data.codes.kept["repeat"].to_numpy(dtype=np.float64, na_value=0)[answers.row] > 0
    days = []
    for key in (again.first, again.later):
        is_own = answers.rater == ids.index(key)
        days.append((answers.select(is_own), is_repeat[is_own]))
    if not isinstance(answers, Choices) and not data.is_nominal:
        first, later = (averaged(data, own, repeat) for own, repeat in days)
        for source in (None, *(data.sources if len(data.sources) > 1 and data.question.rated == "response" else ())):
            where: Scope = scope if source is None else {**scope, "source": source}
            of = [one if source is None else one.of_source(data.code_of(source)) for one in (first, later)]
            moved = _moved(*((one.unit, one.item, one.value) for one in of))
            yield from _record(data, of[1], moved, where, "drift")
    if isinstance(answers, Choices):
        for pair in pairs_of_sources(data):
            codes = data.code_of(pair["source"]), data.code_of(pair["reference"])
            of_pair = [choices_between(own, *codes) for own, _ in days if isinstance(own, Choices)]
            moved = _moved(*((one.unit, one.item, worth) for one, worth in of_pair))
            yield from _record(data, of_pair[1][0], moved, {**scope, **pair}, "drift_of_share")
    first, later = (own.select(~repeat) for own, repeat in days)
    item, gap = _moved(*((one.unit, one.item, one.value) for one in (first, later)))
    yield from _record(data, later, (item, np.where(np.abs(gap) < ROUNDING, 1.0, 0.0)), scope, "drift_same")


def _moved(first: Part, later: Part) -> tuple[Ints, Floats]:
    """Return item and later minus first value of each unit that has both."""
    means = []
    for unit, item, value in (first, later):
        known = np.isfinite(value)
        units, at, code = np.unique(unit[known], return_index=True, return_inverse=True)
        mean = np.bincount(code, value[known], len(units)) / np.bincount(code, minlength=len(units))
        means.append((units, item[known][at], mean))
    _, one, other = np.intersect1d(means[0][0], means[1][0], assume_unique=True, return_indices=True)
    return means[1][1][other], means[1][2][other] - means[0][2][one]


def _record(
    data: AnyQuestionData, part: Answers, moved: tuple[Ints, Floats], scope: Scope, statistic: str
) -> Iterator[Estimate]:
    item, value = moved
    if not len(value):
        return
    compute = describe.share if statistic == "drift_same" else describe.mean
    result = for_new_items(compute(value, item=item, rater=item))
    yield data.record(result, part, section=SECTION, scope=scope, statistic=statistic, unit=unit_of(part))
