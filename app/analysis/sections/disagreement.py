"""Units with the most disagreement, split opinions, and pairs of raters. Shown only; nothing is removed."""

from collections.abc import Iterator

import numpy as np

from app.analysis.data.answers import UNITS, Answers, Choices
from app.analysis.data.encoded_study import Floats
from app.analysis.data.question_data import AnyQuestionData
from app.analysis.data.rater_panel import Panel
from app.analysis.estimate import Estimate, Scope
from app.analysis.minimum_data import MIN_IN_COMMON, MIN_RATINGS_FOR_CAMPS
from app.analysis.sections.coefficients import domain_of
from app.analysis.sections.pairwise_kappas import busiest
from app.analysis.statistic import Column, PageTable, Statistic, declare
from app.stats.agreement import RaterPair, rater_pairs, worst_units
from app.stats.ratings import Ratings
from app.stats.result import Method, Result, undefined

SECTION = "disagreement"
MAX_UNITS = 10
# A matrix with more raters would not be readable.
MAX_IN_MATRIX = 20
CAMPS = Method(words="two groups of two or more ratings, at least half the scale apart")
NO_CAMPS = f"not shown: no unit has the {MIN_RATINGS_FOR_CAMPS} ratings that split opinions need"
NO_PAIR = f"not estimable: no two raters rated {MIN_IN_COMMON} or more units in common with any variation"

declare(
    Statistic("split_share", "Share of units with split opinions", "share", docs="agreement"),
    Statistic("unit_disagreement", "Disagreement (0 none", "ratio", variant="1 chance level)", docs="agreement"),
    Statistic(
        "pair_kappa_median",
        "Median kappa over pairs of raters",
        "coefficient",
        docs="agreement",
        cites=("cohen1960",),
        page="raters",
    ),
)
SPLIT = PageTable("Share of items or responses with split opinions", (Column("Split opinions", ("split_share",)),))


def disagreement(data: AnyQuestionData) -> Iterator[Estimate]:
    """Yield the share of units with split opinions, the units with most disagreement, and the median kappa of pairs."""
    if data.question.target == "rater" or data.is_composite:
        return
    panel = Panel.of(data)
    yield from _units(panel)
    if data.codes.raters.are_known:
        yield _pairs(panel)


def _units(panel: Panel) -> Iterator[Estimate]:
    data, answers = panel.data, panel.answers
    worst = worst_units(answers.ratings, level=data.level, domain=domain_of(data, is_decisive=True))
    n, unit = len(worst.unit), UNITS[data.question.target]
    split = undefined("no_pairable_units", NO_CAMPS, method=CAMPS, n_units=0)
    can_split = worst.n_ratings >= MIN_RATINGS_FOR_CAMPS
    if can_split.any():
        split = Result(float(worst.is_split[can_split].mean()), CAMPS, n_units=int(can_split.sum()))
    yield data.record(split, answers, section=SECTION, scope={}, statistic="split_share", unit=unit)
    for place in range(min(n, MAX_UNITS)):
        own = answers.select(answers.unit == worst.unit[place])
        camps = ", split opinions" if worst.is_split[place] else ""
        note = f"{worst.n_ratings[place]} ratings{camps}"
        result = Result(
            float(worst.disagreement[place]), Method(words="disagreement relative to chance"), n_units=1, note=note
        )
        scope: Scope = {**_named(data, int(own.row[0])), **_pair_of(data, own)}
        yield data.record(result, own, section=SECTION, scope=scope, statistic="unit_disagreement", unit=unit)


def _named(data: AnyQuestionData, row: int) -> Scope:
    """Return the scope of the response, or the item, of an answer, and its turn."""
    answer = data.codes.kept.iloc[row]
    is_turn = data.question.rated == "turn"
    is_of_item = data.question.rated != "response" and not (is_turn and isinstance(answer["response"], str))
    of = "item" if is_of_item else "response"
    scope: Scope = {"subgroup": {of: str(answer[of])}}
    return {**scope, "turn": int(answer["turn"])} if is_turn else scope


def _pair_of(data: AnyQuestionData, own: Answers) -> Scope:
    """Return the sources between which raters chose, if an item has several pairs: they are units of their own."""
    if not isinstance(own, Choices) or len(data.sources) <= len(("one", "other")):
        return {}
    shown = {int(own.one[0]), int(own.other[0])}
    pair = [source for source in data.sources if data.code_of(source) in shown]
    if len(pair) < len(("one", "other")):
        return {}
    source, reference = sorted(pair, key=lambda one: one == data.reference)
    return {"source": source, "reference": reference}


def _pairs(panel: Panel) -> Estimate:
    data, answers = panel.data, panel.answers
    kept = answers.ratings.of_raters(np.unique(busiest(answers)[0]))
    found = [] if not len(kept.value) else _pairs_of(kept, is_nominal=data.is_nominal)
    kappas: Floats = np.array([pair.kappa for pair in found if pair.kappa is not None])
    if not len(kappas):
        result = undefined("no_pairable_units", NO_PAIR, method=Method(words="pairs"), n_units=0)
    else:
        note = f"{len(kappas)} pairs of raters, from {kappas.min():.3f} to {kappas.max():.3f}"
        kind = "plain" if data.is_nominal else "quadratic weights"
        result = Result(
            float(np.median(kappas)), Method(words=f"median over pairs of Cohen's kappa, {kind}"), note=note
        )
    matrix = _matrix(data, kept, found)
    return data.record(
        result,
        answers,
        section=SECTION,
        scope={},
        statistic="pair_kappa_median",
        unit=UNITS[data.question.target],
        **matrix,
    )


def _pairs_of(ratings: Ratings, *, is_nominal: bool) -> list[RaterPair]:
    return list(rater_pairs(ratings, weights="none" if is_nominal else "quadratic", fewest_units=MIN_IN_COMMON))


def _matrix(data: AnyQuestionData, ratings: Ratings, pairs: list[RaterPair]) -> dict[str, object]:
    """Return the raters with the most ratings and the kappa of each pair of them, for a table."""
    size = np.bincount(ratings.rater_row)
    shown = ratings.rater_codes[np.sort(np.argsort(-size, kind="stable")[:MAX_IN_MATRIX])].tolist()
    ids = data.codes.raters.ids
    cells = {
        (ids[pair.first], ids[pair.second]): (pair.kappa, pair.n_units)
        for pair in pairs
        if pair.first in shown and pair.second in shown
    }
    return {"raters": [ids[code] for code in shown], "cells": cells, "n_raters": len(size)}
