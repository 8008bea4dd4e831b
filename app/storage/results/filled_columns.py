"""Which columns of the stored answers are worth reading: those that some answer of the study fills."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sqlalchemy import text

from app.analysis.data.rating_columns import COLUMNS

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from sqlalchemy import Connection

    from app.analysis.data.rating_columns import RatingColumn

FIRST_ROWS = 1_000
_QUESTIONS = text("SELECT key FROM questions WHERE study_id = :study ORDER BY key")
_STORED = tuple(column for column in COLUMNS if column.name != "value" and not column.is_derived)
# What every answer has, or has none of: read whether filled or not.
_ALWAYS = {"rater", "item", "response", "question"}


def stored_columns(db: Connection, study_id: int, names: Collection[str] | None = None) -> list[RatingColumn]:
    """Rater, item, response, question and the columns with these names; that of the question allows those of the study.

    Args:
        db: the transaction.
        study_id: the study.
        names: None for all.
    """
    questions = tuple(db.execute(_QUESTIONS, {"study": study_id}).scalars())
    return [
        replace(column, allowed=questions) if column.name == "question" else column
        for column in _STORED
        if names is None or column.name in names or column.name in _ALWAYS
    ]


def filled_columns(db: Connection, study_id: int) -> set[str]:
    """The names of the stored columns that hold a value in some answer.

    The first answers fill nearly every column that any answer fills. The scan of all answers looks for the rest.
    """
    known = _holding(db, study_id, _STORED, f"LIMIT {FIRST_ROWS}")
    rest = [column for column in _STORED if column.name not in known]
    if not rest:
        return known
    return known | _holding(db, study_id, rest, f"AND ({' OR '.join(map(_is_filled, rest))})")


def _holding(db: Connection, study_id: int, columns: Sequence[RatingColumn], which: str) -> set[str]:
    """The names of the columns that some of the answers fill; `which` ends the query for the answers."""
    parts = ", ".join(f'bool_or({_is_filled(column)}) AS "{column.name}"' for column in columns)
    looked_at = f"SELECT * FROM ratings WHERE study_id = :study {which}"  # noqa: S608 - of our own columns
    query = text(f"SELECT {parts} FROM ({looked_at}) AS looked_at")  # noqa: S608 - of our own columns
    found = db.execute(query, {"study": study_id}).mappings().one()
    return {name for name, holds in found.items() if holds}


def _is_filled(column: RatingColumn) -> str:
    return f"({column.stored_as} {'> 0' if column.type == 'count' else 'IS NOT NULL'})"
