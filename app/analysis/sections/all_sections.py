"""All estimates of a report, by section."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.analysis.sections.agreement.agreement import agreement, agreement_by
from app.analysis.sections.agreement.disagreement import disagreement
from app.analysis.sections.agreement.pairwise_kappas import kappas
from app.analysis.sections.agreement.repeats import repeats
from app.analysis.sections.belief import beliefs_of, detection, effects
from app.analysis.sections.categories import categories
from app.analysis.sections.choice.choice import choice
from app.analysis.sections.choice.coherence import coherence
from app.analysis.sections.comparison.comparison import comparison
from app.analysis.sections.comparison.composites import composites, table_of
from app.analysis.sections.comparison.dimensions import dimensions
from app.analysis.sections.comparison.distribution import distribution
from app.analysis.sections.comparison.subgroups import choice_subgroups, not_split, subgroups, with_split
from app.analysis.sections.contrasts.answer_keys import answer_key_estimates
from app.analysis.sections.contrasts.attributes import attributes
from app.analysis.sections.contrasts.changes import changes
from app.analysis.sections.contrasts.code_differences import code_differences
from app.analysis.sections.contrasts.conjoint import conjoint
from app.analysis.sections.contrasts.covariates import covariates
from app.analysis.sections.contrasts.dif import differential
from app.analysis.sections.contrasts.empathic import empathic
from app.analysis.sections.contrasts.factors import factors
from app.analysis.sections.contrasts.highlights import highlights
from app.analysis.sections.contrasts.pairs import source_pairs
from app.analysis.sections.contrasts.percent import percent
from app.analysis.sections.contrasts.pools import pools
from app.analysis.sections.contrasts.reliability import reliability
from app.analysis.sections.contrasts.turns import turns
from app.analysis.sections.judges.model_judges import judges
from app.analysis.sections.rankings import rankings
from app.analysis.sections.raters.latent_categories import truth
from app.analysis.sections.raters.rater_profiles import raters, severities
from app.analysis.sections.raters.session_times import RatingSessions, rating_sessions
from app.analysis.sections.raters.without_flagged import without_flagged
from app.analysis.sections.texts import ratings_and_texts, texts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.analysis.estimate import Estimate
    from app.analysis.sections.study_data import Sheets


def estimates_of(sheets: Sheets) -> Iterator[Estimate]:
    """Yield all estimates; the sections are not in order."""
    for sheet in sheets.numbers:
        yield from distribution(sheet)
        yield from comparison(sheet)
    for sheet, table in sheets.composites:
        yield from composites(sheet, table)
    for of_one_target in sheets.by_target():
        questions = [sheet.question for sheet in of_one_target]
        yield from dimensions(of_one_target, table_of(sheets.codes, questions))
    yield from _choices(sheets)
    for ranks in sheets.rankings:
        yield from rankings(ranks)
    yield from _codes_given(sheets)
    yield from _split(sheets)
    yield from _contrasts(sheets)
    yield from texts(sheets)
    for sheet in sheets.numbers:
        yield from ratings_and_texts(sheet, sheets.covariates)
    yield from _agreed(sheets)
    if sheets.codes.raters.are_known:
        yield from _of_raters(sheets)
    for again in sheets.with_repeats.every if sheets.codes.raters.is_model.any() else ():
        yield from judges(again, sheets.protocol)


def _split(sheets: Sheets) -> Iterator[Estimate]:
    """Yield estimates by condition, shown label and attribute, and the reason for attributes that are not split by."""
    for split in sheets.splits:
        for sheet in sheets.numbers:
            yield from with_split(subgroups(sheet, split), split)
        for votes in sheets.choices:
            yield from with_split(choice_subgroups(votes, split), split)
    for name, why in sheets.splits_left_out.items():
        for sheet in sheets.numbers:
            yield not_split(sheet, name, why)
        for votes in sheets.choices:
            yield not_split(votes, name, why)


def _contrasts(sheets: Sheets) -> Iterator[Estimate]:
    """Yield the contrasts, apart from source against reference, that the design and the data allow."""
    scores = sheets.scores
    for sheet in sheets.numbers:
        yield from source_pairs(sheet)
        yield from percent(sheet)
        yield from factors(sheet, sheets.designed_splits, sheets.protocol.conditions)
        yield from attributes(sheet, sheets.protocol)
        yield from pools(sheet)
        yield from covariates(sheet, scores)
        yield from reliability(sheet)
    for sheet in sheets.scaled:
        yield from turns(sheet, sheets.scaled)
    for asked in sheets.categories:
        yield from code_differences(asked, sheets.protocol.reference)
        yield from answer_key_estimates(asked, sheets.splits)
    for one_kind in (changes, conjoint, empathic, differential, highlights):
        yield from one_kind(sheets)


def _agreed(sheets: Sheets) -> Iterator[Estimate]:
    """Yield agreement, overall and in each condition, and disagreement."""
    for sheet in sheets.every:
        yield from agreement(sheet)
        if sheets.codes.raters.are_known:
            yield from kappas(sheet)
        for split in sheets.designed_splits:
            yield from agreement_by(sheet, split)
        yield from disagreement(sheet)


def _of_raters(sheets: Sheets) -> Iterator[Estimate]:
    """Yield times and checks, main estimates without flagged raters, then the profile of each rater by question."""
    known = RatingSessions(sheets.codes, sheets.frames, sheets.protocol)
    yield from rating_sessions(known)
    for sheet in sheets.every:
        yield from without_flagged(sheet, known.flagged)
    for sheet in sheets.every:
        yield from raters(sheet)
    for one in sheets.scaled if sheets.protocol.analysis.many_facet else ():
        yield from severities(one)
    if sheets.has_repeats:
        for again in sheets.with_repeats.every:
            yield from repeats(again)
    for sheet in sheets.every:
        yield from truth(sheet)


def _choices(sheets: Sheets) -> Iterator[Estimate]:
    for votes in sheets.choices:
        yield from choice(votes)
        for sheet in sheets.numbers:
            yield from coherence(votes, sheet)


def _codes_given(sheets: Sheets) -> Iterator[Estimate]:
    """Yield shares of codes and, if the protocol asks who wrote a response, the effects of the raters' beliefs."""
    for asked in sheets.categories:
        yield from categories(asked)
        beliefs = beliefs_of(sheets.protocol, asked)
        if beliefs is not None:
            yield from detection(beliefs)
            for sheet in sheets.scaled:
                if sheet.question.target == "response":
                    yield from effects(sheet, beliefs)
