"""Agreement between raters."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from app.analysis.data.answers import UNITS, Answers
from app.analysis.data.question_data import AnyQuestionData, ScaledData
from app.analysis.data.scopes import groups, with_answers
from app.analysis.data.splits import Split
from app.analysis.estimate import Estimate, Scope
from app.analysis.minimum_data import BEYOND_CHANCE
from app.analysis.sections.coefficients import coefficients
from app.analysis.statistic import Statistic, declare
from app.protocol.questions.registry import PreferenceQuestion, ScaledQuestion
from app.stats.reliability.decision import g_coefficient, one_way_coefficient, phi_coefficient, raters_needed
from app.stats.result import Method, Result, with_method

# Agreement per question, pooled and per source, for all human raters, each pool, and the model judges.

SECTION = "agreement"
CATEGORY = "category: the response within its item in the order of responses.csv, then tie and neither"

declare(
    Statistic(
        "phi_coefficient",
        "Phi: reliability of the mean (severity counted as error)",
        "coefficient",
        docs="contrasts",
        cites=("brennan2001",),
        minimum=BEYOND_CHANCE,
    ),
    Statistic(
        "g_coefficient",
        "G: reliability of the ranking of the means",
        "coefficient",
        docs="contrasts",
        cites=("brennan2001",),
        minimum=BEYOND_CHANCE,
    ),
    Statistic(
        "raters_needed",
        "Ratings per response for a reliability of .8",
        "count",
        docs="contrasts",
        cites=("brennan2001", "shrout1979"),
        minimum=BEYOND_CHANCE,
    ),
)


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
    if isinstance(data.question, PreferenceQuestion):
        result = replace(result, method=result.method.with_words(f"; {CATEGORY}" if result.method else CATEGORY))
    return result


# The reliability of the mean rating of a response, and the number of raters needed for a reliability of .8.

TARGET = 0.8


def reliability(data: ScaledData) -> Iterator[Estimate]:
    """Yield, for human raters, each source and then all: a difference between sources inflates the pooled estimate."""
    if data.question.target == "rater":
        return
    answers = groups(data.codes)[0].of(data.answers)
    for source in data.sources if len(data.sources) > 1 else ():
        part = answers.of_source(data.code_of(source)).with_own_first
        yield from _decision(data, part, {"source": source})
    yield from _decision(data, answers, {})


def _decision(data: ScaledData, answers: Answers, scope: Scope) -> Iterator[Estimate]:
    """Yield Phi and G for the rounded mean number of ratings per unit, and the raters needed for .8 by Phi.

    If every rater has units of their own, severity cannot be separated from noise; Phi is then the one-way coefficient.
    """
    sizes = answers.ratings.sizes()
    n = max(round(sizes["n_ratings"] / max(sizes["n_units"], 1)), 1)
    unit, ratings = UNITS[data.question.target], answers.ratings
    phi, needed = phi_coefficient(ratings, n), raters_needed(ratings, TARGET)
    if phi.reason == "singular":
        phi, needed = one_way_coefficient(ratings, n), raters_needed(ratings, TARGET, coefficient="one_way")
    found = {"phi_coefficient": phi, "g_coefficient": g_coefficient(ratings, n), "raters_needed": needed}
    for statistic, result in found.items():
        named = with_method(result, Method(words="decision_study"))
        yield data.record(named, answers, section=SECTION, scope=scope, statistic=statistic, unit=unit)
