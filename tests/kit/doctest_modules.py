"""Doctests are collected from the modules that have examples; the others are not even imported for it."""

from collections.abc import Generator
from pathlib import Path

import pytest

PROMPT = ">>>"


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path: Path) -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    """Drop pytest's collector of doctests for a file without examples."""
    collectors = yield
    if PROMPT in file_path.read_text(encoding="utf-8", errors="replace"):
        return collectors
    return [collector for collector in collectors if type(collector).__name__ != "DoctestModule"]
