"""The study of Ayers et al. 2023 from the shared data."""

from pathlib import Path

from app.results.reproduction import ayers2023
from app.results.reproduction.ayers2023 import SLOTS, SOURCES, YAML, rater_rows, rating_rows
from app.results.reproduction.pack import Row

__all__ = ["SLOTS", "SOURCES", "YAML", "rater_rows", "rating_rows"]


def raw_csv(shared: Path) -> Path:
    """Where the raw file stands."""
    return shared / "data" / "ayers2023" / "JAMA.csv"


def raw_rows(shared: Path) -> list[Row]:
    """The raw rows."""
    return ayers2023.raw_rows(raw_csv(shared))


def write_ayers(folder: Path, shared: Path) -> Path:
    """The whole study."""
    return ayers2023.write_ayers(folder, raw_csv(shared))
