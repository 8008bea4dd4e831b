"""How reliable the mean of a response's ratings is, and how many raters a reliability of .8 takes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.analysis.data.answers import UNITS
from app.analysis.data.scopes import groups
from app.stats.reliability.decision import g_coefficient, one_way_coefficient, phi_coefficient, raters_needed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.analysis.data.answers import Answers
    from app.analysis.data.question_data import ScaledSheet
    from app.analysis.estimate import Estimate, Scope

SECTION = "agreement"
TARGET = 0.8


def reliability(sheet: ScaledSheet) -> Iterator[Estimate]:
    """Of persons, for each source and then over all: a difference between sources makes the pooled figure higher."""
    if sheet.question.target == "rater":
        return
    answers = groups(sheet.codes)[0].of(sheet.answers)
    for source in sheet.sources if len(sheet.sources) > 1 else ():
        part = answers.within(answers.source == sheet.code_of(source))
        yield from _decision(sheet, part, {"source": source})
    yield from _decision(sheet, answers, {})


def _decision(sheet: ScaledSheet, answers: Answers, scope: Scope) -> Iterator[Estimate]:
    """Phi and G of the mean of as many ratings as a unit has, rounded; raters needed for .8 by Phi.

    Raters who each have units of their own cannot be told from noise: Phi is then the one-way coefficient.
    """
    sizes = answers.ratings.sizes()
    n = max(round(sizes["n_ratings"] / max(sizes["n_units"], 1)), 1)
    unit, ratings = UNITS[sheet.question.target], answers.ratings
    phi, needed = phi_coefficient(ratings, n), raters_needed(ratings, TARGET)
    if phi.reason == "singular":
        phi, needed = one_way_coefficient(ratings, n), raters_needed(ratings, TARGET, coefficient="one_way")
    found = {"phi_coefficient": phi, "g_coefficient": g_coefficient(ratings, n), "raters_needed": needed}
    for statistic, result in found.items():
        yield sheet.record(result, answers, section=SECTION, scope=scope, statistic=statistic, unit=unit)
