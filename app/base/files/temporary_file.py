"""A temporary file that outlives the function that writes it."""

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO, cast


def temporary_file(write: Callable[[BinaryIO], object]) -> Path:
    """A temporary file, to be deleted by the caller; it is deleted if writing fails."""
    with tempfile.NamedTemporaryFile(prefix="attune-", delete=False) as file:
        path = Path(file.name)
        try:
            write(cast("BinaryIO", file))
        except BaseException:
            path.unlink(missing_ok=True)
            raise
    return path
