"""A study's data as DataFrames: what the store and a study folder both give, and what the analysis takes.

items      item, then one column an attribute; in the order of items.csv
responses  response, item, source, attributes, text (its turns a line each); in the order of responses.csv
raters     rater, kind, pool, is_simulated, then attributes
ratings    RATING_COLUMNS, one row an answer
checks     CHECK_COLUMNS, one row a check that was answered; None where there are none

Missing text is None; missing numbers are nan or NA. Ids are text. Both makers hand rows over in canonical order (see
`canonical`), so that the same study gives the same estimates to the last digit, whichever way it came.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pandas as pd

# number: rating, slider · outcome and chosen: choice · codes: category, joined by | · text: text, highlight
RATING_COLUMNS = (
    "rater",
    "item",
    "response",
    "question",
    "turn",
    "number",
    "outcome",
    "chosen",
    "strength",
    "codes",
    "text",
    "left_response",
    "right_response",
    "side",
    "position",
    "condition",
    "shown_label",
    "repeat",
    "rated_at",
    "served_at",
    "active_ms",
    "comment",
    "exclude",
)
TEXT_COLUMNS = frozenset(RATING_COLUMNS) - {
    "turn",
    "number",
    "strength",
    "position",
    "repeat",
    "active_ms",
    "rated_at",
    "served_at",
}
WHOLE_COLUMNS = ("turn", "position", "active_ms")
TIME_COLUMNS = ("rated_at", "served_at")
CHECK_COLUMNS = ("rater", "check", "is_passed", "happened_at")
ORDER = ["rater", "item", "question", "response", "turn", "condition", "repeat", "left_response", "right_response"]


@dataclass(frozen=True, slots=True)
class Frames:
    """One study's data; see the module's page for the columns."""

    items: pd.DataFrame
    responses: pd.DataFrame
    raters: pd.DataFrame
    ratings: pd.DataFrame
    checks: pd.DataFrame | None = None


def rating_frame(columns: Mapping[str, object], n_rows: int) -> pd.DataFrame:
    """Ratings with the one type of each column, whoever read them.

    Args:
        columns: any of RATING_COLUMNS, each of length n_rows, None or nan where missing; what is left out is missing.
        n_rows: how many answers.

    Returns:
        All of RATING_COLUMNS: text as object, `turn, position, active_ms` Int64, `repeat` int64, `number, strength`
        float64, times as UTC with microseconds.
    """
    import numpy as np
    import pandas as pd

    def typed(name: str) -> pd.Series[Any]:
        cells = columns.get(name)
        if name == "repeat":
            return (
                pd.Series(0 if cells is None else cells, index=range(n_rows), dtype="Int64").fillna(0).astype("int64")
            )
        if name in WHOLE_COLUMNS:
            return pd.Series(cells, index=range(n_rows), dtype="Int64")
        if name in TIME_COLUMNS:
            return pd.Series(cells, index=range(n_rows), dtype="datetime64[us, UTC]")
        if name in TEXT_COLUMNS:
            text = np.full(n_rows, None) if cells is None else np.array(cells, dtype=object)
            text[pd.isna(text)] = None
            return pd.Series(text, index=range(n_rows), dtype=object)
        return pd.Series(cells, index=range(n_rows), dtype="float64")

    return pd.DataFrame({name: typed(name) for name in RATING_COLUMNS})


def canonical(ratings: pd.DataFrame) -> pd.DataFrame:
    """The ratings in the one order in which every estimate is computed: sums of floats depend on it.

    Args:
        ratings: columns RATING_COLUMNS.

    Returns:
        The same rows, sorted by ORDER, stable, with a fresh index.
    """
    return ratings.sort_values(ORDER, kind="stable", na_position="first", ignore_index=True)
