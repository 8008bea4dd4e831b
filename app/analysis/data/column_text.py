"""A whole column as text: each distinct value is written once, so that a million ratings take a moment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

if TYPE_CHECKING:
    from collections.abc import Callable


def column_text(column: pd.Series[Any], cell: Callable[[object], str], *, missing: str, utc: str) -> list[str]:
    """Each cell of a column as text.

    Args:
        column: any column; times carry a time zone.
        cell: writes one distinct value, a Python object and no numpy scalar.
        missing: what stands for a missing value.
        utc: what follows a time, which is written as ISO 8601 in UTC.
    """
    if isinstance(column.dtype, pd.DatetimeTZDtype):
        times = column.dt.tz_convert("UTC").dt.tz_localize(None).to_numpy()
        return np.where(np.isnat(times), missing, np.char.add(np.datetime_as_string(times), utc)).tolist()  # type: ignore[no-any-return]
    codes, distinct = pd.factorize(column)
    # `tolist` gives Python's own numbers: numpy's repr is not a number
    written = np.array([*map(cell, distinct.tolist()), missing], dtype=object)
    return written[codes].tolist()  # type: ignore[no-any-return]
