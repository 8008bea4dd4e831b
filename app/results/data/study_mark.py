"""A mark of everything that a report is computed from: the same mark, the same data. Read without reading the data."""

import time
from dataclasses import dataclass

from sqlalchemy import Connection, TextClause, text

from app.rating.withdrawal.withdraw import count_deleted_raters

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
# How raters ended: their rows are written at every step, so that only the states count.
_ENDED = """
    SELECT count(*) AS n, sum(CAST(hashtext(state || coalesce(condition, '')) AS bigint)) AS written
    FROM rating_sessions WHERE study_id = :study AND state NOT IN ('arrived', 'active')
"""
_MARK = text(
    " UNION ALL ".join(
        [
            *(f"SELECT {n} AS place, {_WRITTEN} FROM {rows}" for n, rows in enumerate(_FROM)),  # noqa: S608 - no input in it
            f"SELECT {len(_FROM)} AS place, ended.* FROM ({_ENDED}) AS ended",  # noqa: S608 - no input in it
        ]
    )
)
# What leads decide: few rows, so that they can be looked at for each page.
_DECIDED = [f"{table} WHERE study_id = :study" for table in ("rater_exclusions", "questions", "protocols")]
_DECISIONS = text(" UNION ALL ".join(f"SELECT {n} AS place, {_WRITTEN} FROM {rows}" for n, rows in enumerate(_DECIDED)))  # noqa: S608 - no input in it
# The mark of a million ratings takes a third of a second of processor time, which a page should not wait for. In a
# study of more than so many ratings, a mark is therefore trusted for ten times as long as it took.
MANY, TRUSTED = 100_000, 10


@dataclass(frozen=True, slots=True)
class Data:
    """What the data of a study are. `decisions` is the mark of what leads decided.

    `n_deleted` raters have had their answers deleted; it is counted first, because no results of more may be shown.
    """

    mark: str
    decisions: str
    n_ratings: int
    n_deleted: int


def get_data(db: Connection, study_id: int) -> Data:
    """The marks now; to be read before the data, so that what is written meanwhile counts as a change."""
    n_deleted = count_deleted_raters(db, study_id)
    decisions, found = _found(db, _DECISIONS, study_id), _found(db, _MARK, study_id)
    return Data(str(found), str(decisions), found[0][0], n_deleted)


class RecentData:
    """The same, with the marks of large studies as they were a few seconds ago."""

    def __init__(self) -> None:
        """Start empty."""
        self._trusted: dict[tuple[int, str], tuple[float, Data]] = {}

    def get(self, db: Connection, study_id: int, kept: str) -> Data:
        """The marks, to be compared with that of kept results; what leads decide and deletions are always seen."""
        start = time.monotonic()
        until, data = self._trusted.pop((study_id, kept), (0.0, None))
        if data is None or start > until or data.decisions != str(_found(db, _DECISIONS, study_id)):
            data, end = get_data(db, study_id), time.monotonic()
            until = end + TRUSTED * (end - start)
        if data.n_ratings > MANY:
            self._trusted = {key: one for key, one in self._trusted.copy().items() if one[0] > start}
            self._trusted[study_id, kept] = until, data
        return data


def _found(db: Connection, query: TextClause, study_id: int) -> list[tuple[int, int]]:
    rows = sorted((row.place, row.n, row.written) for row in db.execute(query, {"study": study_id}))
    return [(int(n), int(written or 0)) for _, n, written in rows]
