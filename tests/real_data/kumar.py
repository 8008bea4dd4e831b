"""The study of Kumar et al. 2025 from the shared data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.results.reproduction import kumar2025

if TYPE_CHECKING:
    from pathlib import Path


def write_kumar(folder: Path, shared: Path) -> Path:
    """The whole study."""
    return kumar2025.write_kumar(folder, shared / "data" / "kumar2025")
