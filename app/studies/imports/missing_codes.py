"""Values in a column of ratings that are probably no answers: codes such as −9 or NA, and what is outside the scale."""

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from app.base.words import number
from app.studies.imports.answer_table import same_cell
from app.studies.imports.usual_scales import SLIDER, points_of_values

ReadAs = Literal["skip", "answer"]
# Codes that surveys use for “no answer”, “does not apply” and “do not know”.
_WORDS = frozenset(
    ("-", "–", ".", "?", "na", "n/a", "#n/a", "nan", "none", "null", "missing", "no answer", "k.a.", "keine angabe")
)
# Among answers in words, it may be one: neither of two responses.
_ANSWERS = frozenset(("none",))
_SIGNED = (77, 88, 97, 98, 99, 777, 888, 999, 9999)
_NUMBERS = frozenset((-1, -7, -8, -9, *_SIGNED, *(-code for code in _SIGNED)))
# A code is isolated if it is so far from every point of the scale.
_GAP = 2
# One answer apart from the codes is no scale: -1 and 1 may be all its points.
_LEAST = 2


@dataclass(frozen=True, slots=True)
class OddValue:
    """A value that looks like a code for no answer, or is outside the scale that the lead has said, and its cells.

    `is_decided`: the lead has said whether it is an answer; before, it is none.
    """

    found: str
    n: int
    is_answer: bool
    is_decided: bool


def missing_codes(cells: Iterable[str]) -> set[str]:
    """The usual codes for no answer that are isolated outside the scale of the other values; see `same_cell`.

    >>> sorted(missing_codes(["1", "5", "-9.0", "99", "NA"])), missing_codes(["1", "2", "-1"])
    (['-9', '99', 'NA'], {'-1'})
    >>> missing_codes(["1", "-1"]), missing_codes(["0", "1", "-1"])
    (set(), set())
    >>> missing_codes(["-2", "-1", "1"]), missing_codes(["12", "64", "99"]), missing_codes(["12", "64", "-1"])
    (set(), set(), {'-1'})
    >>> sorted(missing_codes(["yes", "no", "NA", "-9"])), missing_codes(["yes", "NA"])
    (['-9', 'NA'], set())
    """
    values = {same_cell(cell): number(cell) for cell in cells if cell.strip()}
    words = {text for text, value in values.items() if value is None and text.casefold() in _WORDS}
    in_words = sum(value is None for value in values.values()) - len(words)
    if in_words or len(words) == len(values):
        codes = {text for text in values if text in words or number(text) in _NUMBERS}
        return {text for text in codes if text.casefold() not in _ANSWERS} if in_words >= _LEAST else set()
    others = {text: value for text, value in values.items() if value is not None and value not in _NUMBERS}
    if len(others) < _LEAST:
        return words
    low, high = _room(others)
    return words | {text for text, value in values.items() if value is not None and not low < value < high} - set(
        others
    )


def _room(others: Mapping[str, float]) -> tuple[float, float]:
    """The numbers below and above which a code is isolated from these values."""
    least, most = min(others.values()), max(others.values())
    if (points := points_of_values(others)) is not None:
        return points[0] - _GAP, points[1] + _GAP
    if -SLIDER[1] <= least and most <= SLIDER[1]:
        return (-1.0 if least >= 0 else -SLIDER[1] - 1), SLIDER[1] + 1
    return -math.inf, math.inf


def without_codes(cells: Iterable[str]) -> list[str]:
    """The cells without the empty ones and those of codes for no answer."""
    filled = [cell for cell in cells if cell.strip()]
    codes = missing_codes(filled)
    return [cell for cell in filled if same_cell(cell) not in codes]


def odd_values(values: Sequence[str], scale: Sequence[str] | None, decided: Mapping[str, ReadAs]) -> list[OddValue]:
    """The values that are or may be no answers: numbers by size, then words.

    A value that is no code is one of them only while it is outside the scale, and the lead has not called it an answer.

    Args:
        values: all answers to a question.
        scale: the lowest and the highest value, if the lead has said them.
        decided: what the lead has said of a value.
    """
    counts = Counter(map(same_cell, values))
    codes = missing_codes(counts)
    low, high = said_ends(scale, {found for found in codes if decided.get(found) != "answer"})
    outside = {
        found
        for found in counts
        if (value := number(found)) is not None
        and decided.get(found) != "answer"
        and ((low is not None and value < low) or (high is not None and value > high))
    }
    return [
        OddValue(found, counts[found], decided.get(found) == "answer", found in decided)
        for found in sorted(codes | outside, key=lambda found: (number(found) is None, number(found) or 0, found))
    ]


def said_ends(scale: Sequence[str] | None, skipped: Collection[str]) -> tuple[float | None, float | None]:
    """The ends of the scale that the lead has said; None for one that is not said, or is no answer."""
    if scale is None:
        return None, None
    low, high = (None if same_cell(end) in skipped else number(end) for end in scale)
    return (low, high) if low is None or high is None else (min(low, high), max(low, high))
