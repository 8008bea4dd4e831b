"""ratings.parquet: every answer with types, for large studies."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
from fastparquet import write

from app.analysis.data.study_folder import StudyFolder
from app.base.files.csv_cells import column_cells
from app.studies.folder.written_tables import tables_of


def write_parquet(path: Path, study: StudyFolder) -> None:
    """Write the answers; times are UTC without a time zone, because not every reader knows zones."""
    table = pd.DataFrame(tables_of(study)["ratings"])
    for name, column in table.items():
        if isinstance(column.dtype, pd.DatetimeTZDtype):
            table[name] = column.dt.tz_convert(None)
    table["value"] = pd.Series(column_cells(table["value"]), index=table.index, dtype=object)
    texts = [str(name) for name, column in table.items() if column.dtype == object]
    write(str(path), table, compression="GZIP", object_encoding=dict.fromkeys(texts, "utf8"), write_index=False)
