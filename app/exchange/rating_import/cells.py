"""Cells of a spreadsheet as ratings.csv writes them: scale labels become points, other labels become keys."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, assert_never

from app.design.numbers import number, number_text
from app.design.questions.kinds.category import CategoryQuestion
from app.design.questions.kinds.choice import ChoiceQuestion
from app.design.questions.kinds.highlight import HighlightQuestion
from app.design.questions.kinds.ranking import RankingQuestion
from app.design.questions.kinds.rating import RatingQuestion
from app.design.questions.kinds.slider import SliderQuestion
from app.design.questions.kinds.text import TextQuestion
from app.design.questions.scaled import CANNOT_JUDGE
from app.exchange.rating_import.name_matching import Names, source_names

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from app.design.protocol.study import Protocol
    from app.design.questions.kinds.registry import Question


def cell_readers(protocol: Protocol, recoded: Mapping[tuple[str, str], str]) -> dict[str, Callable[[str], str]]:
    """Return a function per question that converts a cell to the form of ratings.csv; unknown cells stay unchanged."""
    sources = source_names(protocol)
    return {question.key: _Reader(question, _names(question, sources), recoded).read for question in protocol.questions}


def same_cell(cell: str) -> str:
    """Return what equal cells have in common: a spreadsheet program shows 0.0 as 0.

    >>> same_cell(" 0.0 "), same_cell("0"), same_cell("yes")
    ('0', '0', 'yes')
    """
    value = number(cell)
    return cell.strip() if value is None else number_text(value)


def list_in(cell: str, question: Question) -> list[str] | None:
    """Return the values of a list in a cell, written as JSON or as Python prints it; None if the cell has no list."""
    text = cell.strip()
    if not text.startswith("[") or not text.endswith("]") or isinstance(question, TextQuestion):
        return None
    try:
        values = json.loads(text)
    except (ValueError, RecursionError):
        try:
            values = json.loads(text.replace('"', '\\"').replace("'", '"'))
        except (ValueError, RecursionError):
            return None
    return [number_text(one) if isinstance(one, int | float) else str(one) for one in values]


class _Reader:
    def __init__(self, question: Question, names: Names, recoded: Mapping[tuple[str, str], str]) -> None:
        self._question, self._names = question, names
        self._recoded = {same_cell(found): value for (key, found), value in recoded.items() if key == question.key}

    def read(self, cell: str) -> str:
        text = self._recoded.get(same_cell(cell), cell)
        parts = list_in(text, self._question)
        if isinstance(self._question, CategoryQuestion):
            return "|".join(self._names.key(code) or code.strip() for code in parts or text.split("|"))
        text = parts[0] if parts is not None and len(parts) == 1 else text
        is_answer = self._question.read_cell(text) is not None
        return text if is_answer else self._names.key(text) or text


def _names(question: Question, sources: Names) -> Names:
    """Return the texts that may be written instead of an answer to this question."""
    match question:
        case RatingQuestion():
            points = {number_text(point.value): [point.words] for point in question.scale.points}
            return Names.of(points | ({CANNOT_JUDGE: []} if question.cannot_judge else {}))
        case SliderQuestion():
            return Names.of({CANNOT_JUDGE: []} if question.cannot_judge else {})
        case ChoiceQuestion():
            return Names(
                (*sources.keys, *question.words), {word: word for word in question.words} | dict(sources.by_name)
            )
        case CategoryQuestion():
            return Names.of({code: [words] for code, words in question.codes.items()})
        case RankingQuestion() | HighlightQuestion() | TextQuestion():
            return Names.of({})
        case _:
            assert_never(question)
