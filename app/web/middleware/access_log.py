"""One log line per request, if the log level includes it."""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

log = logging.getLogger("attune.access")


class AccessLog:
    """Pure ASGI: logs method, path without secrets, status and milliseconds, but no user or IP address."""

    def __init__(self, app: ASGIApp, *, loggable: Callable[[str], str]) -> None:
        """Log requests to `app`; `loggable` removes secrets from a path."""
        self.app, self.loggable = app, loggable

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass everything on, and log the status of the response."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        begun, status = time.perf_counter(), 0

        async def watch(message: Message) -> None:
            nonlocal status
            status = message.get("status", status)
            await send(message)

        await self.app(scope, receive, watch)
        ms = (time.perf_counter() - begun) * 1000
        log.info("%s %s %d %.1f ms", scope["method"], self.loggable(scope["path"]), status, ms)
