"""Names of the downloads that jobs write, for pages that do not load what writes them."""

from __future__ import annotations

from typing import Literal

DownloadName = Literal[
    "wide.csv", "study.xlsx", "ratings.parquet", "psych-ds.zip", "read.R", "read.sps", "requests.jsonl"
]


class TooManyRowsError(ValueError):
    """A table of the study is longer than a sheet of Excel can be."""
