"""Differential item functioning: whether a question of a composite works differently for one group of raters."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from app.analysis.data.question_data import TOO_MANY
from app.analysis.data.splits import groups_of_raters
from app.stats.core.result import undefined
from app.stats.raters.dif import METHOD, Dif, dif

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.analysis.data.encoded_study import Bools
    from app.analysis.data.question_data import ScaledSheet
    from app.analysis.estimate import Estimate, Scope
    from app.analysis.sections.comparison.composites import Table
    from app.analysis.sections.study_data import Sheets
    from app.stats.core.result import Result

SECTION = "contrast"
MIN_QUESTIONS = 3
NO_GROUPS = "raters.csv has no groups of at least two raters in {name}."
FEW = "The trait is the mean of the other questions, and at least two are needed."


def differential(sheets: Sheets) -> Iterator[Estimate]:
    """Yield tests of each question of each composite: each declared group of human raters against all others."""
    for name in sheets.protocol.analysis.rater_groups:
        found = groups_of_raters(sheets.codes, name)
        for sheet, table in sheets.composites:
            for column, question in enumerate(table.questions):
                asked = replace(sheet, question=question, is_composite=False)
                persons = ~sheets.codes.raters.is_model[table.at.rater]
                if not found:
                    why = undefined("no_variation", NO_GROUPS.format(name=name), method=METHOD)
                    yield from _records(asked, table, persons, {"covariate": name}, _same(why))
                for level, has_rater in found:
                    scope: Scope = {"subgroup": {name: level}, "covariate": sheet.question.key}
                    tests = _tests(table, column, persons, has_rater, is_light=sheet.is_light)
                    yield from _records(asked, table, persons, scope, tests)


def _tests(table: Table, column: int, persons: Bools, has_rater: Bools, *, is_light: bool) -> Dif:
    if len(table.questions) < MIN_QUESTIONS:
        return _same(undefined("no_pairable_units", FEW, method=METHOD))
    if not is_light:
        return _same(undefined("not_run", TOO_MANY, method=METHOD))
    part = table.select(persons)
    others = np.delete(part.turned, column, axis=1)
    trait = np.where(np.isfinite(others).all(axis=1), others.mean(axis=1), np.nan)
    return dif(part.turned[:, column], trait, has_rater[part.at.rater], **part.at.where)


def _same(found: Result) -> Dif:
    return Dif(found, found, found, found)


def _records(sheet: ScaledSheet, table: Table, persons: Bools, scope: Scope, tests: Dif) -> Iterator[Estimate]:
    named = {
        "dif_odds_ratio": tests.uniform,
        "dif_nonuniform": tests.nonuniform,
        "dif_total": tests.total,
        "dif_r2_change": tests.r2_change,
    }
    for statistic, found in named.items():
        yield sheet.record(
            found, table.at.select(persons), section=SECTION, scope=scope, statistic=statistic, unit="rating"
        )
