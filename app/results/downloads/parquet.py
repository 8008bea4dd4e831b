"""Tables of a study as Parquet: every answer with types, for large studies."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
from pyarrow.parquet import write_table

from app.analysis.data.study_folder import StudyFolder
from app.base.files.csv_cells import column_cells
from app.studies.folder.written_tables import Columns, tables_of


def write_parquet(path: Path, study: StudyFolder) -> None:
    """Write ratings.parquet."""
    write_table(typed(tables_of(study)["ratings"]), path, compression="gzip")


def typed(columns: Columns) -> pa.Table:
    """The columns with types; times are UTC without a time zone, because not every reader knows zones."""
    return pa.table({name: _typed(name, column) for name, column in columns.items()})


def _typed(name: str, column: pd.Series[Any]) -> pa.Array:
    if isinstance(column.dtype, pd.DatetimeTZDtype):
        return pa.array(column.dt.tz_convert(None))
    if name == "value":
        return pa.array(column_cells(column), pa.string())
    if column.dtype == object and not column.dropna().map(lambda cell: isinstance(cell, str)).all():
        column = pd.Series(column_cells(column), dtype=object).where(column.notna().to_numpy(), None)
    return pa.array(column, pa.string() if column.dtype == object else None)
