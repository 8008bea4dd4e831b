"""The study of Kumar et al. 2025 from the shared data."""

from pathlib import Path

from app.results.reproduction import kumar2025


def write_kumar(folder: Path, shared: Path) -> Path:
    """The whole study."""
    return kumar2025.write_kumar(folder, shared / "data" / "kumar2025")
