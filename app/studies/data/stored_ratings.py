"""The answers of a study as frames, with keys in place of IDs; a million answers in a few seconds.

Answers are read with numeric IDs instead of keys, which recur thousands of times; the keys are put in afterwards.
"""

import datetime as dt
from collections.abc import Mapping, Sequence
from typing import Any, assert_never

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sqlalchemy import Connection, text

from app.analysis.data.frames import ARRIVAL_COLUMNS, CHECK_COLUMNS, rating_frame
from app.analysis.data.study_folder import RATER_MARKS
from app.base.files.distinct_cells import EMPTY
from app.protocol.rating_columns import FRAME_COLUMNS, RATER_EXCLUDED, RatingColumn
from app.studies.data.rating_arrays import EPOCH, filled_columns, rating_arrays, stored_columns
from app.studies.protocols import asked_before
from app.studies.studies import list_excluded

Rows = Sequence[Any]

RATERS = text("""
    SELECT id, key, kind, pool, is_simulated, is_imported, nullif(attributes, '{}') AS attributes FROM raters
    WHERE study_id = :study ORDER BY id
""")
_CHECKS = text("""
    SELECT r.key, e.detail->>'check' AS name, CAST(e.detail->>'is_passed' AS boolean) AS is_passed, e.happened_at
    FROM events e JOIN raters r ON r.study_id = e.study_id AND r.id = e.rater_id
    WHERE e.study_id = :study AND e.kind = 'check' AND e.detail->>'is_passed' IS NOT NULL
    ORDER BY e.happened_at, e.id
""")
# Of those without a row of their own only the number is known.
_ARRIVALS = text("""
    SELECT r.key, s.state, nullif(s.condition, '') AS condition, CAST(s.protocol_version AS text) AS version
    FROM rating_sessions s JOIN raters r ON r.study_id = s.study_id AND r.id = s.rater_id WHERE s.study_id = :study
    UNION ALL SELECT NULL, 'refused', NULL, NULL FROM studies, generate_series(1, n_refused) WHERE id = :study
    UNION ALL SELECT NULL, 'deleted', NULL, NULL FROM withdrawals WHERE study_id = :study AND deleted_at IS NOT NULL
    ORDER BY 1, 2, 3, 4
""")
_EPOCH_US = (EPOCH - dt.date(1970, 1, 1)) // dt.timedelta(microseconds=1)


def study_checks(db: Connection, study_id: int) -> pd.DataFrame | None:
    """The checks that raters answered, in the format of `app.analysis.data.frames`; None if there are none."""
    rows = [tuple(row) for row in db.execute(_CHECKS, {"study": study_id})]
    if not rows:
        return None
    checks = pd.DataFrame(rows, columns=[*CHECK_COLUMNS]).astype({"rater": object, "check": object, "is_passed": bool})
    return checks.assign(happened_at=pd.to_datetime(checks["happened_at"], utc=True).dt.as_unit("us"))


def study_arrivals(db: Connection, study_id: int) -> pd.DataFrame | None:
    """Everyone who arrived, in the format of `app.analysis.data.frames`; None if nobody did."""
    rows = db.execute(_ARRIVALS, {"study": study_id}).all()
    if not rows:
        return None
    reworded = {str(version): "|".join(keys) for version, keys in asked_before(db, study_id).items() if keys}
    told = [(*row, reworded.get(row.version)) for row in rows]
    return pd.DataFrame(told, columns=[*ARRIVAL_COLUMNS], dtype=object)


def table(rows: Rows, **columns: str) -> pd.DataFrame:
    """Rows as a frame: these columns, then one per attribute, sorted by name; empty cells are None."""
    frame = pd.DataFrame(
        {name: pd.Series([getattr(row, column) for row in rows], dtype=object) for name, column in columns.items()}
    )
    attributes = [row.attributes or {} for row in rows]
    for name in sorted({name for named in attributes for name in named}):
        frame[name] = pd.Series([named.get(name) for named in attributes], dtype=object)
    return frame


def raters_table(rows: Rows) -> pd.DataFrame:
    """The rows of `RATERS` in the format of the frames."""
    marks = {name: name for name in RATER_MARKS}
    return table(rows, rater="key", kind="kind", pool="pool", **marks).astype(dict.fromkeys(marks, bool))


