"""A page for requests that are too large.

If the length was announced, FastAPI's own limit responds with a few words of plain text, bypassing all error handlers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.datastructures import Headers
from starlette.requests import Request

from app.web.error_responses import NOT_POSSIBLE, answer
from app.web.errors import WORDS

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

TOO_LARGE = 413


class TooLarge:
    """Pure ASGI: replaces the plain-text response with a page."""

    def __init__(self, app: ASGIApp) -> None:
        """Replace responses of `app`."""
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass everything on except the plain-text response."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        is_replaced = False

        async def send_in_words(message: Message) -> None:
            nonlocal is_replaced
            if is_replaced:
                return
            is_replaced = _is_plain_refusal(message)
            if is_replaced:
                page = answer(Request(scope), TOO_LARGE, NOT_POSSIBLE, WORDS[TOO_LARGE])
                await page(scope, receive, send)
            else:
                await send(message)

        await self.app(scope, receive, send_in_words)


def _is_plain_refusal(message: Message) -> bool:
    if message["type"] != "http.response.start" or message["status"] != TOO_LARGE:
        return False
    return Headers(raw=message["headers"]).get("content-type", "").startswith("text/plain")
