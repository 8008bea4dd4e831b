"""The reliability of the mean rating of a response, and the number of raters needed for a reliability of .8."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.analysis.data.questions.answers import UNITS
from app.analysis.data.questions.scopes import groups
from app.stats.core.result import with_method
from app.stats.reliability.decision import g_coefficient, one_way_coefficient, phi_coefficient, raters_needed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.analysis.data.questions.answers import Answers
    from app.analysis.data.questions.question_data import ScaledData
    from app.analysis.estimate import Estimate, Scope

SECTION = "agreement"
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
        named = with_method(result, "decision_study")
        yield data.record(named, answers, section=SECTION, scope=scope, statistic=statistic, unit=unit)
