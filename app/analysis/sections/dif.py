"""Differential item functioning: whether a question of a composite works differently for one group of raters."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from app.analysis.data.encoded_study import Bools
from app.analysis.data.question_data import TOO_MANY, ScaledData
from app.analysis.data.splits import groups_of_raters
from app.analysis.estimate import Estimate, Scope
from app.analysis.sections.composites import Table
from app.analysis.sections.study_data import StudyData
from app.analysis.statistic import Statistic, declare
from app.stats.raters.dif import METHOD, Dif, dif
from app.stats.result import Result, undefined

SECTION = "contrast"
MIN_QUESTIONS = 3
NO_GROUPS = "raters.csv has no groups of at least two raters in {name}."
FEW = "The trait is the mean of the other questions, and at least two are needed."

declare(
    Statistic(
        "dif_odds_ratio",
        "Uniform DIF: odds ratio of a higher rating",
        "ratio",
        docs="contrasts",
        cites=("zumbo1999",),
        no_difference=1.0,
    ),
    Statistic("dif_nonuniform", "Nonuniform DIF: chi-square", "test", docs="contrasts", cites=("zumbo1999",)),
    Statistic("dif_total", "Uniform and nonuniform DIF: chi-square", "test", docs="contrasts", cites=("zumbo1999",)),
    Statistic("dif_r2_change", "DIF: change in R²", "slope", docs="contrasts", cites=("jodoin2001", "zumbo1999")),
)


def differential(study: StudyData) -> Iterator[Estimate]:
    """Yield tests of each question of each composite: each declared group of human raters against all others."""
    for name in study.protocol.analysis.rater_groups:
        found = groups_of_raters(study.codes, name)
        for data, table in study.composites:
            for column, question in enumerate(table.questions):
                asked = replace(data, question=question, is_composite=False)
                persons = ~study.codes.raters.is_model[table.at.rater]
                if not found:
                    why = undefined("no_variation", NO_GROUPS.format(name=name), method=METHOD)
                    yield from _records(asked, table, persons, {"covariate": name}, _same(why))
                for level, has_rater in found:
                    scope: Scope = {"subgroup": {name: level}, "covariate": data.question.key}
                    tests = _tests(table, column, persons, has_rater, is_light=data.is_light)
                    yield from _records(asked, table, persons, scope, tests)


def _tests(table: Table, column: int, persons: Bools, has_rater: Bools, *, is_light: bool) -> Dif:
    if len(table.questions) < MIN_QUESTIONS:
        return _same(undefined("no_pairable_units", FEW, method=METHOD))
    if not is_light:
        return _same(undefined("not_run", TOO_MANY, method=METHOD))
    part = table.select(persons)
    others = np.delete(part.turned, column, axis=1)
    trait = np.where(np.isfinite(others).all(axis=1), others.mean(axis=1), np.nan)
    # as rated: of a reversed question, too, the odds are those of a higher rating
    return dif(part.rated[:, column], trait, has_rater[part.at.rater], **part.at.where)


def _same(found: Result) -> Dif:
    return Dif(found, found, found, found)


def _records(data: ScaledData, table: Table, persons: Bools, scope: Scope, tests: Dif) -> Iterator[Estimate]:
    named = {
        "dif_odds_ratio": tests.uniform,
        "dif_nonuniform": tests.nonuniform,
        "dif_total": tests.total,
        "dif_r2_change": tests.r2_change,
    }
    for statistic, found in named.items():
        yield data.record(
            found, table.at.select(persons), section=SECTION, scope=scope, statistic=statistic, unit="rating"
        )
