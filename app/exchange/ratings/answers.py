"""The value of each answer, by the type of its question."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

import numpy as np

from app.design.questions.answer import CANNOT_JUDGE, picked_codes, scaled_value
from app.design.questions.models import (
    CategoryQuestion,
    ChoiceQuestion,
    HighlightQuestion,
    RatingQuestion,
    SliderQuestion,
    TextQuestion,
    allowed_words,
)
from app.design.questions.spans import are_spans
from app.exchange.ratings.choices import check_choices

if TYPE_CHECKING:
    from app.design.questions.models import Question, ScaledQuestion
    from app.exchange.ratings.ratings_table import Sheet
    from app.exchange.ratings.targets import Study, Targets
    from app.exchange.tabular.columns import Mask
    from app.exchange.tabular.table import Column

COLUMNS = ("number", "outcome", "chosen", "strength", "codes", "text")


def check_answers(sheet: Sheet, study: Study, targets: Targets) -> dict[str, Column]:
    """The answers, in one column for each kind; None where a row has another kind."""
    answers = {name: np.full(len(sheet.table), None, dtype=object) for name in COLUMNS}
    _strength_only_where_asked(sheet, study, targets)
    for number, question in enumerate(study.protocol.questions):
        rows = sheet.ok & (targets.question == number)
        if rows.any():
            _check(question, rows, sheet, targets, answers)
    return answers


def _check(question: Question, rows: Mask, sheet: Sheet, targets: Targets, answers: dict[str, Column]) -> None:
    match question:
        case RatingQuestion() | SliderQuestion():
            _check_scaled(question, rows, sheet, answers)
        case ChoiceQuestion():
            check_choices(question, rows, sheet, targets, answers)
        case CategoryQuestion():
            codes = sheet.table.mapped("value", lambda text: _joined(question, text))
            _fill(sheet, rows, codes, allowed_words(question), answers["codes"])
        case HighlightQuestion():
            spans = sheet.table.mapped("value", lambda text: text.strip() if are_spans(text.strip()) else None)
            _fill(sheet, rows, spans, allowed_words(question), answers["text"])
        case TextQuestion():
            answers["text"][rows] = sheet.table.column("value")[rows]
        case _:
            assert_never(question)


def _check_scaled(question: ScaledQuestion, rows: Mask, sheet: Sheet, answers: dict[str, Column]) -> None:
    allowed = allowed_words(question)
    if question.cannot_judge:
        cannot = rows & (sheet.table.stripped("value") == CANNOT_JUDGE)
        answers["outcome"][cannot] = CANNOT_JUDGE
        rows &= ~cannot
        allowed += f", or {CANNOT_JUDGE}"
    numbers = sheet.table.mapped("value", lambda text: scaled_value(question, text))
    _fill(sheet, rows, numbers, allowed, answers["number"])


def _joined(question: CategoryQuestion, text: str) -> str | None:
    codes = picked_codes(question, text)
    return None if codes is None else "|".join(codes)


def _fill(sheet: Sheet, rows: Mask, values: Column, allowed: str, answers: Column) -> None:
    """Put the values into their column; those that are None are no answer to the question."""
    none = np.array([value is None for value in values], dtype=bool)
    sheet.reject(rows & none, "value", allowed)
    answers[rows] = values[rows]


def _strength_only_where_asked(sheet: Sheet, study: Study, targets: Targets) -> None:
    asked = [
        number
        for number, question in enumerate(study.protocol.questions)
        if isinstance(question, ChoiceQuestion) and question.strength is not None
    ]
    given = sheet.ok & (sheet.table.stripped("strength") != "")
    sheet.reject(given & ~np.isin(targets.question, asked), "strength", "nothing, the question asks for no strength")
