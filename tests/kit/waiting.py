"""Waiting for a state, not for a time."""

import time
from collections.abc import Callable
from typing import Any

from playwright.sync_api import Page


def eventually(condition: Callable[[], bool], seconds: float = 60.0, pause_s: float = 0.05) -> None:
    """Wait until the condition is true; the test fails if that takes longer than these seconds."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not become so in time"
        time.sleep(pause_s)


def until(page: Page, expression: str, argument: Any = None) -> None:  # noqa: ANN401 - what Playwright passes on
    """Wait until an expression is true in a page.

    Playwright's own `wait_for_function` looks once, and then evaluates text in the page, which its policy forbids.
    """
    from playwright.sync_api import Error

    def is_true() -> bool:
        try:
            return bool(page.evaluate(expression, argument))
        except Error as error:
            # Another page is being opened.
            if "context was destroyed" in str(error):
                return False
            raise

    eventually(is_true)
