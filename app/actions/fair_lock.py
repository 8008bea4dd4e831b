"""A lock that is given in the order in which it was asked for: nobody who waits is overtaken."""

from __future__ import annotations

from collections import deque
from threading import Event, Lock


class FairLock:
    """Like `threading.Lock`, which may be given to anybody who waits, but first come, first served."""

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
            if mine.is_set():  # given at the last moment
                return True
            self._waiting.remove(mine)
            return False

    def release(self) -> None:
        """Give the lock to whoever has waited longest, if anybody."""
        with self._guard:
            if self._waiting:
                self._waiting.popleft().set()
            else:
                self._is_taken = False
