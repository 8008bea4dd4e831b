"""Whether a response may be sent compressed."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from starlette.datastructures import Headers


def accepts_gzip(headers: Headers) -> bool:
    """Whether the request accepts gzip."""
    return "gzip" in headers.get("accept-encoding", "")
