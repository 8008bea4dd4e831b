"""Convert a whole column to text; each distinct value is formatted only once, so that large columns are fast."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd


def column_text(column: pd.Series[Any], cell: Callable[[object], str], *, missing: str, utc: str) -> list[str]:
    """Return each cell of a column as text.

    Args:
        column: any column; times must have a time zone.
        cell: formats one distinct value, which is a Python object, never a numpy scalar.
        missing: the text for missing values.
        utc: the suffix of times, which are formatted as ISO 8601 in UTC.
    """
    if isinstance(column.dtype, pd.DatetimeTZDtype):
        times = column.dt.tz_convert("UTC").dt.tz_localize(None).to_numpy()
        return np.where(np.isnat(times), missing, np.char.add(np.datetime_as_string(times), utc)).tolist()  # type: ignore[no-any-return]
    codes, distinct = pd.factorize(column)
    # `tolist` returns Python numbers; the repr of numpy numbers contains their type
    written = np.array([*map(cell, distinct.tolist()), missing], dtype=object)
    return written[codes].tolist()  # type: ignore[no-any-return]
