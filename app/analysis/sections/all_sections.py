"""All estimates of a report, by section."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from app.analysis.data.question_data import ScaledData
from app.analysis.estimate import Estimate
from app.analysis.sections.agreement import agreement, agreement_by, reliability
from app.analysis.sections.answer_keys import answer_key_estimates
from app.analysis.sections.attrition import attrition
from app.analysis.sections.belief import beliefs_of, detection, effects
from app.analysis.sections.categories import categories
from app.analysis.sections.changes import changes
from app.analysis.sections.choice import choice, coherence
from app.analysis.sections.code_differences import code_differences
from app.analysis.sections.comparison import ORDINAL_TEST, comparison
from app.analysis.sections.composites import composites, table_of
from app.analysis.sections.conjoint import conjoint
from app.analysis.sections.covariates import covariates
from app.analysis.sections.dif import differential
from app.analysis.sections.dimensions import dimensions
from app.analysis.sections.disagreement import disagreement
from app.analysis.sections.distribution import distribution
from app.analysis.sections.empathic import empathic
from app.analysis.sections.factor_structure import composite_factors
from app.analysis.sections.factors import attributes, factors
from app.analysis.sections.heterogeneity import heterogeneity
from app.analysis.sections.highlights import highlights
from app.analysis.sections.item_attributes import item_attributes
from app.analysis.sections.judges.balance import sample_balance
from app.analysis.sections.judges.drift import drift
from app.analysis.sections.judges.model_judges import judges
from app.analysis.sections.judges.other_together import other_together
from app.analysis.sections.latent_categories import truth
from app.analysis.sections.pairs import percent, source_pairs
from app.analysis.sections.pairwise_kappas import kappas
from app.analysis.sections.pools import pools, pools_on_changes, pools_on_choices, pools_on_codes
from app.analysis.sections.rankings import rankings
from app.analysis.sections.rater_profiles import raters, severities
from app.analysis.sections.repeats import repeats
from app.analysis.sections.sensitivity import sensitivity
from app.analysis.sections.session_times import RatingSessions, rating_sessions
from app.analysis.sections.specifications import specifications
from app.analysis.sections.study_data import StudyData
from app.analysis.sections.subgroups import choice_subgroups, not_split, subgroups, with_split
from app.analysis.sections.texts import ratings_and_texts, texts
from app.analysis.sections.turns import turns
from app.analysis.sections.without_flagged import without_flagged
from app.protocol.primary import TESTS, Compared, PrimaryContrast


def estimates_of(study: StudyData, watch: Callable[[int, int], None]) -> Iterator[Estimate]:
    """Yield all estimates; the sections are not in order. `watch` is told how many parts of how many are done."""
    for n_done, part in enumerate(_PARTS):
        watch(n_done, len(_PARTS))
        yield from part(study)


def _compared(study: StudyData) -> Iterator[Estimate]:
    for data in study.numbers:
        yield from distribution(data)
        yield from comparison(data)


def _composed(study: StudyData) -> Iterator[Estimate]:
    for data, table in study.composites:
        yield from composites(data, table)
        yield from composite_factors(data, table, study.protocol)


def _dimensions(study: StudyData) -> Iterator[Estimate]:
    for of_one_target in study.by_target():
        questions = [data.question for data in of_one_target]
        yield from dimensions(of_one_target, table_of(study.codes, questions))


def _ranked(study: StudyData) -> Iterator[Estimate]:
    for ranks in study.rankings:
        yield from rankings(ranks)


def _texts(study: StudyData) -> Iterator[Estimate]:
    yield from texts(study)
    for data in study.numbers:
        yield from ratings_and_texts(data, study.covariates)


def _judged(study: StudyData) -> Iterator[Estimate]:
    if study.codes.raters.is_model.any():
        for shown in study.with_showings.every:
            yield from judges(shown, study.protocol)
        yield from other_together(study.with_showings)
        yield from sample_balance(study.with_showings)
        if study.over_time is not None:
            yield from drift(study.over_time)


def _split(study: StudyData) -> Iterator[Estimate]:
    """Yield estimates by condition, shown label and attribute, and the reason for attributes that are not split by."""
    for split in study.splits:
        for data in study.numbers:
            if split in study.splits_of(data):
                yield from with_split(subgroups(data, split), split)
        for votes in study.choices:
            yield from with_split(choice_subgroups(votes, split), split)
    for name, why in study.splits_left_out.items():
        for data in study.numbers:
            yield not_split(data, name, why)
        for votes in study.choices:
            yield not_split(votes, name, why)


def _contrasts(study: StudyData) -> Iterator[Estimate]:
    """Yield the contrasts, apart from source against reference, that the design and the data allow."""
    scores = study.scores
    for data in study.numbers:
        yield from source_pairs(data)
        yield from percent(data)
        yield from factors(data, study.designed_splits_of(data), study.protocol.conditions)
        yield from attributes(data, study.protocol)
        yield from pools(data, study.protocol)
        yield from covariates(data, scores)
        yield from reliability(data)
    for data in study.scaled:
        yield from turns(data, study.scaled)
    for asked in study.categories:
        yield from code_differences(asked, study.protocol)
        yield from answer_key_estimates(asked, study.splits)
        yield from pools_on_codes(asked, study.protocol)
    for votes in study.choices:
        yield from pools_on_choices(votes, study.protocol)
    for one_kind in (changes, pools_on_changes, item_attributes, conjoint, empathic, differential, highlights):
        yield from one_kind(study)


def _agreed(study: StudyData) -> Iterator[Estimate]:
    """Yield agreement, overall and in each condition, and disagreement."""
    for data in study.every:
        yield from agreement(data)
        if study.codes.raters.are_known:
            yield from kappas(data)
        for split in study.designed_splits_of(data):
            yield from agreement_by(data, split)
        yield from disagreement(data)


def _of_raters(study: StudyData) -> Iterator[Estimate]:
    """Yield times and checks, main estimates without flagged raters, then the profile of each rater by question."""
    if not study.codes.raters.are_known:
        return
    known = RatingSessions(study.codes, study.frames, study.protocol, study.flagged)
    yield from rating_sessions(known)
    for data in study.every:
        yield from without_flagged(data, known.flagged)
    for data in study.every:
        yield from raters(data, known.flagged)
    for one in study.scaled if study.protocol.analysis.many_facet else ():
        yield from severities(one)
    if study.has_repeats:
        for again in study.with_repeats.every:
            yield from repeats(again)
    for data in study.every:
        yield from truth(data)


def _choices(study: StudyData) -> Iterator[Estimate]:
    for votes in study.choices:
        yield from choice(votes)
        for data in study.numbers:
            yield from coherence(votes, data)


def _codes_given(study: StudyData) -> Iterator[Estimate]:
    """Yield shares of codes and, if the protocol asks who wrote a response, the effects of the raters' beliefs."""
    for asked in study.categories:
        yield from categories(asked)
        beliefs = beliefs_of(study.protocol, asked)
        if beliefs is not None:
            yield from detection(beliefs)
            for data in study.scaled:
                if data.question.target == "response":
                    yield from effects(data, beliefs)


