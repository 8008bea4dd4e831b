"""checks.csv: the checks that raters passed or failed, exported so that estimates can leave out flagged raters."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from app.analysis.data.frames import CHECK_COLUMNS
from app.exchange.tabular.column_checks import A_TIME, faulty, times_of
from app.exchange.tabular.table import places

if TYPE_CHECKING:
    from app.exchange.problems import Problems
    from app.exchange.tabular.table import Table

_PASSED, _FAILED = ("true", "1"), ("false", "0")


def check_checks(table: Table, raters: pd.DataFrame, problems: Problems) -> pd.DataFrame | None:
    """Return the checks as a frame with CHECK_COLUMNS; None, with a note, if it is not an exported file."""
    missing = [name for name in CHECK_COLUMNS if name not in table.columns]
    if missing:
        problems.note(
            table.file, 1, missing[0], "no such column", "the columns of an exported checks.csv; the file was ignored"
        )
        return None
    if not len(table):
        return None
    names, passed = table.stripped("rater"), table.mapped("is_passed", lambda text: text.strip().lower())
    faulty(table, places(raters["rater"].to_numpy(), names) < 0, "rater", names, "a rater of raters.csv", problems)
    faulty(table, ~np.isin(passed, _PASSED + _FAILED), "is_passed", passed, "true or false", problems)
    times = times_of(table.stripped("happened_at"))
    faulty(table, times.isna().to_numpy(), "happened_at", table.column("happened_at"), A_TIME, problems)
    return pd.DataFrame(
        {
            "rater": pd.Series(names, dtype=object),
            "check": pd.Series(table.stripped("check"), dtype=object),
            "is_passed": np.isin(passed, _PASSED),
            "happened_at": times,
        }
    )
