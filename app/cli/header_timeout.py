"""HTTP connections with limits on the time and size of request headers.

uvicorn only limits how long a connection may be idle between two requests. A client that sends one byte of a header
from time to time could keep its connection open forever, and many of them would use up the file descriptors of the
process. Its parser has no limit on the size of a header either: it would keep as much as arrives in that time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

if TYPE_CHECKING:
    import asyncio

HEADERS_S, MAX_HEADER_BYTES = 10.0, 64 * 1024
_TIMED_OUT, _TOO_LARGE = b"408 Request Timeout", b"431 Request Header Fields Too Large"


class HeaderTimeoutProtocol(HttpToolsProtocol):
    """Closes connections whose first or next headers are not complete within `headers_s` seconds, or are too large."""

    headers_s = HEADERS_S
    _waiting: asyncio.TimerHandle | None = None
    _n_bytes = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the timer for the first request."""
        super().connection_made(transport)
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Cancel the timer."""
        self._stop_waiting()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Pass the data on, and count it as long as headers are not complete."""
        super().data_received(data)
        self._n_bytes = self._n_bytes + len(data) if self._waiting else 0
        if self._n_bytes > MAX_HEADER_BYTES:
            self._refuse(_TOO_LARGE)

    def on_message_begin(self) -> None:
        """Restart the timer: a request has begun, and the rest of its headers must follow."""
        super().on_message_begin()
        self._wait()

    def on_headers_complete(self) -> None:
        """Cancel the timer: the headers are complete."""
        self._stop_waiting()
        super().on_headers_complete()

    def _wait(self) -> None:
        self._stop_waiting()
        self._waiting = self.loop.call_later(self.headers_s, self._refuse, _TIMED_OUT)

    def _stop_waiting(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None

    def _refuse(self, status: bytes) -> None:
        self._stop_waiting()
        if not self.transport.is_closing():
            self.transport.write(b"HTTP/1.1 " + status + b"\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
            self.transport.close()
