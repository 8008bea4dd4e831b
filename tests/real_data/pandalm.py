"""The study of PandaLM from the shared data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.results.reproduction import pandalm

if TYPE_CHECKING:
    from pathlib import Path


def write_pandalm(folder: Path, shared: Path) -> Path:
    """The whole study."""
    return pandalm.write_pandalm(folder, shared / "data" / "pandalm" / "testset-v1.json")
