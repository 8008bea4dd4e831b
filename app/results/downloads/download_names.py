"""Names of the downloads that jobs write, for pages that do not load what writes them."""

from typing import Literal

DownloadName = Literal[
    "wide.csv",
    "study.xlsx",
    "ratings.parquet",
    "psych-ds.zip",
    "hugging-face.zip",
    "label-studio.zip",
    "read.R",
    "read.sps",
    "requests.jsonl",
]
