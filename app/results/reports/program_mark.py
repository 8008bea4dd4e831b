"""Which program computed kept results: another version may compute other numbers from the same data."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

import app

# The folders with the code that decides what results are.
FOLDERS = ("analysis", "protocol", "rating/review", "results/data", "results/reports", "stats", "studies/data")


@cache
def program_mark() -> str:
    """SHA-256 of the version and of the code that results are computed by."""
    digest = hashlib.sha256(app.__version__.encode())
    root = Path(app.__file__).parent
    for file in (file for name in FOLDERS for file in sorted((root / name).rglob("*.py"))):
        digest.update(file.read_bytes())
    return digest.hexdigest()