def copy_ratings(db: Connection, study_id: int) -> dict[str, Any]:
    """The filled columns of all answers, by name, with numeric IDs; missing texts are None, and numbers NA.

    Copied before the keys are read, so the raters of all answers exist.
    """
    columns = stored_columns(db, study_id, filled_columns(db, study_id))
    words: dict[bytes | None, str | None] = {None: None}
    found: dict[str, list[Any]] = {column.name: [] for column in columns}
    for piece in rating_arrays(db, study_id, columns):
        for name, values in piece.items():
            found[name].append(_decoded(values, words) if isinstance(values, list) else values)
    copied = {column.name: _typed(column, found[column.name]) for column in columns}
    return copied | _exclusions(db, study_id, copied)


def _decoded(texts: list[bytes | None], words: dict[bytes | None, str | None]) -> NDArray[np.object_]:
    """UTF-8 as text; `words` keeps what is decoded, so that each distinct text is stored once."""
    words |= {sent: sent.decode() for sent in {*texts} - words.keys() if sent is not None}
    return np.array([words[sent] for sent in texts], dtype=object)


def _typed(column: RatingColumn, pieces: list[Any]) -> Any:  # noqa: ANN401 - any type
    """A column in the format of the frames, but IDs as numbers, 0 for none."""
    values = np.concatenate(pieces) if pieces else np.array([], dtype=np.int64)
    if column.allowed:
        return np.array([None, *column.allowed], dtype=object)[values]
    match column.type:
        case "time":
            since_1970 = np.where(values == EMPTY, np.iinfo(np.int64).min, values + _EPOCH_US)
            return pd.to_datetime(since_1970.view("datetime64[us]"), utc=True)
        case "whole" | "count":
            return pd.arrays.IntegerArray(values, values == EMPTY)
        case "id" | "number" | "name" | "text" | "codes":
            return values
        case _:
            assert_never(column.type)


def _exclusions(db: Connection, study_id: int, copied: Mapping[str, Any]) -> dict[str, NDArray[np.object_]]:
    """The column `exclude`, with a reason also for raters whom a lead has excluded; nothing if there are none."""
    excluded = list_excluded(db, study_id)
    if not excluded:
        return {}
    reasons = pd.Series(copied["rater"]).map({rater: f"{RATER_EXCLUDED}{why}" for rater, why in excluded.items()})
    own = copied.get("exclude", np.full(len(reasons), None))
    return {"exclude": np.where(pd.isna(own), reasons.astype(object).where(reasons.notna(), None), own)}


def ratings_of(copied: Mapping[str, Any], *, raters: Rows, items: Rows, responses: Rows) -> pd.DataFrame:
    """The answers in the format of `app.analysis.data.frames`, in no particular order.

    Args:
        copied: from `copy_ratings`.
        raters: ID and key of each rater. Answers of raters who have withdrawn since the copy are left out.
        items: ID and key of each item.
        responses: ID and key of each response.
    """
    keys = {"raters": _Keys(raters), "items": _Keys(items), "responses": _Keys(responses)}
    has_rater = keys["raters"].has(copied["rater"])
    of = {column.name: column.of for column in FRAME_COLUMNS if column.of}
    columns = {
        name: keys[of[name]].at(values[has_rater]) if name in of else values[has_rater]
        for name, values in copied.items()
    }
    return rating_frame(columns, int(has_rater.sum()))


class _Keys:
    """The lead's keys by database ID, for whole columns; ID 0 means none."""

    def __init__(self, rows: Rows) -> None:
        self._ids = np.array([0, *sorted(row.id for row in rows)], dtype=np.int64)
        keys = {row.id: row.key for row in rows}
        self._keys = np.array([keys.get(number) for number in self._ids.tolist()], dtype=object)

    def has(self, numbers: NDArray[np.int64]) -> NDArray[np.bool_]:
        found: NDArray[np.bool_] = np.isin(numbers, self._ids)
        return found

    def at(self, numbers: NDArray[np.int64]) -> NDArray[np.object_]:
        found: NDArray[np.object_] = self._keys[np.searchsorted(self._ids, numbers)]
        return found
