"""The downloads by name: what writes each of them."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from app.analysis.data.study_folder import StudyFolder
from app.base.files.csv_cells import write_csv
from app.results.downloads.parquet import write_parquet
from app.results.downloads.psych_ds import write_psych_ds
from app.results.downloads.r_script import r_script
from app.results.downloads.spss_script import spss_script
from app.results.downloads.wide import wide_table
from app.results.downloads.workbook import write_workbook
from app.studies.folder.written_tables import tables_of

DownloadName = Literal["wide.csv", "study.xlsx", "ratings.parquet", "psych-ds.zip", "read.R", "read.sps"]
MEDIA_TYPES: dict[DownloadName, str] = {
    "wide.csv": "text/csv; charset=utf-8",
    "study.xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "ratings.parquet": "application/vnd.apache.parquet",
    "psych-ds.zip": "application/zip",
    "read.R": "text/plain; charset=utf-8",
    "read.sps": "text/plain; charset=utf-8",
}


def write_download(path: Path, name: DownloadName, study: StudyFolder) -> None:
    """Write one of the downloads to a file.

    Raises:
        TooManyRowsError: the study does not fit into a workbook.
    """
    match name:
        case "wide.csv":
            write_csv(path, wide_table(study))
        case "study.xlsx":
            write_workbook(path, study)
        case "ratings.parquet":
            write_parquet(path, study)
        case "psych-ds.zip":
            write_psych_ds(path, study)
        case "read.R":
            path.write_text(r_script(study.protocol), encoding="utf-8")
        case "read.sps":
            columns = list(tables_of(study)["ratings"])
            path.write_text(spss_script(study.protocol, columns), encoding="utf-8-sig")
