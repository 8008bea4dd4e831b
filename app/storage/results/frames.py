"""A study's data for the analysis, read at once: a million answers in a few seconds.

COPY transfers numeric IDs instead of keys, which recur thousands of times; they are replaced by the keys afterwards.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, assert_never, get_args

import numpy as np
import pandas as pd
from sqlalchemy import text

from app.analysis.data.frames import CHECK_COLUMNS, Frames, canonical, passage_frame, rating_frame
from app.analysis.data.rating_columns import FRAME_COLUMNS, RatingColumn
from app.analysis.data.study_folder import RATER_MARKS
from app.design.questions.kinds.registry import kinds_with_empty
from app.design.questions.question import EmptyColumn
from app.storage.database.bulk_copy import copy_out
from app.storage.raters.exclusions import list_excluded

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray
    from sqlalchemy import Connection

    Rows = Sequence[Any]

_ITEMS = text(
    "SELECT id, key, nullif(attributes, '{}') AS attributes FROM items WHERE study_id = :study ORDER BY position, id"
)
_RESPONSES = text("""
    SELECT r.id, r.key, i.key AS item, s.key AS source, nullif(r.attributes, '{}') AS attributes,
      coalesce(r.text, (
        SELECT string_agg(turn ->> 'text', E'\\n' ORDER BY place)
        FROM jsonb_array_elements(r.turns) WITH ORDINALITY AS said (turn, place)
      ), '') AS text
    FROM responses r
    JOIN items i ON i.study_id = r.study_id AND i.id = r.item_id
    JOIN sources s ON s.study_id = r.study_id AND s.id = r.source_id
    WHERE r.study_id = :study ORDER BY r.position, r.id
""")
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
# For studies in which raters mark passages; lengths are in characters, as in Python.
_PASSAGES = text("""
    WITH texts AS (
      SELECT i.key AS item, NULL AS response, i.text, i.turns FROM items i WHERE i.study_id = :study
      UNION ALL
      SELECT i.key, r.key, r.text, r.turns FROM responses r
      JOIN items i ON i.study_id = r.study_id AND i.id = r.item_id WHERE r.study_id = :study
    )
    SELECT item, response, CAST(place AS integer) AS turn, char_length(turn ->> 'text') AS length
    FROM texts CROSS JOIN LATERAL jsonb_array_elements(turns) WITH ORDINALITY AS said (turn, place)
    WHERE turns IS NOT NULL
    UNION ALL
    SELECT item, response, NULL, char_length(text) FROM texts WHERE turns IS NULL AND text IS NOT NULL
