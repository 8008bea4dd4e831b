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
from app.design.protocol.parts.primary_tests import TESTS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from app.analysis.data.questions.question_data import ScaledData
    from app.analysis.estimate import Estimate
    from app.analysis.sections.study_data import StudyData
    from app.design.protocol.parts.primary import PrimaryContrast
    from app.design.protocol.parts.primary_tests import Compared


def estimates_for(study: StudyData, contrasts: Iterable[PrimaryContrast]) -> Iterator[Estimate]:
    """Yield the estimates of the sections with these contrasts; they are the same as in the whole report."""
    for compared, key in dict.fromkeys((TESTS[str(one.test)].compares, one.question) for one in contrasts):
        yield from SECTIONS[compared](study, key)


def _numbers(study: StudyData, key: str) -> Iterator[ScaledData]:
    yield from (data for data in study.numbers if data.question.key == key)


def _sources(study: StudyData, key: str) -> Iterator[Estimate]:
    for data in _numbers(study, key):
        yield from comparison(data)
        yield from source_pairs(data)
        yield from percent(data)
    for votes in study.choices:
        if votes.question.key == key:
            yield from choice(votes)
    for ranks in study.rankings:
        if ranks.question.key == key:
            yield from rankings(ranks)
    for asked in study.categories:
        if asked.question.key == key:
            yield from code_differences(asked, study.protocol)


def _factor(study: StudyData, key: str) -> Iterator[Estimate]:
    for data in _numbers(study, key):
        yield from factors(data, study.designed_splits_of(data), study.protocol.conditions)
        for split in study.designed_splits_of(data):
            yield from with_split(subgroups(data, split), split)


def _attribute(study: StudyData, key: str) -> Iterator[Estimate]:
    for data in _numbers(study, key):
        yield from attributes(data, study.protocol)


def _pools(study: StudyData, key: str) -> Iterator[Estimate]:
    for data in _numbers(study, key):
        yield from pools(data, study.protocol)


def _turns(study: StudyData, key: str) -> Iterator[Estimate]:
    for data in _numbers(study, key):
        yield from turns(data, study.scaled)


def _covariate(study: StudyData, key: str) -> Iterator[Estimate]:
    for data in _numbers(study, key):
        yield from covariates(data, study.scores)


def _belief(study: StudyData, key: str) -> Iterator[Estimate]:
    for asked in study.categories:
        beliefs = beliefs_of(study.protocol, asked)
        if beliefs is not None:
            yield from detection(beliefs)
            for data in _numbers(study, key):
                yield from effects(data, beliefs)


def _accuracy(study: StudyData, key: str) -> Iterator[Estimate]:
    for asked in study.categories:
        if asked.question.key == key:
            yield from categories(asked)
            yield from answer_key_estimates(asked, study.splits)


def _spans(study: StudyData, key: str) -> Iterator[Estimate]:
    yield from (estimate for estimate in highlights(study) if estimate.question == key)


def _change(study: StudyData, key: str) -> Iterator[Estimate]:
    yield from (estimate for estimate in changes(study) if estimate.question == key)


def _conjoint(study: StudyData, key: str) -> Iterator[Estimate]:
    yield from (estimate for estimate in conjoint(study) if estimate.question == key)


def _empathic(study: StudyData, key: str) -> Iterator[Estimate]:
    yield from (estimate for estimate in empathic(study) if estimate.question == key)


def _agreement(study: StudyData, key: str) -> Iterator[Estimate]:
    for data in study.every:
        if data.question.key.partition("=")[0] == key:
            yield from agreement(data)


SECTIONS: dict[Compared, Callable[[StudyData, str], Iterator[Estimate]]] = {
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
