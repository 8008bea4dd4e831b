"""An Excel workbook: one sheet per table of the study, and a codebook."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
from openpyxl import Workbook
from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE

from app.analysis.data.study_folder import StudyFolder
from app.base.files.protected_text import protected
from app.results.making.task import RefusedError
from app.studies.folder.codebook import codebook_rows
from app.studies.folder.written_tables import tables_of

# What a sheet of Excel holds, without the header, and the longest text of a cell.
MAX_ROWS, MAX_TEXT = 1_048_575, 32_767
TOO_MANY = (
    "The study has more rows than a sheet of Excel can hold. Download ratings.csv or ratings.parquet instead, and read "
    "it with R or pandas."
)
CODEBOOK = ("file", "column", "label", "question", "value", "meaning")


def write_workbook(path: Path, study: StudyFolder) -> None:
    """Write items, responses, raters, ratings and the codebook as sheets; times in UTC, formulas disabled.

    Raises:
        RefusedError: a table has more rows than a sheet can hold.
    """
    tables = {name: pd.DataFrame(columns) for name, columns in tables_of(study).items()}
    if any(len(table) > MAX_ROWS for table in tables.values()):
        raise RefusedError(TOO_MANY)
    names = {name: list(map(str, table.columns)) for name, table in tables.items()}
    book = Workbook(write_only=True)
    for name, table in tables.items():
        sheet = book.create_sheet(name)
        sheet.append([_cell(one) for one in names[name]])
        for row in _rows(table):
            sheet.append(row)
    sheet = book.create_sheet("codebook")
    sheet.append(CODEBOOK)
    for meanings in codebook_rows(study.protocol, names):
        sheet.append([_cell(one) for one in meanings])
    book.save(path)


def _rows(table: pd.DataFrame) -> Iterator[list[Any]]:
    columns = [
        column.dt.tz_convert(None) if isinstance(column.dtype, pd.DatetimeTZDtype) else column
        for _, column in table.items()
    ]
    lists = [column.astype(object).where(column.notna(), None).tolist() for column in columns]
    for row in zip(*lists, strict=True):
        yield [_cell(value) for value in row]


def _cell(value: Any) -> Any:  # noqa: ANN401 - whatever a column holds
    if isinstance(value, str):
        return protected(ILLEGAL_CHARACTERS_RE.sub("", value))[:MAX_TEXT]
    return value
