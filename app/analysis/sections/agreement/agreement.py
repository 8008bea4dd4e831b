"""Agreement per question, pooled and per source, for all human raters, each pool, and the model judges."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from app.analysis.data.questions.answers import UNITS
from app.analysis.data.questions.scopes import groups, with_answers
from app.analysis.sections.agreement.coefficients import coefficients
from app.design.questions.kinds.choice import ChoiceQuestion
from app.design.questions.kinds.registry import ScaledQuestion

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.analysis.data.questions.answers import Answers
    from app.analysis.data.questions.question_data import AnyQuestionData
    from app.analysis.data.questions.splits import Split
    from app.analysis.estimate import Estimate, Scope
    from app.stats.core.result import Result

SECTION = "agreement"
CATEGORY = "category: the response within its item in the order of responses.csv, then tie and neither"


def agreement(data: AnyQuestionData) -> Iterator[Estimate]:
    """Yield every coefficient that the question can have; see `coefficients`.

    A real difference between sources inflates pooled agreement, so agreement is also estimated for each source.
    Questions about the raters themselves have no agreement.
    """
    if data.question.target == "rater":
        return
    of_all: list[Estimate] = []
    for group, answers in with_answers(groups(data.codes), data.answers):
        is_all = answers is data.answers
        found = of_all if is_all and of_all else list(_of_group(data, answers))
        of_all = found if is_all else of_all
        yield from (replace(estimate, scope={**group.scope, **estimate.scope}) for estimate in found)


def agreement_by(data: AnyQuestionData, split: Split) -> Iterator[Estimate]:
    """Yield the agreement of human raters in each condition, or under each shown label."""
    if data.question.target == "rater":
        return
    persons = groups(data.codes)[0].of(data.answers)
    at = split.of(persons)
    for level in np.unique(at[at >= 0]).tolist():
        yield from _of(data, persons.within(at == level), split.scope(level))


def _of_group(data: AnyQuestionData, answers: Answers) -> Iterator[Estimate]:
    """Yield pooled agreement, then agreement per source."""
    yield from _of(data, answers, {})
    if isinstance(data.question, ScaledQuestion):
        for source in data.sources:
            yield from _of(data, answers.of_source(data.code_of(source)), {"source": source})


def _of(data: AnyQuestionData, answers: Answers, scope: Scope) -> Iterator[Estimate]:
    unit = UNITS[data.question.target]
    for statistic, result in coefficients(data, answers):
        yield data.record(
            in_words(result, data, answers), answers, section=SECTION, scope=scope, statistic=statistic, unit=unit
        )


def in_words(result: Result, data: AnyQuestionData, answers: Answers) -> Result:
    """Complete the result: explain units with one rating, and name the categories of a choice."""
    if result.reason == "no_pairable_units" and not answers.counts["n_pairable_units"]:
        one = f"not estimable: one rating per {data.question.target}"
        result = replace(result, note=one if len(answers.value) else "not estimable: there are no ratings")
    if isinstance(data.question, ChoiceQuestion):
        result = replace(result, method=f"{result.method}; {CATEGORY}" if result.method else CATEGORY)
    return result
