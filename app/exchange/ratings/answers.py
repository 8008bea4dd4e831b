"""The value of each answer, by the type of its question."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

import numpy as np

from app.design.questions.kinds.category import CategoryQuestion
from app.design.questions.kinds.choice import ChoiceQuestion
from app.design.questions.kinds.highlight import HighlightQuestion
from app.design.questions.kinds.ranking import RankingQuestion
from app.design.questions.kinds.rating import RatingQuestion
from app.design.questions.kinds.slider import SliderQuestion
from app.design.questions.kinds.text import TextQuestion
from app.design.questions.scaled import CANNOT_JUDGE
from app.exchange.ratings.choices import check_choices
from app.exchange.ratings.highlights import check_highlights
from app.exchange.ratings.rankings import check_rankings

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.design.questions.kinds.registry import Question
    from app.design.questions.question import Given
    from app.exchange.ratings.ratings_table import Sheet
    from app.exchange.ratings.targets import Study, Targets
    from app.exchange.tabular.column_checks import Mask
    from app.exchange.tabular.table import Column

COLUMNS = ("number", "outcome", "chosen", "strength", "codes", "text")


def check_answers(sheet: Sheet, study: Study, targets: Targets) -> dict[str, Column]:
    """Return the answers, one column per kind of value; None if a row has another kind."""
    answers = {name: np.full(len(sheet.table), None, dtype=object) for name in COLUMNS}
    _strength_only_where_asked(sheet, study, targets)
    for number, question in enumerate(study.protocol.questions):
        rows = sheet.ok & (targets.question == number)
        if rows.any():
            _check(question, rows, sheet, study, targets, answers)
    return answers


def _check(
    question: Question, rows: Mask, sheet: Sheet, study: Study, targets: Targets, answers: dict[str, Column]
) -> None:
    match question:
        case ChoiceQuestion():
            check_choices(question, rows, sheet, targets, answers)
        case RankingQuestion():
            _check_cells(question, rows, sheet, question.allowed_words(), answers)
            check_rankings(question, rows, sheet, study, targets)
        case RatingQuestion() | SliderQuestion():
            also = f", or {CANNOT_JUDGE}" if question.cannot_judge else ""
            _check_cells(question, rows, sheet, question.allowed_words() + also, answers)
        case HighlightQuestion():
            _check_cells(question, rows, sheet, question.allowed_words(), answers)
            check_highlights(question, rows, sheet, study, targets)
        case CategoryQuestion() | TextQuestion():
            _check_cells(question, rows, sheet, question.allowed_words(), answers)
        case _:
            assert_never(question)


def _check_cells(question: Question, rows: Mask, sheet: Sheet, allowed: str, answers: dict[str, Column]) -> None:
    """Check answers that can be read from the cell alone; each distinct cell is read once."""
    given = sheet.table.mapped("value", question.read_cell)
    none = np.array([value is None for value in given], dtype=bool)
    sheet.reject(rows & none, "value", allowed)
    for name, cell_of in _CELLS.items():
        answers[name][rows & ~none] = [cell_of(value) for value in given[rows & ~none]]


_CELLS: dict[str, Callable[[Given], object]] = {
    "number": lambda given: given.number,
    "outcome": lambda given: given.outcome,
    "codes": lambda given: None if given.codes is None else "|".join(given.codes),
    "text": lambda given: given.text,
}


def _strength_only_where_asked(sheet: Sheet, study: Study, targets: Targets) -> None:
    asked = [
        number
        for number, question in enumerate(study.protocol.questions)
        if isinstance(question, ChoiceQuestion) and question.strength is not None
    ]
    given = sheet.ok & (sheet.table.stripped("strength") != "")
    sheet.reject(
        given & ~np.isin(targets.question, asked), "strength", "nothing, because the question does not ask for strength"
    )
