"""A mark of everything that a report is computed from: the same mark, the same data. Read without reading the data."""

from __future__ import annotations

from sqlalchemy import Connection, TextClause, text

# What `study_frames` and the protocol are read from.
_TABLES = ("ratings", "responses", "items", "sources", "raters", "rater_exclusions", "questions", "protocols")
# The number of rows, and a sum over the transactions that wrote them: a change is a row of a new transaction, a
# deletion one row less. `age` counts back from the present; the difference of two ages is the same at any time, and
# much faster than the number of a transaction as text. With the hash, several changes do not have the same sum.
_WRITTEN = "count(*) AS n, sum(CAST(hashint4(age(CAST('3' AS xid)) - age(xmin)) AS bigint)) AS written"
_FROM = [
    *(f"{table} WHERE study_id = :study" for table in _TABLES),
    "events WHERE study_id = :study AND kind = 'check'",
]
_MARK = text(" UNION ALL ".join(f"SELECT {n} AS place, {_WRITTEN} FROM {rows}" for n, rows in enumerate(_FROM)))  # noqa: S608 - no input in it
# What leads decide: few rows, so that they can be looked at for each page.
_DECISIONS = text(
    " UNION ALL ".join(
        f"SELECT {n} AS place, {_WRITTEN} FROM {table} WHERE study_id = :study"  # noqa: S608 - no input in it
        for n, table in enumerate(("rater_exclusions", "questions", "protocols"))
    )
)
_MOMENT = text("""
    SELECT CAST(pg_current_snapshot() AS text) AS moment, CAST(pg_postmaster_start_time() AS text) AS started,
      pg_current_xact_id_if_assigned() IS NOT NULL AS has_written
""")


def get_moment(db: Connection) -> str | None:
    """Which transactions are over: while this stays the same, nothing was written by anyone. It costs next to nothing.

    None in a transaction that has written something itself.
    """
    row = db.execute(_MOMENT).one()
    return None if row.has_written else f"{row.started} {row.moment}"


def get_study_mark(db: Connection, study_id: int) -> tuple[str, int]:
    """The mark of a study's data, and the number of its ratings; not for a transaction that has written itself."""
    found = _found(db, _MARK, study_id)
    return str(found), found[0][0]


def get_decision_mark(db: Connection, study_id: int) -> str:
    """The mark of what leads decided about the data; not for a transaction that has written something itself."""
    return str(_found(db, _DECISIONS, study_id))


def _found(db: Connection, query: TextClause, study_id: int) -> list[tuple[int, int]]:
    rows = sorted((row.place, row.n, row.written) for row in db.execute(query, {"study": study_id}))
    return [(int(n), int(written or 0)) for _, n, written in rows]
