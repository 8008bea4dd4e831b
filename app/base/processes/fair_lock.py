"""A lock that is granted in the order of requests, so that no waiting thread is overtaken."""

from __future__ import annotations

from collections import deque
from threading import Event, Lock


class FairLock:
    """Like `threading.Lock`, but first come, first served; `threading.Lock` may go to any waiting thread."""

    def __init__(self) -> None:
        """Create a lock that is free."""
        self._guard, self._is_taken = Lock(), False
        self._waiting: deque[Event] = deque()

    def acquire(self, timeout_s: float | None = None) -> bool:
        """Take the lock; False if it was not free in time."""
        with self._guard:
            if not self._is_taken:
                self._is_taken = True
                return True
            mine = Event()
            self._waiting.append(mine)
        if mine.wait(timeout_s):
            return True
        with self._guard:
            if mine.is_set():  # granted just as the wait timed out
                return True
            self._waiting.remove(mine)
            return False

    def release(self) -> None:
        """Pass the lock to the thread that has waited longest, if any."""
        with self._guard:
            if self._waiting:
                self._waiting.popleft().set()
            else:
                self._is_taken = False
