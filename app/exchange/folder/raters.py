"""raters.csv: the raters; if the file is missing, the raters that appear in ratings.csv."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from app.analysis.data.study_folder import RATER_COLUMNS, RATER_MARKS
from app.exchange.tabular.column_checks import attributes, faulty, has_columns, ids, text_or_none, unique_ids

if TYPE_CHECKING:
    from collections.abc import Mapping

    from app.exchange.problems import Problems
    from app.exchange.tabular.column_checks import Mask
    from app.exchange.tabular.table import Column, Table

KINDS = ("person", "model")
_TRUE, _FALSE = ("true", "yes", "1"), ("false", "no", "0", "")


def check_raters(table: Table, problems: Problems) -> pd.DataFrame | None:
    """Return the raters in the columns of `study_folder`; None if a required column is missing."""
    if not has_columns(table, ["rater", "kind"], problems):
        return None
    keys, kinds, pools = (ids(table, name, problems) for name in ("rater", "kind", "pool"))
    unique_ids(table, "rater", keys, problems)
    faulty(table, ~np.isin(kinds, KINDS), "kind", kinds, "person or model", problems)
    marks = {name: _marked(table, name, problems) for name in RATER_MARKS}
    return raters_frame(keys, kinds, pools, marks, attributes(table, RATER_COLUMNS))


def _marked(table: Table, name: str, problems: Problems) -> Mask:
    cells = np.array([text.strip().lower() for text in table.column(name)], dtype=object)
    faulty(table, ~np.isin(cells, _TRUE + _FALSE), name, cells, "true or false", problems)
    return np.isin(cells, _TRUE)


def named_in(ratings: Table | None, problems: Problems) -> pd.DataFrame:
    """Return the raters that appear in the ratings, each with the kind "person"."""
    named = ids(ratings, "rater", problems) if ratings is not None else np.array([], dtype=object)
    keys = np.array([key for key in pd.unique(named) if key], dtype=object)
    if len(keys):
        allowed = f"a file with rater, kind and pool; the {len(keys)} raters in ratings.csv are treated as people"
        problems.note("raters.csv", None, None, "no such file", allowed)
    empty = np.full(len(keys), "", dtype=object)
    return raters_frame(keys, np.full(len(keys), "person", dtype=object), empty, {}, {})


def raters_frame(
    keys: Column, kinds: Column, pools: Column, marks: Mapping[str, Mask], more: Mapping[str, Column]
) -> pd.DataFrame:
    """Build the raters frame of `study_folder`; marks that are not given are False."""
    frame = pd.DataFrame({"rater": keys, "kind": kinds, "pool": text_or_none(pools)}, dtype=object)
    for name in RATER_MARKS:
        frame[name] = marks.get(name, np.zeros(len(keys), dtype=bool)).astype(bool)
    return frame.assign(**{name: pd.Series(cells, dtype=object) for name, cells in more.items()})
