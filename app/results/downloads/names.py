"""Names of the downloads that jobs write, for pages that do not load what writes them."""

from __future__ import annotations

from typing import Literal

DownloadName = Literal[
    "wide.csv", "study.xlsx", "ratings.parquet", "psych-ds.zip", "read.R", "read.sps", "requests.jsonl"
]
# By the ending of the name: of every file that is made.
MEDIA_TYPES = {
    "csv": "text/csv; charset=utf-8",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "parquet": "application/vnd.apache.parquet",
    "zip": "application/zip",
    "R": "text/plain; charset=utf-8",
    "sps": "text/plain; charset=utf-8",
    "jsonl": "application/jsonl; charset=utf-8",
}


class TooManyRowsError(ValueError):
    """A table of the study is longer than a sheet of Excel can be."""
