"""What the conversions of published data share: writing the plain files of a study folder."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

Row = dict[str, str]


def write_rows(path: Path, rows: list[Row], encoding: str = "utf-8") -> None:
    """One CSV file, RFC 4180; the columns are those of the rows, in the order in which they first appear."""
    path.parent.mkdir(parents=True, exist_ok=True)
    columns = list(dict.fromkeys(column for row in rows for column in row))
    with path.open("w", encoding=encoding, newline="") as file:
        writer = csv.DictWriter(file, columns, restval="")
        writer.writeheader()
        writer.writerows(rows)


def read_rows(path: Path, encoding: str = "utf-8-sig") -> list[Row]:
    """The rows of a CSV file, as text; carriage returns inside quotes are kept."""
    with path.open(encoding=encoding, newline="") as file:
        return list(csv.DictReader(file))


def write_study(folder: Path, yaml: str, **tables: Iterable[Row]) -> Path:
    """A study folder: study.yaml and one CSV file for each table."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "study.yaml").write_text(yaml, encoding="utf-8", newline="")
    for name, rows in tables.items():
        write_rows(folder / f"{name}.csv", list(rows))
    return folder
