"""The study of PandaLM from the shared data."""

from pathlib import Path

from app.results.reproduction import pandalm


def write_pandalm(folder: Path, shared: Path) -> Path:
    """The whole study."""
    return pandalm.write_pandalm(folder, shared / "data" / "pandalm" / "testset-v1.json")
