"""Limits on time and memory for reading input, applied to the process that reads it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from app.base.limits import Bounds
from app.base.processes.side_process import OutOfMemoryError, OutOfTimeError, process_bounds


@contextmanager
def bounded(bounds: Bounds) -> Iterator[None]:
    """Apply the bounds to the main thread of this process; has no effect on Windows, which lacks such limits.

    Raises:
        InvalidInputError: reading took more than allowed.
    """
    try:
        with process_bounds(bounds.seconds, bounds.memory_mb, clock_s=bounds.clock_s):
            yield
    except OutOfTimeError:
        raise bounds.too_slow() from None
    except OutOfMemoryError:
        raise bounds.too_large() from None
