"""Waiting for a state, not for a time."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


def eventually(condition: Callable[[], bool], seconds: float = 60.0, pause_s: float = 0.05) -> None:
    """Wait until the condition is true; the test fails if that takes longer than these seconds."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not become so in time"
        time.sleep(pause_s)
