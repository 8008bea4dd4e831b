"""An ID per request: in its log lines, in a header of its response and on its error page."""

from __future__ import annotations

import secrets
from contextvars import ContextVar

HEADER = "X-Request-ID"
_current: ContextVar[str] = ContextVar("request_id", default="-")


def new_request_id() -> str:
    """Create the ID of a new request. Client-sent IDs are not used, because they could forge log lines."""
    request_id = secrets.token_hex(8)
    _current.set(request_id)
    return request_id


def current_request_id() -> str:
    """The ID of the current request; a dash outside of a request."""
    return _current.get()
