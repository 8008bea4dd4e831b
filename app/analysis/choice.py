"""Forced choices: who is preferred, how often nobody is, and whether the side of the screen decides."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from app.analysis.answers import NEITHER, RESPONSE, TIE
from app.analysis.scopes import distinct_groups, with_answers
from app.stats import binomial
from app.stats import choice as stats
from app.stats.result import undefined

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.analysis.answers import Choices
    from app.analysis.codes import Bools, Ints
    from app.analysis.figure import Figure, Scope
    from app.analysis.sheet import ChoiceSheet
    from app.stats.result import Result

    Found = tuple[str, Result]

SECTION = "choice"
INDEPENDENT = "decisive choices, each counted as independent: items and raters that come more than once are ignored"
UNKNOWN_SIDES = "not estimable: it is not known which response stood on which side"
BINOMIAL = (binomial.wilson, binomial.wilson_cc, binomial.clopper_pearson)
TWO = 2


def choice(sheet: ChoiceSheet) -> Iterator[Figure]:
    """For each source against the reference the share preferred, then tie, neither and first side.

    Where more than two sources meet, each also against whatever it met.
    """
    for group, answers in with_answers(distinct_groups(sheet.codes), sheet.answers):
        for source in sheet.sources:
            if sheet.reference is not None and source != sheet.reference:
                yield from _preferred(sheet, answers, {**group.scope, "source": source, "reference": sheet.reference})
        if len(sheet.sources) > TWO:
            for source in sheet.sources:
                yield from _preferred(sheet, answers, {**group.scope, "source": source})
        yield from _without_sources(sheet, answers, group.scope)


def _preferred(sheet: ChoiceSheet, answers: Choices, scope: Scope) -> Iterator[Figure]:
    mine = sheet.code_of(scope["source"])
    part = answers.select(
        _is_between(answers, mine, sheet.code_of(scope["reference"]) if "reference" in scope else None)
    )
    outcome = outcomes(part, mine)
    found = [_named(stats.share_preferred(outcome, **part.where), "ties as half")]
    if sheet.question.tie or (part.outcome == TIE).any():
        found.append(_named(stats.share_decisive(outcome, **part.where), "decisive choices only"))
    found += [_named(stats.share_decisive_unclustered(outcome, method), INDEPENDENT) for method in BINOMIAL]
    counts = [int((outcome == kind).sum()) for kind in (stats.WON, stats.TIE, stats.NEITHER, stats.LOST)]
    for result in found:
        yield sheet.record(
            result, part, section=SECTION, scope=scope, statistic="share_preferred", unit="choice", counts=counts
        )


def _without_sources(sheet: ChoiceSheet, answers: Choices, scope: Scope) -> Iterator[Figure]:
    outcome = np.choose(answers.outcome, [stats.WON, stats.TIE, stats.NEITHER])
    found: list[Found] = []
    if sheet.question.tie or (answers.outcome == TIE).any():
        found.append(("tie_share", stats.tie_share(outcome, **answers.where)))
    if sheet.question.neither or (answers.outcome == NEITHER).any():
        found.append(("neither_share", stats.neither_share(outcome, **answers.where)))
    if np.isfinite(answers.is_left).any() or not len(answers.value):
        found.append(("first_side_share", stats.first_side_share(answers.is_left, **answers.where)))
    else:
        found.append(("first_side_share", undefined("no_pairable_units", UNKNOWN_SIDES, n_units=0)))
    yield from _records(sheet, answers, scope, found)


def _is_between(answers: Choices, mine: int, reference: int | None) -> Bools:
    is_one, is_other = answers.one == mine, answers.other == mine
    if reference is None:
        return np.asarray(is_one ^ is_other)
    return np.asarray((is_one & (answers.other == reference)) | (is_other & (answers.one == reference)))


def outcomes(answers: Choices, mine: int) -> Ints:
    """Each choice from the view of a source: WON, LOST, TIE or NEITHER."""
    decisive = np.where(answers.chosen == mine, stats.WON, stats.LOST)
    is_tie = answers.outcome == TIE
    return np.where(answers.outcome == RESPONSE, decisive, np.where(is_tie, stats.TIE, stats.NEITHER))


def _named(result: Result, what: str) -> Result:
    return replace(result, method=f"{result.method}: {what}")


def _records(sheet: ChoiceSheet, answers: Choices, scope: Scope, found: list[Found]) -> Iterator[Figure]:
    for statistic, result in found:
        yield sheet.record(result, answers, section=SECTION, scope=scope, statistic=statistic, unit="choice")
