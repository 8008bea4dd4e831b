"""What a browser takes: whether an answer may go out compressed."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from starlette.datastructures import Headers


def accepts_gzip(headers: Headers) -> bool:
    """Whether the request says so."""
    return "gzip" in headers.get("accept-encoding", "")
