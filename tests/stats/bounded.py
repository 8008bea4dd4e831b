"""A limit on processor time, so that endless iterations fail instead of hanging."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def processor_seconds(limit: float) -> Iterator[None]:
    """Fail if the block uses more processor seconds than `limit`; the load of the machine does not matter.

    Raises:
        AssertionError: the block took longer.
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
