"""Check the `correct_column` of questions: the column exists and contains valid answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.design.questions.category import CategoryQuestion
from app.design.questions.highlight import HighlightQuestion
from app.exchange.problems import listed
from app.exchange.protocol.study_yaml import FILE

if TYPE_CHECKING:
    import pandas as pd

    from app.design.protocol.study import Protocol
    from app.exchange.problems import Problems


def check_correct_columns(protocol: Protocol, items: pd.DataFrame, responses: pd.DataFrame, problems: Problems) -> None:
    """Check that each `correct_column` exists and contains codes of its question, or passages."""
    for number, question in enumerate(protocol.questions, start=1):
        if not isinstance(question, CategoryQuestion | HighlightQuestion) or question.correct_column is None:
            continue
        column = question.correct_column
        tables = {"item": items, "response": responses}
        if not any(column in texts.columns for texts in tables.values()):
            where = f"questions.{number}.correct_column"
            problems.add(FILE, None, where, column, "a column of items.csv or responses.csv")
        for name, texts in tables.items():
            if column in texts.columns:
                _check_answers(question, f"{name}s.csv", texts[name], texts[column], problems)


def _check_answers(
    question: CategoryQuestion | HighlightQuestion,
    file: str,
    keys: pd.Series[str],
    answers: pd.Series[str],
    problems: Problems,
) -> None:
    for key, answer in zip(keys, answers, strict=True):
        if answer is not None and question.read_cell(answer) is None:
            words = question.allowed_words() if isinstance(question, HighlightQuestion) else listed(question.codes)
            problems.add(file, None, question.correct_column, f"{answer} ({key})", words)
