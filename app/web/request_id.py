"""An id for each request: in its log lines, in the header of its answer and on its error page."""

from __future__ import annotations

import secrets
from contextvars import ContextVar

HEADER = "X-Request-ID"
_current: ContextVar[str] = ContextVar("request_id", default="-")


def new_request_id() -> str:
    """Begin a request. The id comes from us: one that a visitor sends could forge log lines."""
    request_id = secrets.token_hex(8)
    _current.set(request_id)
    return request_id


def current_request_id() -> str:
    """The id of the request that is being answered; a dash outside of one."""
    return _current.get()
