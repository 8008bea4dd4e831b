"""Forced choices."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import combinations

import numpy as np
import pandas as pd

from app.analysis.data.answers import NEITHER, RESPONSE, TIE, Choices
from app.analysis.data.encoded_study import Bools, Floats, Ints
from app.analysis.data.question_data import ChoiceData, ScaledData
from app.analysis.data.scopes import distinct_groups, with_answers
from app.analysis.estimate import Estimate, Scope
from app.analysis.sections.choice_models import UNKNOWN_SIDES, choice_models
from app.analysis.statistic import Column, PageTable, Recorded, Statistic, declare
from app.stats.choice import preference_shares as stats
from app.stats.choice.preference_shares import coherence as share_coherent
from app.stats.clusters import for_new_items, has_few_raters
from app.stats.proportions import binomial_intervals as binomial
from app.stats.result import Method, Result, undefined

Found = tuple[str, Result]


# Forced choices: shares preferred, ties, neither, and the effect of the side of the screen.

SECTION = "choice"
THESE_RATERS = "these raters only"
INDEPENDENT = "decisive choices, each counted as independent, although items and raters recur"
BINOMIAL = (binomial.wilson, binomial.wilson_cc, binomial.clopper_pearson)
TWO = 2

_statistic = partial(Statistic, docs="comparison")
declare(
    _statistic(
        "share_preferred",
        "Share preferred",
        "share",
        no_difference=0.5,
        tests={
            "share_preferred": Recorded(unit="choice"),
            "share_preferred_wilson_cc": Recorded(unit="choice", procedure="wilson_cc"),
        },
        at_equal_length="share_preferred_at_equal",
        is_of_choices=True,
    ),
    _statistic("win_share", "Share of choices won", "share"),
    _statistic("lose_share", "Share of choices lost", "share"),
    _statistic("tie_share", "Share of ties", "share"),
    _statistic("neither_share", "Share choosing neither", "share"),
    _statistic("first_side_share", "Share choosing the left side", "share"),
    _statistic("choice_coherence", "Choices consistent with the rater's own ratings", "share"),
)
PREFERENCES = PageTable(
    "Shares preferred, with 95% CIs",
    (
        Column("Share preferred", ("share_preferred",)),
        Column("Won", ("win_share",)),
        Column("Tied", ("tie_share",)),
        Column("Lost", ("lose_share",)),
        Column("Adjusted for length", ("share_preferred_at_equal",), covariate="length"),
        Column("Adjusted for side", ("share_preferred_at_equal",), covariate="side"),
        Column("Mixed model", ("share_preferred_glmm",)),
    ),
)
POSITION = PageTable(
    "Position and consistency",
    (
        Column("Left side chosen", ("first_side_share",)),
        Column("Neither", ("neither_share",)),
        Column("Consistent with own ratings", ("choice_coherence",)),
        Column("Strength of preference", ("preference_strength",)),
    ),
)


def choice(data: ChoiceData) -> Iterator[Estimate]:
    """Yield for each source the share preferred over the reference, then ties, neither and first side, then models.

    With more than two sources, also each source against all others, and every other pair.
    """
    reference, many = data.reference, len(data.sources) > TWO
    for group, answers in with_answers(distinct_groups(data.codes), data.answers):
        others = [source for source in data.sources if source != reference] if reference is not None else []
        for source in others:
            yield from _preferred(data, answers, {**group.scope, "source": source, "reference": str(reference)})
        for source in data.sources if many else ():
            yield from _preferred(data, answers, {**group.scope, "source": source})
        for first, second in combinations(others, 2) if many else ():
            yield from _preferred(data, answers, {**group.scope, "source": second, "reference": first}, is_brief=True)
        yield from _without_sources(data, answers, group.scope)
        yield from choice_models(data, answers, group.scope)


def _preferred(data: ChoiceData, answers: Choices, scope: Scope, *, is_brief: bool = False) -> Iterator[Estimate]:
    """Yield the share with each interval, and with ties the shares won, tied and lost; if `is_brief`, the main one."""
    mine = data.code_of(scope["source"])
    part = answers.select(is_between(answers, mine, data.code_of(scope["reference"]) if "reference" in scope else None))
    outcome = outcomes(part, mine)
    has_ties = bool(data.question.tie or (part.outcome == TIE).any())
    what = "ties as half" if has_ties else "no ties"
    found = [_named(stats.share_preferred(outcome, **part.where), what)]
    if has_few_raters(found[0]):
        alone = stats.share_preferred(outcome, item=part.item, rater=part.item)
        found.append(for_new_items(_named(alone, what), THESE_RATERS))
    if has_ties:
        found.append(_named(stats.share_decisive(outcome, **part.where), "decisive choices only"))
    found += [_named(stats.share_decisive_unclustered(outcome, method), INDEPENDENT) for method in BINOMIAL]
    counts = [int((outcome == kind).sum()) for kind in (stats.WON, stats.TIE, stats.NEITHER, stats.LOST)]
    compared = part.compared
    for result in found[:1] if is_brief else found:
        yield data.record(
            result,
            part,
            section=SECTION,
            scope=scope,
            statistic="share_preferred",
            unit="choice",
            counts=counts,
            compared=compared,
        )
    if has_ties and not is_brief and "reference" in scope:
        shares = (("win_share", stats.win_share), ("tie_share", stats.tie_share), ("lose_share", stats.lose_share))
        yield from _records(data, part, scope, [(name, of(outcome, **part.where)) for name, of in shares])


def _without_sources(data: ChoiceData, answers: Choices, scope: Scope) -> Iterator[Estimate]:
    outcome = np.choose(answers.outcome, [stats.WON, stats.TIE, stats.NEITHER])
    found: list[Found] = []
    if data.question.tie or (answers.outcome == TIE).any():
        found.append(("tie_share", stats.tie_share(outcome, **answers.where)))
    if data.question.neither or (answers.outcome == NEITHER).any():
        found.append(("neither_share", stats.neither_share(outcome, **answers.where)))
    if np.isfinite(answers.is_left).any() or not len(answers.value):
        found.append(("first_side_share", stats.first_side_share(answers.is_left, **answers.where)))
    else:
        found.append(
            (
                "first_side_share",
                undefined("no_pairable_units", UNKNOWN_SIDES, method=Method(words="share of choices"), n_units=0),
            )
        )
    yield from _records(data, answers, scope, found)


def is_between(answers: Choices, mine: int, reference: int | None) -> Bools:
    """Return whether a choice was between the source and the reference, or any other source if that is None."""
    is_one, is_other = answers.one == mine, answers.other == mine
    if reference is None:
        return np.asarray(is_one ^ is_other)
    return np.asarray((is_one & (answers.other == reference)) | (is_other & (answers.one == reference)))


def outcomes(answers: Choices, mine: int) -> Ints:
    """Return each choice from the perspective of a source: WON, LOST, TIE or NEITHER."""
    decisive = np.where(answers.chosen == mine, stats.WON, stats.LOST)
    is_tie = answers.outcome == TIE
    return np.where(answers.outcome == RESPONSE, decisive, np.where(is_tie, stats.TIE, stats.NEITHER))


def choices_between(choices: Choices, mine: int, theirs: int) -> tuple[Choices, Floats]:
    """The choices between two sources, without *neither*, and 1 for the first, 0 for the second, .5 for a tie."""
    part = choices.select(is_between(choices, mine, theirs) & (choices.outcome != NEITHER))
    worth = np.select([part.outcome == RESPONSE, part.outcome == TIE], [(part.chosen == mine) * 1.0, 0.5], np.nan)
    return part, worth


def against_reference(votes: ChoiceData) -> Iterator[tuple[Scope, Choices]]:
    """Each source against the reference: the choices between the two, with what each says as its value."""
    for source in votes.sources if votes.reference is not None else ():
        if source != votes.reference:
            part, worth = choices_between(votes.answers, votes.code_of(source), votes.code_of(str(votes.reference)))
            yield {"source": source, "reference": str(votes.reference)}, replace(part, value=worth)


def _named(result: Result, what: str) -> Result:
    return replace(result, method=result.method.with_words(f": {what}"))


def _records(data: ChoiceData, answers: Choices, scope: Scope, found: list[Found]) -> Iterator[Estimate]:
    for statistic, result in found:
        yield data.record(result, answers, section=SECTION, scope=scope, statistic=statistic, unit="choice")


# Whether the choices of raters are consistent with their own ratings.


def coherence(votes: ChoiceData, ratings: ScaledData) -> Iterator[Estimate]:
    """Yield how often the chosen response is the one that the same rater rated higher.

    Nothing if the question is not about responses, or if no rater gave both choices and ratings.
    """
    if ratings.question.rated != "response":
        return
    gap = _gaps(votes, ratings)
    if not np.isfinite(gap).any():
        return
    at = replace(votes.answers, strength=gap)
    for group, answers in with_answers(distinct_groups(votes.codes), at):
        found = share_coherent(answers.strength, **answers.where)
        n_equal, n = int((answers.strength == 0).sum()), int(np.isfinite(answers.strength).sum())
        note = f"{n_equal} of {n} choices are between responses rated the same and are left out. {found.note}".strip()
        found, scope = replace(found, note=note), Scope(**group.scope, covariate=ratings.question.key)
        yield votes.record(found, answers, section=SECTION, scope=scope, statistic="choice_coherence", unit="choice")


def _gaps(votes: ChoiceData, ratings: ScaledData) -> Floats:
    """Return the rating of the chosen response minus that of the other, by the same rater; nan if one is missing."""
    answers = votes.answers
    chosen = votes.codes.rows.chosen[answers.row]
    other = np.where(answers.one_response == chosen, answers.other_response, answers.one_response)
    rated = _mean_of_each(ratings.answers.unit, ratings.answers.rater, ratings.answers.value)
    of_chosen, of_other = (_look_up(rated, response, answers) for response in (chosen, other))
    return np.where(chosen >= 0, of_chosen - of_other, np.nan)


def _mean_of_each(response: Ints, rater: Ints, value: Floats) -> pd.Series[float]:
    """Return each rater's rating of each response; the mean if there are ratings in several conditions."""
    return pd.Series(value).groupby([response, rater], sort=False).mean()


def _look_up(rated: pd.Series[float], response: Ints, answers: Choices) -> Floats:
    wanted = pd.MultiIndex.from_arrays([response, answers.rater])
    return np.asarray(rated.reindex(wanted), dtype=np.float64)
