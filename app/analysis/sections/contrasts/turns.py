"""The course of ratings over the turns of a dialogue, and the weight of each turn in the rating of the whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from app.analysis.data.scopes import groups
from app.stats.comparison import describe
from app.stats.core.result import undefined
from app.stats.linear.random_slopes import METHOD
from app.stats.linear.turns import turn_slope, turn_slope_difference, whole_on_turns

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from app.analysis.data.answers import Answers
    from app.analysis.data.encoded_study import Floats, Ints
    from app.analysis.data.question_data import ScaledSheet
    from app.analysis.estimate import Estimate, Scope

SECTION = "contrast"
NOT_RUN = "left out above 20,000 ratings; run with --full"
# With more turns, each has few dialogues, and the slope is more informative.
MAX_TURNS = 12
_TWO = 2


def turns(sheet: ScaledSheet, wholes: Sequence[ScaledSheet]) -> Iterator[Estimate]:
    """Yield, for human raters and each source: mean per turn, slope, difference of slopes, and weights of the turns."""
    if sheet.question.target != "turn":
        return
    answers = groups(sheet.codes)[0].of(sheet.answers)
    for source in sheet.sources or (None,):
        mine = answers if source is None else answers.select(answers.source == sheet.code_of(source))
        scope: Scope = {} if source is None else {"source": source}
        yield from _means(sheet, mine, scope)
        yield _slope(sheet, mine, scope)
        if source is not None and sheet.reference is not None and source != sheet.reference:
            yield _difference(sheet, answers, {**scope, "reference": sheet.reference})
    for whole in wholes:
        if whole.question.target in {"response", "item"}:
            yield from _weights(whole, answers, sheet)


def _turn(sheet: ScaledSheet, answers: Answers) -> Floats:
    return sheet.codes.rows.turn[answers.row]


def _dialogue(sheet: ScaledSheet, answers: Answers) -> Ints:
    """Return one code per combination of item and response; dialogues that are not responses are items."""
    response = sheet.codes.rows.response[answers.row]
    return np.asarray(answers.item * (len(sheet.codes.responses.item) + 1) + response + 1)


def _means(sheet: ScaledSheet, answers: Answers, scope: Scope) -> Iterator[Estimate]:
    turn = _turn(sheet, answers)
    rated = _turn(sheet, sheet.answers)
    for place in _places(np.unique(rated[np.isfinite(rated)]).astype(int).tolist())[:MAX_TURNS]:
        part = answers.select(turn == place)
        found = describe.mean(part.value, **part.where)
        if not len(part.value):
            found = undefined("no_pairable_units", f"There are no ratings of turn {place}.", method=found.method)
        at_turn = {**scope, "turn": int(place)}
        yield sheet.record(found, part, section=SECTION, scope=at_turn, statistic="mean", unit="rating")


def _places(rated: list[int]) -> list[int]:
    """Return all turns from the first to the last rated one; only rated turns if every other turn was left out."""
    every = list(range(rated[0], rated[-1] + 1)) if rated else []
    return every if len(every) < 2 * len(rated) - 1 else rated


def _slope(sheet: ScaledSheet, answers: Answers, scope: Scope) -> Estimate:
    found = undefined("not_run", NOT_RUN, method=METHOD)
    if sheet.is_light:
        turn, dialogue = _turn(sheet, answers), _dialogue(sheet, answers)
        found = turn_slope(answers.value, turn, dialogue=dialogue, rater=answers.rater)
    return sheet.record(found, answers, section=SECTION, scope=scope, statistic="turn_slope", unit="rating")


def _difference(sheet: ScaledSheet, answers: Answers, scope: Scope) -> Estimate:
    both = [sheet.code_of(scope[name]) for name in ("source", "reference")]
    part, found = answers.select(np.isin(answers.source, both)), undefined("not_run", NOT_RUN, method=METHOD)
    if sheet.is_light:
        turn, dialogue, is_mine = _turn(sheet, part), _dialogue(sheet, part), part.source == both[0]
        found = turn_slope_difference(part.value, turn, is_mine, dialogue=dialogue, rater=part.rater)
    return sheet.record(found, part, section=SECTION, scope=scope, statistic="turn_slope_difference", unit="rating")


def _weights(whole: ScaledSheet, of_turns: Answers, sheet: ScaledSheet) -> Iterator[Estimate]:
    """Yield the weight of each turn in the rating of the whole, for human raters who gave both."""
    answers = groups(whole.codes)[0].of(whole.answers)
    table = pd.DataFrame(
        {
            "dialogue": _dialogue(sheet, of_turns),
            "rater": of_turns.rater,
            "turn": _turn(sheet, of_turns),
            "value": of_turns.value,
        }
    ).pivot_table(index=["dialogue", "rater"], columns="turn", values="value")
    if not _TWO <= table.shape[1] <= MAX_TURNS:
        return
    dialogue = _dialogue(whole, answers)
    values = table.reindex(pd.MultiIndex.from_arrays([dialogue, answers.rater])).to_numpy()
    found = whole_on_turns(answers.value, values, dialogue=dialogue, rater=answers.rater)
    for turn, result in zip(table.columns.tolist(), found, strict=True):
        scope = {"turn": int(turn), "covariate": sheet.question.key}
        yield whole.record(result, answers, section=SECTION, scope=scope, statistic="whole_on_turns", unit="rating")
