"""Unexpected errors are logged once and answered with an error page; they do not stop the process."""

import logging
from collections.abc import Callable

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

log = logging.getLogger("attune.web")


class UnexpectedErrors:
    """Pure ASGI: handles exceptions before the server does, whose own log line would have no path."""

    def __init__(self, app: ASGIApp, *, loggable: Callable[[str], str]) -> None:
        """Catch exceptions of `app`; `loggable` removes secrets from a path."""
        self.app, self.loggable = app, loggable

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass everything on, and log exceptions."""
        is_answered = False

        async def watch(message: Message) -> None:
            nonlocal is_answered
            is_answered = True
            await send(message)

        try:
            await self.app(scope, receive, watch)
        except Exception:
            if scope["type"] != "http":
                raise
            log.exception("%s %s failed", scope["method"], self.loggable(scope["path"]))
            if not is_answered:
                await PlainTextResponse("Something went wrong.", status_code=500)(scope, receive, watch)
