"""The stored answers of a study as arrays, a piece at a time, all as of one moment.

PostgreSQL joins the values of a column of many answers, as binary, into one value: numbers need no conversion on
either side, and no side handles single rows of a result.
"""

import datetime as dt
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import Any, assert_never

import numpy as np
from numpy.typing import NDArray
from psycopg import sql
from sqlalchemy import ColumnElement, Connection, FromClause, Select, column, func, or_, select, table, text

from app.base.database.bulk_copy import driver_cursor
from app.base.files.distinct_cells import EMPTY
from app.protocol.rating_columns import COLUMNS, RatingColumn

# PostgreSQL sends times as microseconds from this day on.
EPOCH = dt.date(2000, 1, 1)
# Answers per piece: arrays of this size stay in a processor's cache.
N_ROWS = 5_000
# Nothing but a nested loop can read answers between two IDs that it gives, and it keeps the order of the pieces.
_PIECES = """
    SELECT first.id, piece.* FROM generate_series(
      coalesce({low}, (SELECT min(id) FROM ratings WHERE study_id = {study})),
      coalesce({high} - 1, (SELECT max(id) FROM ratings WHERE study_id = {study})), {step}
    ) AS first (id) CROSS JOIN LATERAL (
      SELECT {places}, {others} FROM (
        SELECT * FROM ratings WHERE study_id = {study} AND id >= first.id AND id < least(first.id + {step}, {high})
          AND {picked}
        ORDER BY id
      ) AS r HAVING count(*) > 0
    ) AS piece
"""


def rating_arrays(
    db: Connection, study_id: int, columns: Sequence[RatingColumn], ids: Sequence[int] | None = None
) -> Iterator[dict[str, Any]]:
    """Yield the answers in the order of their IDs, in pieces: for each column an array or a list, by name.

    Args:
        db: the transaction. It can take no other statement until the last piece was yielded.
        study_id: the study.
        columns: those to read. IDs are 0, decimals NaN, and whole numbers and times `EMPTY` where there is none; times
            are microseconds since `EPOCH`; where only a few values are allowed, each is its place among them, from 1,
            or 0; texts are UTF-8, and None for NULL.
        ids: only these answers, in ascending order; None for all. None of them is missing.
    """
    few = [column for column in columns if column.allowed]
    others = [column for column in columns if not column.allowed]
    low, high, step = (ids[0], ids[-1] + 1, ids[-1] + 1 - ids[0]) if ids else (None, None, N_ROWS)
    picked = sql.SQL("id = ANY({})").format(sql.Literal([*ids])) if ids else sql.SQL("true")
    given = {"study": study_id, "low": low, "high": high, "step": step}
    query = sql.SQL(_PIECES).format(
        places=_places(few),
        others=sql.SQL(", ").join(sql.SQL(_sent(column)) for column in others),
        picked=picked,
        **{name: sql.Literal(value) for name, value in given.items()},
    )
    last = -1
    with driver_cursor(db) as cursor:
        for first, places, *values in cursor.stream(query, binary=True):
            if first <= last:
                raise RuntimeError("PostgreSQL did not keep the order of the answers")
            last = first
            arrays = {one.name: _array(one, value) for one, value in zip(others, values, strict=True)}
            yield arrays | _unpacked(few, np.frombuffer(places, dtype=">i8"))


def _places(few: Sequence[RatingColumn]) -> sql.Composable:
    """One number for each answer, with the places of its values among those that are allowed."""
    number: sql.Composable = sql.SQL("0::bigint")
    for one in reversed(few):
        number = sql.SQL("({}) * {} + coalesce(array_position({}::text[], {}), 0)").format(
            number, len(one.allowed) + 1, [*one.allowed], sql.Identifier(one.stored_as)
        )
    return sql.SQL("string_agg(int8send({}), '')").format(number)


def _unpacked(few: Sequence[RatingColumn], places: NDArray[np.int64]) -> dict[str, NDArray[np.int64]]:
    found = {}
    for one in few:
        places, found[one.name] = np.divmod(places, len(one.allowed) + 1)
    return found


def _sent(column: RatingColumn) -> str:
    """SQL for what is sent of a column: numbers one after the other, without NULL; or an array of texts."""
    name = column.stored_as
    match column.type:
        case "id":
            sent = f"int8send(coalesce({name}, 0))"
        case "number":
            sent = f"float8send(coalesce({name}, 'NaN'))"
        case "time":
            sent = f"timestamptz_send(coalesce({name}, 'infinity'))"
        case "whole" | "count":
            sent = f"int8send(coalesce({name}::bigint, {EMPTY}))"
        case "codes":
            return f"array_agg(convert_to(array_to_string({name}, '|'), 'UTF8'))"
        case "name" | "text":
            return f"array_agg(convert_to({name}, 'UTF8'))"
        case _:
            assert_never(column.type)
    return f"string_agg({sent}, '')"


def _array(
    column: RatingColumn,
    value: Any,  # noqa: ANN401 - as sent
) -> NDArray[np.float64] | NDArray[np.int64] | list[bytes | None]:
    match column.type:
        case "number":
            return np.frombuffer(value, dtype=">f8").astype(np.float64)
        case "id" | "time" | "whole" | "count":
            return np.frombuffer(value, dtype=">i8").astype(np.int64)
        case "name" | "text" | "codes":
            texts: list[bytes | None] = value
            return texts
        case _:
            assert_never(column.type)


# Which columns of the stored answers are worth reading: those that some answer of the study fills.

FIRST_ROWS = 1_000
_QUESTIONS = text("SELECT key FROM questions WHERE study_id = :study ORDER BY key")
_STORED = tuple(column for column in COLUMNS if column.name != "value" and not column.is_derived)
_RATINGS = table("ratings", column("study_id"), *(column(one.stored_as) for one in _STORED))
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
    of_study = select(_RATINGS).where(_RATINGS.c.study_id == study_id)
    known = _holding(db, _STORED, of_study.limit(FIRST_ROWS))
    rest = [one for one in _STORED if one.name not in known]
    if not rest:
        return known
    return known | _holding(db, rest, of_study.where(or_(*(_is_filled(one, _RATINGS) for one in rest))))


def _holding(db: Connection, columns: Sequence[RatingColumn], answers: Select[Any]) -> set[str]:
    """The names of the columns that some of these answers fill."""
    rows = answers.subquery()
    parts = (func.bool_or(_is_filled(one, rows)).label(one.name) for one in columns)
    found = db.execute(select(*parts)).mappings().one()
    return {name for name, holds in found.items() if holds}


def _is_filled(one: RatingColumn, rows: FromClause) -> ColumnElement[bool]:
    stored = rows.c[one.stored_as]
    return stored > 0 if one.type == "count" else stored.is_not(None)
