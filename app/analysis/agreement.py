"""How far raters agree: per question, pooled and per source, for all persons, each pool, and the model judges apart."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from app.analysis.answers import UNITS
from app.analysis.scopes import groups, with_answers
from app.design.question import ChoiceQuestion, RatingQuestion, ScaledQuestion
from app.stats.agreement import (
    fleiss_kappa,
    krippendorff_alpha,
    percent_agreement,
    unanimous_share,
    within_one_agreement,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from app.analysis.answers import Answers
    from app.analysis.figure import Figure, Scope
    from app.analysis.sheet import AnySheet
    from app.stats.ratings import Ratings
    from app.stats.result import Result

    Statistics = dict[str, Callable[[Ratings], Result]]

SECTION = "agreement"
CATEGORY = "category: the response within its item in the order of responses.csv, then tie and neither"


def agreement(sheet: AnySheet) -> Iterator[Figure]:
    """Alpha at the scale's level first, then the shares that need no correction for chance, then Fleiss' kappa.

    Pooled agreement is inflated by a real difference between sources, so each source stands beside it. What a rater
    says of himself is nobody else's to agree with.
    """
    if sheet.question.target == "rater":
        return
    for group, answers in with_answers(groups(sheet.codes), sheet.answers):
        yield from _of(sheet, answers, group.scope)
        if isinstance(sheet.question, ScaledQuestion):
            for source in sheet.sources:
                part = answers.select(answers.source == sheet.code_of(source))
                yield from _of(sheet, part, {**group.scope, "source": source})


def _of(sheet: AnySheet, answers: Answers, scope: Scope) -> Iterator[Figure]:
    for statistic, function in _statistics(sheet.question).items():
        yield sheet.record(
            in_words(function(answers.ratings), sheet),
            answers,
            section=SECTION,
            scope=scope,
            statistic=statistic,
            unit=UNITS[sheet.question.target],
        )


def _statistics(question: ScaledQuestion | ChoiceQuestion) -> Statistics:
    level = "nominal" if isinstance(question, ChoiceQuestion) else question.level
    found: Statistics = {
        f"krippendorff_alpha_{level}": partial(krippendorff_alpha, level=level),
        "percent_agreement": percent_agreement,
        "unanimous_share": unanimous_share,
    }
    if isinstance(question, RatingQuestion) and question.values[-1] - question.values[0] > 1:
        found["within_one_agreement"] = within_one_agreement
    return {**found, "fleiss_kappa": fleiss_kappa}


def in_words(result: Result, sheet: AnySheet) -> Result:
    """The result with the sentence of this study: what one rating per unit means, what the category of a choice is."""
    if result.reason == "no_pairable_units":
        one = f"not estimable: one rating per {sheet.question.target}"
        result = replace(result, note=one if result.n_ratings else "not estimable: there are no ratings")
    if isinstance(sheet.question, ChoiceQuestion):
        result = replace(result, method=f"{result.method}; {CATEGORY}" if result.method else CATEGORY)
    return result
