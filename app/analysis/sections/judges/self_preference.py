"""Whether a model judge favours texts of its own family more than human raters do."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from app.analysis.data.answers import NEITHER, RESPONSE, TIE, Answers, Choices
from app.analysis.data.encoded_study import Bools, Floats, Ints
from app.analysis.data.question_data import AnyQuestionData
from app.analysis.estimate import Estimate, Scope, Unit
from app.analysis.sections.judges.at_equal import choices_at_equal, ratings_at_equal
from app.analysis.statistic import Bounds, Statistic, declare
from app.base.words import number_text
from app.protocol.questions.registry import ScaledQuestion
from app.protocol.study import Protocol
from app.stats.arrays import codes
from app.stats.clusters import for_new_items
from app.stats.comparison import describe
from app.stats.result import Result

SECTION = "judge"
FAMILY = "family"
NOTE = "a source and the judge belong to one family if their attribute `family` is the same"
OF_CODES = "share of this code, judge minus human raters, on its own family minus on other sources"
_TWO = 2

declare(
    Statistic(
        "self_preference",
        "Self-preference: extra rating of its own model family",
        "points",
        docs="judges",
        no_difference=0.0,
        kind_of_share="share_points",
        bounds=Bounds(times=2, is_share_of_choices=True, is_share_of_codes=True),
    ),
)


def self_preference_estimates(
    data: AnyQuestionData, humans: Answers, judge: Answers, said: Floats, scope: Scope, protocol: Protocol
) -> Iterator[Estimate]:
    """Yield how much more than human raters the judge favours its own family. Nothing if no source is of its family.

    Ratings: its own family minus the other sources, where people rate alike. Choices between its own family and others:
    its share minus one half, where people are evenly split. Codes have no order: one estimate for each code, its share
    minus that of human raters, on its own family minus the same on the other sources.

    Args:
        data: the question data.
        humans: the answers of human raters.
        judge: the answers of the judge; of choices, those of all showings.
        said: the judge's value for the unit of each human answer.
        scope: of the judge.
        protocol: names the family of each source.
    """
    own = own_sources(data, judge, protocol)
    if not own.any() or not data.sources:
        return
    if isinstance(humans, Choices) and isinstance(judge, Choices):
        found = choices_at_equal(humans, judge, _worth(humans, own), _worth(judge, own))
        yield _record(data, found, scope, "choice")
    elif data.is_nominal and isinstance(data.question, ScaledQuestion):
        for code, words in _compared_codes(data.question, np.append(humans.value, said)):
            gave = replace(humans, value=(humans.value == code) * 1.0)
            result, part = _of_codes(gave, np.where(np.isfinite(said), said == code, np.nan), own)
            yield _record(data, (_noted(result, OF_CODES), part), {**scope, "category": words}, "rating")
    else:
        is_own = np.where(humans.source >= 0, own[humans.source], np.nan)
        yield _record(data, ratings_at_equal(humans, said, is_own), scope, "rating")


def _record(data: AnyQuestionData, found: tuple[Result, Answers], scope: Scope, unit: Unit) -> Estimate:
    result, part = found
    named = _noted(result, NOTE)
    return data.record(named, part, section=SECTION, scope=scope, statistic="self_preference", unit=unit)


def _noted(result: Result, words: str) -> Result:
    return replace(result, note="; ".join(note for note in (result.note, words) if note))


def _compared_codes(question: ScaledQuestion, given: Floats) -> list[tuple[float, str]]:
    """Return value and words of each code that was given; of two codes the last, because the other mirrors it."""
    words = dict(question.meanings())
    values = question.values[-1:] if len(question.values) == _TWO else question.values
    return [(value, words.get(number_text(value)) or number_text(value)) for value in values if value in given]


def own_sources(data: AnyQuestionData, judge: Answers, protocol: Protocol) -> Bools:
    """Return whether each source is of the judge's family."""
    table, sources = data.codes.rater_table, data.codes.sources
    nothing = np.zeros(len(sources), dtype=bool)
    if FAMILY not in table or not len(judge.rater):
        return nothing
    family = table[FAMILY].iloc[int(judge.rater[0])]
    if not isinstance(family, str):
        return nothing
    known = {name: str(source.attributes.get(FAMILY, "")) for name, source in protocol.sources.items()}
    return np.array([known.get(name, "").casefold() == family.casefold() for name in sources])


def _of_codes(humans: Answers, said: Floats, own: Bools) -> tuple[Result, Answers]:
    part = humans.select(np.isfinite(said) & (humans.source >= 0))
    gap = said[np.isfinite(said) & (humans.source >= 0)] - _mean_by(part.value, part.unit)
    first = np.unique(part.unit, return_index=True)[1]
    each = part.select(first)
    gap_of_own = describe.mean_difference(gap[first], own[each.source], item=each.item, rater=each.item)
    return for_new_items(gap_of_own), part


def _worth(choices: Choices, own: Bools) -> Floats:
    """Return 1 if the own family was chosen over another, 1/2 for ties, 0 if the other was chosen; nan otherwise."""
    one, other = (np.where(side >= 0, np.append(own, False)[side], False) for side in (choices.one, choices.other))
    chosen = np.append(own, False)[choices.chosen] * 1.0
    worth = np.select([choices.outcome == RESPONSE, choices.outcome == TIE], [chosen, 0.5], np.nan)
    return np.where((one != other) & (choices.outcome != NEITHER), worth, np.nan)


def _mean_by(value: Floats, unit: Ints) -> Floats:
    code, n = codes(unit)
    return np.asarray((np.bincount(code, value, n) / np.bincount(code, minlength=n))[code])
