"""Questions with a right answer in a column of items.csv: the column is there and holds codes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.design.question import CategoryQuestion
from app.exchange.faults import listed
from app.exchange.protocol import FILE

if TYPE_CHECKING:
    import pandas as pd

    from app.design.protocol import Protocol
    from app.exchange.faults import Faults


def check_correct_columns(protocol: Protocol, items: pd.DataFrame, faults: Faults) -> None:
    """Each `correct_column` is a column of the items, and what it holds are codes of its question."""
    for number, question in enumerate(protocol.questions, start=1):
        if not isinstance(question, CategoryQuestion) or question.correct_column is None:
            continue
        column = question.correct_column
        if column not in items.columns:
            where = f"questions.{number}.correct_column"
            faults.add(FILE, None, where, column, f"a column of items.csv: {listed(items.columns)}")
            continue
        for key, code in zip(items["item"], items[column], strict=True):
            if code is not None and code.strip() not in question.codes:
                faults.add("items.csv", None, column, f"{code} (item {key})", listed(question.codes))
