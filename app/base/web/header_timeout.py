"""HTTP connections with limits on the time and size of request headers.

uvicorn only limits how long a connection may be idle between two requests. A client that sends one byte of a header
from time to time could keep its connection open forever, and many of them would use up the file descriptors of the
process. Its parser has no limit on the size of a header either: it would keep as much as arrives in that time.

Headers of one request are counted in two ways: exactly if they are complete, and by what has arrived if they are not.
The parser gets data in pieces of the limit, so that it never keeps more than a piece beyond it.
"""

from __future__ import annotations

import asyncio
import logging

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from app.base.logs import ThrottledLog

HEADERS_S, MAX_HEADER_BYTES = 10.0, 64 * 1024
# Between a name and its value, and after each line.
_SEPARATORS = len(": \r\n")
_TIMED_OUT, _TOO_LARGE = b"408 Request Timeout", b"431 Request Header Fields Too Large"

log = ThrottledLog(logging.getLogger("attune.web"), every_s=60)


class TooLargeError(Exception):
    """The headers of a request are too large; raising it stops the parser."""


class HeaderTimeoutProtocol(HttpToolsProtocol):
    """Closes connections whose first or next headers are not complete within `headers_s` seconds, or are too large."""

    headers_s = HEADERS_S
    _waiting: asyncio.TimerHandle | None = None
    # Bytes of headers that are complete, and of those that are not.
    _n_complete = _n_unparsed = 0
    _has_begun = _is_too_large = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the timer for the first request."""
        super().connection_made(transport)
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Cancel the timer."""
        self._stop_waiting()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Pass the data on in pieces, and count them as long as headers are not complete."""
        for start in range(0, len(data), MAX_HEADER_BYTES):
            if self.transport.is_closing():
                return
            piece = data[start : start + MAX_HEADER_BYTES]
            self._has_begun = False
            super().data_received(piece)
            is_all_of_headers = self._waiting is not None and not self._has_begun
            self._n_unparsed = self._n_unparsed + len(piece) if is_all_of_headers else 0
            if self._n_unparsed > MAX_HEADER_BYTES:
                self._refuse(_TOO_LARGE)

    def on_message_begin(self) -> None:
        """Restart the timer: a request has begun, and the rest of its headers must follow."""
        super().on_message_begin()
        self._has_begun, self._n_complete = True, 0
        self._wait()

    def on_url(self, url: bytes) -> None:
        """Count the address."""
        self._count(len(url))
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Count a header."""
        self._count(len(name) + len(value) + _SEPARATORS)
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """Cancel the timer: the headers are complete."""
        self._stop_waiting()
        super().on_headers_complete()

    def send_400_response(self, msg: str) -> None:
        """Say what is wrong with a request that the parser has refused."""
        if self._is_too_large:
            self._refuse(_TOO_LARGE)
        else:
            super().send_400_response(msg)

    def _unsupported_upgrade_warning(self) -> None:
        """Log that a client has asked for another protocol, such as WebSocket; the request is answered without it."""
        log.error("a client asked for a WebSocket or another protocol, which this server does not have")

    def _count(self, n_bytes: int) -> None:
        self._n_complete += n_bytes
        if self._n_complete > MAX_HEADER_BYTES:
            self._is_too_large = True
            raise TooLargeError

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
