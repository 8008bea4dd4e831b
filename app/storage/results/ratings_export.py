"""ratings.csv by one COPY: the database writes the text, and the process holds no more than a piece of it at a time.

Rows are read in their order by the primary key; keys and labels are looked up for each, and only those that some answer
of the study needs.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from psycopg import sql
from sqlalchemy import text

from app.analysis.data.answer_labels import answer_labels
from app.storage.database.bulk_copy import copy_query, driver_cursor
from app.storage.raters.exclusions import list_excluded
from app.storage.results.ratings_query import DICTIONARIES, SEPARATOR, filled_flags, rows_of
from app.storage.results.row_pages import RowPage

if TYPE_CHECKING:
    from typing import BinaryIO

    from sqlalchemy import Connection

    from app.design.protocol.study import Protocol

_IDS = text("SELECT id FROM ratings WHERE study_id = :study AND id > :after ORDER BY id LIMIT :n")
FIRST_ROWS = 1_000
# Only lookups by primary key, whose results are remembered: joins of whole tables lose the order of the rows, and
# without statistics of new rows the planner would not know that a lookup is better than reading a whole table.
_LOOKUPS = text("""
    SELECT set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true),
           set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true),
           set_config('enable_sort', 'off', true), set_config('work_mem', '32MB', true),
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
    rows = _query(study_id, protocol, filled, excluded)
    db.execute(_LOOKUPS)
    copy_query(db, rows, file)


def rating_page(db: Connection, study_id: int, protocol: Protocol, after: int, n: int) -> RowPage:
    """At most `n` answers with an ID above `after`, as rows of ratings.csv: text, and None for an empty cell."""
    ids = db.execute(_IDS, {"study": study_id, "after": after, "n": n + 1}).scalars().all()
    if not ids:
        return RowPage([], None)
    has_more = len(ids) > n
    high = ids[-1] if has_more else ids[-1] + 1
    query = _query(study_id, protocol, set(filled_flags()), list_excluded(db, study_id), (ids[0], high))
    with driver_cursor(db) as cursor:
        cursor.execute(query)
        names = [column.name for column in cursor.description or ()]
        rows = [dict(zip(names, row, strict=True)) for row in cursor]
    return RowPage(rows, ids[n - 1] if has_more else None)


def _query(
    study_id: int,
    protocol: Protocol,
    filled: set[str],
    excluded: dict[int, str],
    ids: tuple[int, int] | None = None,
) -> sql.Composed:
    """The rows of ratings.csv, all or those with IDs from the first of `ids` to before the second."""
    # For all rows, a range would make the planner expect few, and remember nothing for them.
    within = sql.SQL("AND id >= {} AND id < {}").format(*ids) if ids else sql.SQL("")
    given = _literals(study_id, protocol, excluded)
    rows = sql.SQL(rows_of(filled)).format(within=within, **given)
    return sql.SQL("{} {}").format(sql.SQL(DICTIONARIES).format(**given), rows)


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


def _literals(study_id: int, protocol: Protocol, excluded: dict[int, str]) -> dict[str, sql.Literal]:
    said = answer_labels(protocol)
    labels = json.dumps({f"{question}{SEPARATOR}{value}": label for (question, value), label in said.items()})
    lists: dict[str, list[Any]] = {
        "sources": list(protocol.sources),
        "names": [protocol.labels.source(key) for key in protocol.sources],
        "raters": list(excluded),
        "reasons": list(excluded.values()),
    }
    return {
        "study": sql.Literal(study_id),
        "labels": sql.Literal(labels),
        **{name: sql.Literal(values) for name, values in lists.items()},
    }
