"""A bound on the processor time of what is tried: an iteration without an end fails instead of hanging."""

from __future__ import annotations

import signal
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType


@contextmanager
def processor_seconds(limit: float) -> Iterator[None]:
    """Fail where the block takes more seconds of the processor; a busy machine does not count.

    Raises:
        AssertionError: it took longer.
    """

    def stop(_number: int, _frame: FrameType | None) -> None:
        raise AssertionError(f"more than {limit:g} seconds of the processor")

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, limit)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
