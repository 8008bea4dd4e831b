"""Only the sections with the primary contrasts of a study, for a fast first answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.analysis.sections.agreement.agreement import agreement
from app.analysis.sections.belief import beliefs_of, detection, effects
from app.analysis.sections.categories import categories
from app.analysis.sections.choice.choice import choice
from app.analysis.sections.comparison.comparison import comparison
from app.analysis.sections.comparison.subgroups import subgroups, with_split
from app.analysis.sections.contrasts.answer_keys import answer_key_estimates
from app.analysis.sections.contrasts.attributes import attributes
from app.analysis.sections.contrasts.changes import changes
from app.analysis.sections.contrasts.code_differences import code_differences
from app.analysis.sections.contrasts.conjoint import conjoint
from app.analysis.sections.contrasts.covariates import covariates
from app.analysis.sections.contrasts.empathic import empathic
from app.analysis.sections.contrasts.factors import factors
from app.analysis.sections.contrasts.highlights import highlights
from app.analysis.sections.contrasts.pairs import source_pairs
from app.analysis.sections.contrasts.percent import percent
from app.analysis.sections.contrasts.pools import pools
from app.analysis.sections.contrasts.turns import turns
from app.analysis.sections.rankings import rankings
from app.design.protocol.primary_tests import TESTS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from app.analysis.data.question_data import ScaledSheet
    from app.analysis.estimate import Estimate
    from app.analysis.sections.study_data import Sheets
    from app.design.protocol.primary import PrimaryContrast
    from app.design.protocol.primary_tests import Compared


def estimates_for(sheets: Sheets, contrasts: Iterable[PrimaryContrast]) -> Iterator[Estimate]:
    """Yield the estimates of the sections with these contrasts; they are the same as in the whole report."""
    for compared, key in dict.fromkeys((TESTS[str(one.test)].compares, one.question) for one in contrasts):
        yield from SECTIONS[compared](sheets, key)


def _numbers(sheets: Sheets, key: str) -> Iterator[ScaledSheet]:
    yield from (sheet for sheet in sheets.numbers if sheet.question.key == key)


def _sources(sheets: Sheets, key: str) -> Iterator[Estimate]:
    for sheet in _numbers(sheets, key):
        yield from comparison(sheet)
        yield from source_pairs(sheet)
        yield from percent(sheet)
    for votes in sheets.choices:
        if votes.question.key == key:
            yield from choice(votes)
    for ranks in sheets.rankings:
        if ranks.question.key == key:
            yield from rankings(ranks)
    for asked in sheets.categories:
        if asked.question.key == key:
            yield from code_differences(asked, sheets.protocol.reference)


def _factor(sheets: Sheets, key: str) -> Iterator[Estimate]:
    for sheet in _numbers(sheets, key):
        yield from factors(sheet, sheets.designed_splits, sheets.protocol.conditions)
        for split in sheets.designed_splits:
            yield from with_split(subgroups(sheet, split), split)


def _attribute(sheets: Sheets, key: str) -> Iterator[Estimate]:
    for sheet in _numbers(sheets, key):
        yield from attributes(sheet, sheets.protocol)


def _pools(sheets: Sheets, key: str) -> Iterator[Estimate]:
    for sheet in _numbers(sheets, key):
        yield from pools(sheet)


def _turns(sheets: Sheets, key: str) -> Iterator[Estimate]:
    for sheet in _numbers(sheets, key):
        yield from turns(sheet, sheets.scaled)


def _covariate(sheets: Sheets, key: str) -> Iterator[Estimate]:
    for sheet in _numbers(sheets, key):
        yield from covariates(sheet, sheets.scores)


def _belief(sheets: Sheets, key: str) -> Iterator[Estimate]:
    for asked in sheets.categories:
        beliefs = beliefs_of(sheets.protocol, asked)
        if beliefs is not None:
            yield from detection(beliefs)
            for sheet in _numbers(sheets, key):
                yield from effects(sheet, beliefs)


def _accuracy(sheets: Sheets, key: str) -> Iterator[Estimate]:
    for asked in sheets.categories:
        if asked.question.key == key:
            yield from categories(asked)
            yield from answer_key_estimates(asked, sheets.splits)


def _spans(sheets: Sheets, key: str) -> Iterator[Estimate]:
    yield from (estimate for estimate in highlights(sheets) if estimate.question == key)


def _change(sheets: Sheets, key: str) -> Iterator[Estimate]:
    yield from (estimate for estimate in changes(sheets) if estimate.question == key)


def _conjoint(sheets: Sheets, key: str) -> Iterator[Estimate]:
    yield from (estimate for estimate in conjoint(sheets) if estimate.question == key)


def _empathic(sheets: Sheets, key: str) -> Iterator[Estimate]:
    yield from (estimate for estimate in empathic(sheets) if estimate.question == key)


def _agreement(sheets: Sheets, key: str) -> Iterator[Estimate]:
    for sheet in sheets.every:
        if sheet.question.key.partition("=")[0] == key:
            yield from agreement(sheet)


SECTIONS: dict[Compared, Callable[[Sheets, str], Iterator[Estimate]]] = {
    "sources": _sources,
    "factor": _factor,
    "attribute": _attribute,
    "pools": _pools,
    "turns": _turns,
    "covariate": _covariate,
    "belief": _belief,
    "accuracy": _accuracy,
    "agreement": _agreement,
    "change": _change,
    "conjoint": _conjoint,
    "empathic_accuracy": _empathic,
    "spans": _spans,
}
