"""Names of the downloads that a process of its own writes, for pages that do not load what writes them."""

from __future__ import annotations

from typing import Literal

DownloadName = Literal[
    "wide.csv", "study.xlsx", "ratings.parquet", "psych-ds.zip", "read.R", "read.sps", "requests.jsonl"
]
MEDIA_TYPES: dict[DownloadName, str] = {
    "wide.csv": "text/csv; charset=utf-8",
    "study.xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "ratings.parquet": "application/vnd.apache.parquet",
    "psych-ds.zip": "application/zip",
    "read.R": "text/plain; charset=utf-8",
    "read.sps": "text/plain; charset=utf-8",
    "requests.jsonl": "application/jsonl; charset=utf-8",
}


class TooManyRowsError(ValueError):
    """A table of the study is longer than a sheet of Excel can be."""
