"""Check the `correct_column` of questions: the column exists and contains valid answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.design.questions.kinds.category import CategoryQuestion
from app.design.questions.kinds.highlight import HighlightQuestion
from app.design.word_lists import or_list
from app.exchange.protocol.study_yaml import FILE
from app.exchange.ratings.highlights import beyond, passages_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import pandas as pd

    from app.design.protocol.study import Protocol
    from app.exchange.problems import Problems


def check_correct_columns(
    protocol: Protocol,
    items: pd.DataFrame,
    responses: pd.DataFrame,
    rows: Mapping[str, Sequence[int]],
    problems: Problems,
) -> None:
    """Check that each `correct_column` exists and contains codes of its question, or passages of its text.

    `rows` are the numbers of the rows of `items` and of `responses` in their files.
    """
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
                for row, answer, words in _wrong(question, name, texts, column):
                    problems.add(f"{name}s.csv", int(rows[f"{name}s"][row]), column, answer, words)


def _wrong(
    question: CategoryQuestion | HighlightQuestion, name: str, texts: pd.DataFrame, column: str
) -> Iterator[tuple[int, str, str]]:
    """Yield each answer that the question cannot have, with its position and what is allowed."""
    for row, answer in enumerate(texts[column]):
        if answer is None:
            continue
        if question.read_cell(answer) is None:
            words = question.allowed_words() if isinstance(question, HighlightQuestion) else or_list(question.codes)
            yield row, answer, words
        elif isinstance(question, HighlightQuestion) and _is_of(question, name):
            passages = passages_of(texts["text"].iloc[row], texts["turns"].iloc[row])
            if passages is not None and (words := beyond(answer.strip(), *passages)):
                yield row, answer, words


def _is_of(question: HighlightQuestion, name: str) -> bool:
    """Whether the question marks this kind of text; the turns of a dialogue may be those of either."""
    return question.target in {name, "turn"}
