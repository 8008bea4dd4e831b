"""Status and duration of each request, for middleware that logs or counts them."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send


class ObservedRequests(ABC):
    """Pure ASGI: passes everything on, and notes each request when the application has ended it."""

    def __init__(self, app: ASGIApp) -> None:
        """Observe the requests to `app`."""
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass everything on, and note the status of the response."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        begun, status, has_failed = time.perf_counter(), 0, True

        async def watch(message: Message) -> None:
            nonlocal status
            status = message.get("status", status)
            await send(message)

        try:
            await self.app(scope, receive, watch)
            has_failed = False
        finally:
            self.note(scope, status, time.perf_counter() - begun, has_failed=has_failed)

    @abstractmethod
    def note(self, scope: Scope, status: int, seconds: float, *, has_failed: bool) -> None:
        """Log or count a request. `status` is 0 if no response began; `has_failed` if the application raised."""