_PARTS = (
    _compared,
    _composed,
    _dimensions,
    _choices,
    _ranked,
    _codes_given,
    _split,
    _contrasts,
    _texts,
    _agreed,
    _of_raters,
    attrition,
    sensitivity,
    specifications,
    heterogeneity,
    _judged,
)


# Only the sections with the primary contrasts of a study, for a fast first answer.


def estimates_for(study: StudyData, contrasts: Iterable[PrimaryContrast]) -> Iterator[Estimate]:
    """Yield the estimates of the sections with these contrasts; they are the same as in the whole report.

    Ordinal models, which take most of the time, are fitted where they are a test of these contrasts.
    """
    asked = list(contrasts)
    study = replace(study, fits_ordinal=any(one.test == ORDINAL_TEST for one in asked))
    for compared, key in dict.fromkeys((TESTS[str(one.test)].compares, one.question) for one in asked):
        yield from SECTIONS[compared](study, key)


def _numbers(study: StudyData, key: str) -> Iterator[ScaledData]:
    yield from (data for data in study.numbers if data.question.key == key)


def _sources(study: StudyData, key: str) -> Iterator[Estimate]:
    for data in _numbers(study, key):
        yield from comparison(data, fits_ordinal=study.fits_ordinal)
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
    for asked in study.categories:
        if asked.question.key == key:
            yield from pools_on_codes(asked, study.protocol)
    for votes in study.choices:
        if votes.question.key == key:
            yield from pools_on_choices(votes, study.protocol)
    for one_kind in (pools_on_changes, highlights, empathic):
        yield from (estimate for estimate in one_kind(study) if estimate.question == key)


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


def _agreement(study: StudyData, key: str) -> Iterator[Estimate]:
    for data in study.every:
        if data.question.key == key:
            yield from agreement(data)


def _about(section: Callable[[StudyData], Iterable[Estimate]]) -> Callable[[StudyData, str], Iterator[Estimate]]:
    """The estimates of a section that are about one question."""
    return lambda study, key: (estimate for estimate in section(study) if estimate.question == key)


def _of_texts(study: StudyData, key: str) -> Iterator[Estimate]:
    yield from (estimate for estimate in texts(study) if estimate.scope.get("covariate") == key)


def _structure(study: StudyData, key: str) -> Iterator[Estimate]:
    for data, table in study.composites:
        if data.question.key == key:
            yield from composite_factors(data, table, study.protocol)


SECTIONS: dict[Compared, Callable[[StudyData, str], Iterator[Estimate]]] = {
    "sources": _sources,
    "factor": _factor,
    "attribute": _attribute,
    "item_attribute": _about(item_attributes),
    "pools": _pools,
    "turns": _turns,
    "covariate": _covariate,
    "belief": _belief,
    "accuracy": _accuracy,
    "agreement": _agreement,
    "change": _about(changes),
    "conjoint": _about(conjoint),
    "empathic_accuracy": _about(empathic),
    "spans": _about(highlights),
    "texts": _of_texts,
    "structure": _structure,
}
