"""Models of forced choices: strengths with ties and position effect, and shares adjusted for the side."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from app.analysis.data.answers import NEITHER, TIE, Choices
from app.analysis.data.encoded_study import Bools, Floats, Ints
from app.analysis.data.question_data import TOO_MANY, ChoiceData
from app.analysis.estimate import EFFECTS, HAS_SIDE, Estimate, Scope
from app.analysis.statistic import Column, PageTable, Recorded, Statistic, declare
from app.stats.choice.controlled_shares import GLMM, preference_model, share_at_equal
from app.stats.choice.strengths import strengths, win_matrix
from app.stats.clusters import METHOD as CLUSTERED
from app.stats.comparison.describe import mean
from app.stats.result import Method, Result, undefined

SECTION = "choice"
UNKNOWN_SIDES = "not estimable: it is not known which response was on which side"
SIDE: Scope = {"covariate": "side"}
LENGTH: Scope = {"covariate": "length"}
ALWAYS = 0.95

_statistic = partial(Statistic, docs="comparison")
declare(
    _statistic(
        "bt_strength", "Strength (log ability)", "points", cites=("bradley1952", "davidson1970"), no_difference=0.0
    ),
    _statistic(
        "bt_contrast", "Difference of strengths", "points", cites=("bradley1952", "davidson1970"), no_difference=0.0
    ),
    _statistic(
        "position_effect", "Effect of the left side (log odds)", "points", cites=("davidson1977",), no_difference=0.0
    ),
    _statistic("tie_log_nu", "Tie parameter (log nu)", "points", cites=("davidson1970",)),
    _statistic("intransitive_triples", "Intransitive triples of sources", "test"),
    _statistic(
        "share_preferred_at_equal",
        "Share preferred at equal covariate",
        "share",
        cites=("dubois2024",),
        no_difference=0.5,
        is_of_choices=True,
    ),
    _statistic("covariate_log_odds", "Log odds per unit of the covariate", "points", no_difference=0.0),
    _statistic("odds_preferred_glmm", "Odds of being preferred (mixed model)", "ratio", no_difference=1.0),
    _statistic(
        "share_preferred_glmm",
        "Share preferred (mixed model)",
        "share",
        no_difference=0.5,
        tests={"share_preferred_glmm": Recorded(unit="choice")},
        is_of_choices=True,
    ),
    _statistic("preference_strength", "Mean strength of preference", "points", no_difference=0.0),
)
STRENGTHS = PageTable(
    "Strengths of the sources (log ability; the reference is 0)", (Column("Strength", ("bt_strength",)),)
)


@dataclass(frozen=True, slots=True)
class _Found:
    statistic: str
    result: Result
    scope: Scope = field(default_factory=Scope)
    detail: Mapping[str, object] = field(default_factory=dict)


def choice_models(data: ChoiceData, answers: Choices, scope: Scope) -> Iterator[Estimate]:
    """Yield Davidson's strengths, and for each source against the reference the models of two sources."""
    if data.reference is None:
        return
    between = answers.select((answers.one >= 0) & (answers.other >= 0) & (answers.one != answers.other))
    yield from _records(data, between, scope, _strengths(data, between, data.reference))
    reference = data.code_of(data.reference)
    for source in data.sources:
        if source != data.reference:
            mine = data.code_of(source)
            pair = between.select(_are_in(between, mine) & _are_in(between, reference))
            of_two: Scope = {**scope, "source": source, "reference": data.reference}
            yield from _records(data, pair, of_two, _of_two(data, pair, mine))


def _strengths(data: ChoiceData, answers: Choices, reference: str) -> Iterator[_Found]:
    """Yield log abilities against the reference, contrasts of the others, position effect, intransitive triples."""
    kept = answers.select(answers.outcome != NEITHER)
    has_sides = bool(np.isfinite(kept.one_is_left).all()) and len(kept.value) > 0
    is_one_left = kept.one_is_left == 1 if has_sides else np.ones(len(kept.value), dtype=bool)
    left, right = np.where(is_one_left, kept.one, kept.other), np.where(is_one_left, kept.other, kept.one)
    won = _won(kept, left)
    n = len(data.sources)
    found = strengths(
        left, right, won, n_sources=n, reference=data.code_of(reference), has_position=has_sides, **kept.where
    )
    for source, result in zip(data.sources, found.strengths, strict=True):
        yield _Found("bt_strength", result, {"source": source, "reference": reference})
    others = [source for source in data.sources if source != reference]
    for place, first in enumerate(others):
        for second in others[place + 1 :]:
            contrast = found.contrasts[data.code_of(second)][data.code_of(first)]
            yield _Found("bt_contrast", contrast, {"source": second, "reference": first})
    unknown = undefined("no_pairable_units", UNKNOWN_SIDES, method=CLUSTERED, n_units=0)
    yield _Found("position_effect", found.position if has_sides and found.position else unknown)
    if found.log_nu is not None:
        # that it is 0 is nobody's hypothesis, and no finding if it is not
        yield _Found("tie_log_nu", replace(found.log_nu, p_value=None))
    if n > 2:  # noqa: PLR2004 - a triple needs three
        circles, triples = win_matrix(left, right, won, n_sources=n).n_intransitive
        words = f"out of {triples} triples of sources that were all compared with each other"
        yield _Found("intransitive_triples", Result(float(circles), Method(words="majorities"), note=words))


