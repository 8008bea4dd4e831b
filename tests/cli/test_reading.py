"""How commands read spreadsheets."""

from __future__ import annotations

import os
import shutil
import signal
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from app.base.problem import InvalidInputError
from app.cli.reading import read_sheet, reading

if TYPE_CHECKING:
    from app.base.limits import Limits

FILES = Path(__file__).parents[1] / "base" / "files" / "parquet_files"


def crash(_: Path, __: Limits) -> None:
    """What a damaged file can make fastparquet do."""
    os.kill(os.getpid(), signal.SIGSEGV)


def process_id(_: Path, __: Limits) -> int:
    return os.getpid()


def test_command_survives_a_parquet_file_that_ends_the_process_that_reads_it(tmp_path: Path) -> None:
    shutil.copy(FILES / "polars.parquet", tmp_path / "a.csv")
    with reading(), pytest.raises(InvalidInputError, match="the input"):
        read_sheet(crash, tmp_path / "a.csv", tmp_path / "a.csv")


def test_other_spreadsheets_are_read_without_starting_a_process(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("text\na\n")
    with reading():
        assert read_sheet(process_id, tmp_path / "a.csv", tmp_path / "a.csv") == os.getpid()