""")
_TYPES = text("SELECT key, type FROM questions WHERE study_id = :study")


def _selected(column: RatingColumn) -> str:
    """SQL for a copied column: IDs as numbers, 0 for none; times in microseconds; codes joined."""
    name = column.stored_as
    match column.type:
        case "id":
            return f"coalesce({name}, 0) AS {column.name}"
        case "codes":
            return f"array_to_string({name}, '|') AS {column.name}"
        case "time":
            return f"CAST(extract(epoch FROM {name}) * 1000000 AS bigint) AS {column.name}"
        case "name" | "text" | "whole" | "count" | "number":
            return f"{name} AS {column.name}"
        case _:
            assert_never(column.type)


_RATINGS = f"SELECT {', '.join(map(_selected, FRAME_COLUMNS))} FROM ratings WHERE study_id = {{study}}"  # noqa: S608
# Others are read as text: a code or a condition may be named 1, and bulk readers of decimals may lose the last digit.
_DTYPES = {"id": "int64", "count": "int64", "whole": "Int64", "time": "Int64"}


def study_frames(db: Connection, study_id: int) -> Frames:
    """All data that `analyze` takes; the same rows in the same order as from the study's folder.

    Args:
        db: a connection.
        study_id: the study.
    """
    copied = copy_ratings(db, study_id)
    items, responses, raters = (db.execute(query, {"study": study_id}).all() for query in (_ITEMS, _RESPONSES, RATERS))
    found = ratings_of(db, study_id, copied, raters=raters, items=items, responses=responses)
    return Frames(
        items=table(items, item="key"),
        responses=table(responses, response="key", item="item", source="source").assign(
            text=pd.Series([row.text for row in responses], dtype=object)
        ),
        raters=raters_table(raters),
        ratings=canonical(found),
        checks=study_checks(db, study_id),
        passages=study_passages(db, study_id),
    )


def study_passages(db: Connection, study_id: int) -> pd.DataFrame | None:
    """The texts that raters can mark, in the format of `analysis.frames`; None if there is no highlight question."""
    if "highlight" not in {row.type for row in db.execute(_TYPES, {"study": study_id})}:
        return None
    return passage_frame(tuple(row) for row in db.execute(_PASSAGES, {"study": study_id}))


def study_checks(db: Connection, study_id: int) -> pd.DataFrame | None:
    """The checks that raters answered, in the format of `analysis.frames`; None if there are none."""
    rows = [tuple(row) for row in db.execute(_CHECKS, {"study": study_id})]
    if not rows:
        return None
    checks = pd.DataFrame(rows, columns=[*CHECK_COLUMNS]).astype({"rater": object, "check": object, "is_passed": bool})
    return checks.assign(happened_at=pd.to_datetime(checks["happened_at"], utc=True).dt.as_unit("us"))


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


def copy_ratings(db: Connection, study_id: int) -> pd.DataFrame:
    """The rows of the table, with numeric IDs. Copied before the keys are read, so the raters of all answers exist."""
    kinds = {column.name: _DTYPES.get(column.type, "object") for column in FRAME_COLUMNS}
    rows = pd.read_csv(copy_out(db, _RATINGS, study=study_id), dtype=kinds, keep_default_na=False, na_values=[""])
    return _with_exclusions(db, study_id, rows)


def _with_exclusions(db: Connection, study_id: int, rows: pd.DataFrame) -> pd.DataFrame:
    """The rows, with the reason in `exclude` for raters whom a lead has excluded."""
    if excluded := list_excluded(db, study_id):
        reasons = rows["rater"].map({rater: f"rater excluded: {reason}" for rater, reason in excluded.items()})
        rows["exclude"] = rows["exclude"].where(rows["exclude"].notna() | reasons.isna(), reasons)
    return rows


def ratings_of(
    db: Connection, study_id: int, rows: pd.DataFrame, *, raters: Rows, items: Rows, responses: Rows
) -> pd.DataFrame:
    """The answers in the format of `analysis.frames`, in no particular order.

    Args:
        db: a connection.
        study_id: the study.
        rows: the copied rows.
        raters: ID and key of each rater. Answers of raters who have withdrawn since the copy are left out.
        items: ID and key of each item.
        responses: ID and key of each response.
    """
    keys = {"raters": _Keys(raters), "items": _Keys(items), "responses": _Keys(responses)}
    rows = rows[keys["raters"].has(rows["rater"])].reset_index(drop=True)
    columns = {column.name: _cells(column, rows[column.name], keys) for column in FRAME_COLUMNS}
    _put_back_empty(db, study_id, columns)
    return rating_frame(columns, len(rows))


def _cells(column: RatingColumn, copied: pd.Series[Any], keys: Mapping[str, _Keys]) -> Any:  # noqa: ANN401 - any type
    """A column in the format of the frames."""
    if column.of is not None:
        return keys[column.of].at(copied)
    match column.type:
        case "number":
            return _floats(copied)
        case "time":
            return pd.to_datetime(copied, unit="us", utc=True)
        case "whole" | "count":
            return copied
        case _:
            return copied.to_numpy()


class _Keys:
    """The lead's keys by database ID, for whole columns; ID 0 means none."""

    def __init__(self, rows: Rows) -> None:
        self._ids = np.array([0, *sorted(row.id for row in rows)], dtype=np.int64)
        keys = {row.id: row.key for row in rows}
        self._keys = np.array([keys.get(number) for number in self._ids.tolist()], dtype=object)

    def has(self, numbers: pd.Series[int]) -> NDArray[np.bool_]:
        found: NDArray[np.bool_] = np.isin(numbers.to_numpy(), self._ids)
        return found

    def at(self, numbers: pd.Series[int]) -> NDArray[np.object_]:
        found: NDArray[np.object_] = self._keys[np.searchsorted(self._ids, numbers.to_numpy())]
        return found


def _floats(column: pd.Series[str]) -> NDArray[np.float64]:
    """Parse decimals exactly; each distinct text is parsed once."""
    codes, distinct = pd.factorize(column)
    floats = np.array([*map(float, distinct), np.nan])
    found: NDArray[np.float64] = floats[codes]
    return found


def _put_back_empty(db: Connection, study_id: int, columns: dict[str, Any]) -> None:
    """Restore empty answers (an empty text, or none of the codes), which CSV does not distinguish from NULL."""
    types = {row.key: row.type for row in db.execute(_TYPES, {"study": study_id})}
    for name in get_args(EmptyColumn):
        kinds = kinds_with_empty(name)
        asked = np.isin(columns["question"], [key for key, kind in types.items() if kind in kinds])
        empty = asked & pd.isna(columns[name]) & pd.isna(columns["outcome"])
        columns[name] = np.where(empty, "", columns[name])
