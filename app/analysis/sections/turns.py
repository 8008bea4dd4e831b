"""The course of ratings over the turns of a dialogue, and the weight of each turn in the rating of the whole."""

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

from app.analysis.data.answers import Answers
from app.analysis.data.encoded_study import Floats, Ints
from app.analysis.data.question_data import ScaledData
from app.analysis.data.scopes import groups
from app.analysis.estimate import Estimate, Scope
from app.analysis.statistic import Bounds, Column, PageTable, Recorded, Statistic, declare
from app.stats.comparison import describe
from app.stats.linear.slopes import turn_slope, turn_slope_difference, whole_on_turns
from app.stats.mixed.random_slopes import METHOD
from app.stats.result import undefined

SECTION = "contrast"
NOT_RUN = "left out above 20,000 ratings; run with --full"
# With more turns, each has few dialogues, and the slope is more informative.
MAX_TURNS = 12
_TWO = 2

declare(
    Statistic(
        "turn_slope",
        "Points per turn",
        "points",
        docs="contrasts",
        no_difference=0.0,
        bounds=Bounds(times=1),
        per="turn",
        tests={"turn_slope": Recorded(keys=("source",))},
        page="turns",
    ),
    Statistic(
        "turn_slope_difference",
        "Difference in points per turn",
        "points",
        docs="contrasts",
        no_difference=0.0,
        bounds=Bounds(times=2),
        per="turn",
        tests={"turn_slope_difference": Recorded()},
        page="turns",
    ),
    Statistic("whole_on_turns", "Weight of the turn in the rating of the whole", "points", docs="contrasts"),
)
CHANGES = PageTable(
    "Change over turns, with 95% CIs",
    (
        Column("Points per turn", ("turn_slope",)),
        Column("Difference in points per turn", ("turn_slope_difference",)),
        Column("Weight of the turn in the rating of the whole", ("whole_on_turns",)),
    ),
)


def turns(data: ScaledData, wholes: Sequence[ScaledData]) -> Iterator[Estimate]:
    """Yield, for human raters and each source: mean per turn, slope, difference of slopes, and weights of the turns."""
    if data.question.target != "turn":
        return
    answers = groups(data.codes)[0].of(data.answers)
    for source in data.sources or (None,):
        mine = answers if source is None else answers.of_source(data.code_of(source))
        scope: Scope = {} if source is None else {"source": source}
        yield from _means(data, mine, scope)
        yield _slope(data, mine, scope)
        if source is not None and data.reference is not None and source != data.reference:
            yield _difference(data, answers, {**scope, "reference": data.reference})
    for whole in wholes:
        if whole.question.target in {"response", "item"}:
            yield from _weights(whole, answers, data)


def _turn(data: ScaledData, answers: Answers) -> Floats:
    return data.codes.rows.turn[answers.row]


def _dialogue(data: ScaledData, answers: Answers) -> Ints:
    """Return one code per combination of item and response; dialogues that are not responses are items."""
    response = data.codes.rows.response[answers.row]
    return np.asarray(answers.item * (len(data.codes.responses.item) + 1) + response + 1)


def _means(data: ScaledData, answers: Answers, scope: Scope) -> Iterator[Estimate]:
    turn = _turn(data, answers)
    rated = _turn(data, data.answers)
    for place in _places(np.unique(rated[np.isfinite(rated)]).astype(int).tolist())[:MAX_TURNS]:
        part = answers.select(turn == place)
        found = describe.mean(part.value, **part.where)
        if not len(part.value):
            found = undefined("no_pairable_units", f"There are no ratings of turn {place}.", method=found.method)
        at_turn: Scope = {**scope, "turn": int(place)}
        yield data.record(found, part, section=SECTION, scope=at_turn, statistic="mean", unit="rating")


def _places(rated: list[int]) -> list[int]:
    """Return all turns from the first to the last rated one; only rated turns if every other turn was left out."""
    every = list(range(rated[0], rated[-1] + 1)) if rated else []
    return every if len(every) < 2 * len(rated) - 1 else rated


def _slope(data: ScaledData, answers: Answers, scope: Scope) -> Estimate:
    found = undefined("not_run", NOT_RUN, method=METHOD)
    if data.is_light:
        turn, dialogue = _turn(data, answers), _dialogue(data, answers)
        found = turn_slope(answers.value, turn, dialogue=dialogue, rater=answers.rater)
    return data.record(found, answers, section=SECTION, scope=scope, statistic="turn_slope", unit="rating")


def _difference(data: ScaledData, answers: Answers, scope: Scope) -> Estimate:
    both = [data.code_of(scope[name]) for name in ("source", "reference")]
    part, found = answers.select(np.isin(answers.source, both)), undefined("not_run", NOT_RUN, method=METHOD)
    if data.is_light:
        turn, dialogue, is_mine = _turn(data, part), _dialogue(data, part), part.source == both[0]
        found = turn_slope_difference(part.value, turn, is_mine, dialogue=dialogue, rater=part.rater)
    return data.record(found, part, section=SECTION, scope=scope, statistic="turn_slope_difference", unit="rating")


def _weights(whole: ScaledData, of_turns: Answers, data: ScaledData) -> Iterator[Estimate]:
    """Yield the weight of each turn in the rating of the whole, for human raters who gave both."""
    answers = groups(whole.codes)[0].of(whole.answers)
    table = pd.DataFrame(
        {
            "dialogue": _dialogue(data, of_turns),
            "rater": of_turns.rater,
            "turn": _turn(data, of_turns),
            "value": of_turns.value,
        }
    ).pivot_table(index=["dialogue", "rater"], columns="turn", values="value")
    if not _TWO <= table.shape[1] <= MAX_TURNS:
        return
    dialogue = _dialogue(whole, answers)
    values = table.reindex(pd.MultiIndex.from_arrays([dialogue, answers.rater])).to_numpy()
    found = whole_on_turns(answers.value, values, dialogue=dialogue, rater=answers.rater)
    for turn, result in zip(table.columns.tolist(), found, strict=True):
        scope: Scope = {"turn": int(turn), "covariate": data.question.key}
        yield whole.record(result, answers, section=SECTION, scope=scope, statistic="whole_on_turns", unit="rating")
