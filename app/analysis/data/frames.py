"""A study's data as DataFrames, made by the store and from study folders, and used by the analysis.

items      item, then one column per attribute; in the order of items.csv
responses  response, item, source, attributes, text (one line per turn); in the order of responses.csv
raters     rater, kind, pool, is_simulated, is_imported, then attributes
ratings    RATING_COLUMNS, one row per answer
checks     CHECK_COLUMNS, one row per answered check; None if there are none
passages   PASSAGE_COLUMNS, one row per text or turn that raters can mark; None in a study without highlights

Missing text is None; missing numbers are nan or NA. IDs are text. Rows are always in canonical order (see
`canonical`), so that the same study always gives exactly the same estimates.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from app.analysis.data.rating_columns import FRAME_COLUMNS, names_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from app.analysis.data.rating_columns import Type

RATING_COLUMNS = tuple(column.name for column in FRAME_COLUMNS)
TEXT_COLUMNS = frozenset(names_of("id", "name", "text", "codes"))
_DTYPES: dict[Type, Any] = {"whole": "Int64", "number": "float64", "time": "datetime64[us, UTC]"}
CHECK_COLUMNS = ("rater", "check", "is_passed", "happened_at")
# `response` is None for the item's own text; `turn` is NA for texts without turns; `length` is in characters
PASSAGE_COLUMNS = ("item", "response", "turn", "length")
ORDER = ["rater", "item", "question", "response", "turn", "condition", "repeat", "left_response", "right_response"]


@dataclass(frozen=True, slots=True)
class Frames:
    """One study's data; see the module docstring for the columns."""

    items: pd.DataFrame
    responses: pd.DataFrame
    raters: pd.DataFrame
    ratings: pd.DataFrame
    checks: pd.DataFrame | None = None
    passages: pd.DataFrame | None = None


def rating_frame(columns: Mapping[str, object], n_rows: int) -> pd.DataFrame:
    """Return ratings with the declared type of each column.

    Args:
        columns: any of RATING_COLUMNS, each of length n_rows, with None or nan for missing values; columns that are not
            given are missing.
        n_rows: the number of answers.

    Returns:
        All of RATING_COLUMNS: text as object, `turn, position, active_ms` Int64, `repeat` int64, `number, strength`
            float64, times as UTC with microseconds.
    """

    def typed(name: str, kind: Type) -> pd.Series[Any]:
        cells, rows = columns.get(name), range(n_rows)
        if kind == "count":
            return pd.Series(0 if cells is None else cells, index=rows, dtype="Int64").fillna(0).astype("int64")
        if kind in _DTYPES:
            typed_cells: pd.Series[Any] = pd.Series(cells, index=rows, dtype=_DTYPES[kind])
            return typed_cells
        text = np.full(n_rows, None) if cells is None else np.array(cells, dtype=object)
        text[pd.isna(text)] = None
        return pd.Series(text, index=rows, dtype=object)

    return pd.DataFrame({column.name: typed(column.name, column.type) for column in FRAME_COLUMNS})


def passage_frame(rows: Iterable[tuple[str, str | None, int | None, int]]) -> pd.DataFrame:
    """Return passages with the type of each column, in canonical order."""
    table = pd.DataFrame([*rows], columns=[*PASSAGE_COLUMNS])
    typed = table.astype({"item": object, "response": object, "turn": "Int64", "length": "int64"})
    return typed.sort_values(["item", "response", "turn"], na_position="first", ignore_index=True)


def canonical(ratings: pd.DataFrame) -> pd.DataFrame:
    """Sort the ratings into the order in which every estimate is computed, because sums of floats depend on it.

    Args:
        ratings: columns RATING_COLUMNS.

    Returns:
        The same rows, sorted by ORDER (stable), with a new index.
    """
    return ratings.sort_values(ORDER, kind="stable", na_position="first", ignore_index=True)
