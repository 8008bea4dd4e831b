"""ratings.csv of a folder whose other files have problems: what can be checked without them is checked all the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from app.exchange.ratings.rating_context import read_circumstances
from app.exchange.ratings.ratings import note_unknown_columns
from app.exchange.ratings.ratings_table import Sheet
from app.exchange.ratings.targets import known
from app.exchange.tabular.column_checks import has_columns, one_of

if TYPE_CHECKING:
    import pandas as pd

    from app.exchange.problems import Problems
    from app.exchange.tabular.table import Column, Table


def check_without_protocol(
    table: Table,
    items: pd.DataFrame | None,
    responses: pd.DataFrame | None,
    raters: pd.DataFrame | None,
    problems: Problems,
) -> None:
    """Add the problems of columns, IDs and cells; a table that could not be read is None, and its IDs are not checked.

    The questions and sources are unknown, so neither the answers nor what they are about can be checked.
    """
    if not has_columns(table, ["rater", "question", "value"], problems):
        return
    note_unknown_columns(table, problems)
    sheet = Sheet(table, problems)
    for name, frame in (("rater", raters), ("item", items), ("response", responses)):
        if frame is not None:
            keys: Column = frame[name].to_numpy(dtype=object)
            allowed = one_of(keys, f"{name}s.csv", f"a{'n' if name == 'item' else ''} {name}")
            known(sheet, name, keys, allowed, required=name == "rater")
    if responses is not None:
        # A side may also name the source of its response.
        sides = np.concatenate([responses[name].to_numpy(dtype=object) for name in ("response", "source")])
        for name in ("left_response", "right_response"):
            known(sheet, name, sides, "a response in responses.csv, or its source")
    read_circumstances(sheet)
