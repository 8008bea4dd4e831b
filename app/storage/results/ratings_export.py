"""ratings.csv by one COPY: the database writes the text, and the process holds no more than a piece of it at a time.

Keys and labels are joined from small tables in memory, and only those that some answer of the study needs.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from psycopg import sql
from sqlalchemy import text

from app.analysis.data.answer_labels import answer_labels
from app.storage.database.bulk_copy import copy_query, driver_cursor
from app.storage.raters.exclusions import list_excluded
from app.storage.results.ratings_query import DICTIONARIES, filled_flags, piece_of
from app.storage.results.row_pages import RowPage

if TYPE_CHECKING:
    from typing import BinaryIO

    from sqlalchemy import Connection

    from app.design.protocol.study import Protocol

_IDS = text("SELECT id FROM ratings WHERE study_id = :study AND id > :after ORDER BY id LIMIT :n")
_EXTENT = text("SELECT count(*), min(id), max(id) FROM ratings WHERE study_id = :study")
FIRST_ROWS = 1_000
# Each piece is sorted in memory; one sort of all rows would go through files on disk.
ROWS_PER_PIECE = 100_000
# Whole tables are joined: without statistics of new rows the planner would look up each row in turn.
_WHOLE_TABLES = text("""
    SELECT set_config('enable_nestloop', 'off', true), set_config('work_mem', '64MB', true),
           set_config('jit', 'off', true), set_config('max_parallel_workers_per_gather', '0', true)
""")


def copy_ratings_csv(db: Connection, study_id: int, protocol: Protocol, file: BinaryIO) -> None:
    """Write every answer as a row of ratings.csv, in the order in which the answers were stored.

    Args:
        db: the transaction.
        study_id: the study.
        protocol: the labels of answers and sources.
        file: takes the text as UTF-8.
    """
    filled, excluded = _filled(db, study_id), list_excluded(db, study_id)
    filled |= {"exclude"} if excluded else set()
    rows = _query(study_id, protocol, filled, excluded, _ranges(db, study_id))
    db.execute(_WHOLE_TABLES)
    copy_query(db, rows, file)


def rating_page(db: Connection, study_id: int, protocol: Protocol, after: int, n: int) -> RowPage:
    """At most `n` answers with an ID above `after`, as rows of ratings.csv: text, and None for an empty cell."""
    ids = db.execute(_IDS, {"study": study_id, "after": after, "n": n + 1}).scalars().all()
    if not ids:
        return RowPage([], None)
    has_more = len(ids) > n
    ranges = [(ids[0], ids[-1] if has_more else ids[-1] + 1)]
    query = _query(study_id, protocol, set(filled_flags()), list_excluded(db, study_id), ranges)
    with driver_cursor(db) as cursor:
        cursor.execute(query)
        names = [column.name for column in cursor.description or ()]
        rows = [dict(zip(names, row, strict=True)) for row in cursor]
    return RowPage(rows, ids[n - 1] if has_more else None)


def _query(
    study_id: int, protocol: Protocol, filled: set[str], excluded: dict[int, str], ranges: list[tuple[int, int]]
) -> sql.Composed:
    """The rows of ratings.csv within ranges of IDs."""
    piece = piece_of(filled)
    pieces = sql.SQL(" UNION ALL ").join(
        sql.SQL(piece).format(study=sql.Literal(study_id), low=sql.Literal(low), high=sql.Literal(high))
        for low, high in ranges
    )
    return sql.SQL("{} {}").format(sql.SQL(DICTIONARIES).format(**_literals(study_id, protocol, excluded)), pieces)


def _filled(db: Connection, study_id: int) -> set[str]:
    """The names in `filled_flags` that hold for some answer.

    The first answers fill nearly every column that any answer fills. The scan of all answers looks for the rest.
    """
    flags = filled_flags()
    known = _holding(db, study_id, flags, f"LIMIT {FIRST_ROWS}")
    rest = {name: condition for name, condition in flags.items() if name not in known}
    if not rest:
        return known
    any_of_rest = " OR ".join(f"({condition})" for condition in rest.values())
    return known | _holding(db, study_id, rest, f"AND ({any_of_rest})")


def _holding(db: Connection, study_id: int, flags: dict[str, str], which: str) -> set[str]:
    """The names of the flags that hold for some of the answers; `which` ends the query for the answers."""
    parts = ", ".join(f'bool_or({condition}) AS "{name}"' for name, condition in flags.items())
    looked_at = f"SELECT * FROM ratings WHERE study_id = :study {which}"  # noqa: S608 - of our own columns
    query = text(f"SELECT {parts} FROM ({looked_at}) AS looked_at")  # noqa: S608 - of our own columns
    found = db.execute(query, {"study": study_id}).mappings().one()
    return {name for name, holds in found.items() if holds}


def _ranges(db: Connection, study_id: int) -> list[tuple[int, int]]:
    """Ranges of IDs that hold about `ROWS_PER_PIECE` answers each; the end of a range belongs to the next one."""
    n, first, last = db.execute(_EXTENT, {"study": study_id}).one()
    low, high = first or 0, (last or 0) + 1
    n_pieces = -(-n // ROWS_PER_PIECE) or 1
    ends = [low + (high - low) * place // n_pieces for place in range(n_pieces + 1)]
    return list(pairwise(ends))


def _literals(study_id: int, protocol: Protocol, excluded: dict[int, str]) -> dict[str, sql.Literal]:
    said = answer_labels(protocol)
    lists: dict[str, list[Any]] = {
        "questions": [question for question, _ in said],
        "values": [value for _, value in said],
        "labels": list(said.values()),
        "sources": list(protocol.sources),
        "names": [protocol.labels.source(key) for key in protocol.sources],
        "raters": list(excluded),
        "reasons": list(excluded.values()),
    }
    return {"study": sql.Literal(study_id), **{name: sql.Literal(values) for name, values in lists.items()}}