def _of_two(data: ChoiceData, answers: Choices, mine: int) -> Iterator[_Found]:
    won = _won(answers, np.full(len(answers.value), mine))
    is_left = np.where(answers.one == mine, answers.one_is_left, 1 - answers.one_is_left)
    covariates = (is_left - 0.5)[np.newaxis]
    has_sides = bool(np.isfinite(is_left).any())
    if has_sides:
        yield from _at_equal(answers, won, covariates[0], SIDE)
    yield from _at_equal_length(data, answers, won, mine)
    if data.is_light:
        model = preference_model(won, covariates if has_sides else covariates[:0], **answers.where)
        yield _Found("odds_preferred_glmm", model.odds, detail={HAS_SIDE: has_sides})
        yield _Found("share_preferred_glmm", model.share, detail={EFFECTS: tuple(model.sds or ())})
    else:
        yield _Found("odds_preferred_glmm", undefined("not_run", TOO_MANY, method=GLMM), detail={HAS_SIDE: has_sides})
    if data.question.strength is not None:
        yield _Found("preference_strength", _strength(answers, mine))


def _at_equal(answers: Choices, won: Floats, covariate: Floats, scope: Scope, note: str = "") -> Iterator[_Found]:
    controlled = share_at_equal(won, covariate[np.newaxis], **answers.where)
    for statistic, result in (
        ("share_preferred_at_equal", controlled.share),
        ("covariate_log_odds", controlled.slopes[0]),
    ):
        yield _Found(statistic, replace(result, note=f"{result.note} {note}".strip()), scope)


def _at_equal_length(data: ChoiceData, answers: Choices, won: Floats, mine: int) -> Iterator[_Found]:
    """Yield the share between responses of equal length; the covariate is the log2 of the ratio of lengths."""
    doublings = doublings_between(data.codes.responses.doublings, answers, mine)
    known = doublings[np.isfinite(doublings)]
    if not len(known):
        return
    longer, times = float((known > 0).mean()), float(2 ** np.median(known))
    note = f"The source's text is longer in {longer:.0%} of choices; the median length ratio is {times:.2g}."
    if max(longer, 1 - longer) > ALWAYS:
        note += " Few choices are between texts of similar length, so this share is an extrapolation."
    yield from _at_equal(answers, won, doublings, LENGTH, note)


def doublings_between(length: Floats, answers: Choices, mine: int) -> Floats:
    """Return the log2 of the source's length divided by the other response's; nan if either is unknown."""
    return np.where(answers.one == mine, 1, -1) * (length[answers.one_response] - length[answers.other_response])


def _strength(answers: Choices, mine: int) -> Result:
    """Return the mean strength in favour of the source: negative if it was not chosen, 0 for ties."""
    sign = np.where(answers.chosen == mine, 1.0, -1.0)
    signed = np.where(
        answers.outcome == TIE, 0.0, np.where(answers.outcome == NEITHER, np.nan, sign * answers.strength)
    )
    return mean(signed, **answers.where)


def _won(answers: Choices, mine: Ints) -> Floats:
    """Return 1 if the given source was chosen, 0 if the other one was, 1/2 for ties, nan for neither."""
    decisive = (answers.chosen == mine) * 1.0
    return np.where(answers.outcome == TIE, 0.5, np.where(answers.outcome == NEITHER, np.nan, decisive))


def _are_in(answers: Choices, source: int) -> Bools:
    return np.asarray((answers.one == source) | (answers.other == source))


def _records(data: ChoiceData, answers: Choices, scope: Scope, found: Iterator[_Found]) -> Iterator[Estimate]:
    compared = answers.compared
    for one in found:
        yield data.record(
            one.result,
            answers,
            section=SECTION,
            scope={**scope, **one.scope},
            statistic=one.statistic,
            unit="choice",
            compared=compared,
            **one.detail,
        )
