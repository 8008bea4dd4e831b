"""A study's data as DataFrames: what the store and a study folder both give, and what the analysis takes.

items      item, then one column an attribute; in the order of items.csv
responses  response, item, source, then attributes; in the order of responses.csv
raters     rater, kind, pool, is_simulated, then attributes
ratings    RATING_COLUMNS, one row an answer

Missing text is None; missing numbers are nan or NA. Ids are text. Both makers hand rows over in canonical order (see
`canonical`), so that the same study gives the same figures to the last digit, whichever way it came.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

# number: rating, slider · outcome and chosen: choice · codes: category, joined by | · text: text, highlight
RATING_COLUMNS = (
    "rater", "item", "response", "question", "turn",
    "number", "outcome", "chosen", "strength", "codes", "text",
    "left_response", "right_response", "side", "position", "condition", "shown_label", "repeat",
    "rated_at", "served_at", "active_ms", "comment", "exclude",
)  # fmt: skip
TEXT_COLUMNS = frozenset(RATING_COLUMNS) - {
    "turn", "number", "strength", "position", "repeat", "active_ms", "rated_at", "served_at",
}  # fmt: skip
ORDER = ["rater", "item", "question", "response", "turn", "condition", "repeat", "left_response", "right_response"]


@dataclass(frozen=True, slots=True)
class Frames:
    """One study's data; see the module's page for the columns."""

    items: pd.DataFrame
    responses: pd.DataFrame
    raters: pd.DataFrame
    ratings: pd.DataFrame


def canonical(ratings: pd.DataFrame) -> pd.DataFrame:
    """The ratings in the one order in which every figure is computed: sums of floats depend on it.

    Args:
        ratings: columns RATING_COLUMNS.

    Returns:
        The same rows, sorted by ORDER, stable, with a fresh index.
    """
    return ratings.sort_values(ORDER, kind="stable", na_position="first", ignore_index=True)
