"""HTTP connections with limits: how many are idle, how many requests wait in one, how long a response is not read.

The connections that a process can have are limited by its open files. A client that opens connections and sends
nothing, or sends requests and does not read the responses, must not take them from others.
"""

from __future__ import annotations

import asyncio
import logging
import sys
from contextlib import suppress

from uvicorn._types import ASGI3Application
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from app.base.logs import ThrottledLog

# HTTP connections with limits on the time and size of request headers.
#
# uvicorn only limits how long a connection may be idle between two requests. A client that sends one byte of a
# header from time to time could keep its connection open forever, and many of them would use up the file descriptors
# of the process. Its parser has no limit on the size of a header either: it would keep as much as arrives in that
# time.
#
# Headers of one request are counted in two ways: exactly if they are complete, and by what has arrived if they are
# not. The parser gets data in pieces of the limit, so that it never keeps more than a piece beyond it.


HEADERS_S, MAX_HEADER_BYTES = 10.0, 64 * 1024
# Between a name and its value, and after each line.
_SEPARATORS = len(": \r\n")
_TIMED_OUT, _TOO_LARGE = b"408 Request Timeout", b"431 Request Header Fields Too Large"

_upgrade_log = ThrottledLog(logging.getLogger("attune.web"), every_s=60)


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
        """Count the bytes of the address, which may be too many."""
        self._count(len(url))
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Count the bytes of a header; all headers together may be too many."""
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
        _upgrade_log.error("a client asked for a WebSocket or another protocol, which this server does not have")

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


if sys.platform != "win32":  # Windows has no such module
    import resource


log = ThrottledLog(logging.getLogger("attune.web"), every_s=10)
# For each process; hundreds of raters of one university may share an address.
MAX_IDLE_PER_ADDRESS = 256
# Browsers and proxies do not send a request before the response to the last one.
MAX_PIPELINED = 8
# A slow client reads some bytes in this time.
UNREAD_S = 30.0
EVERYONE = ""
FEW_FILES = 1024


def allow_open_files() -> int:
    """Raise the soft limit on open files to the hard one, and return it: the usual soft limit is 1,024."""
    if sys.platform == "win32":
        return FEW_FILES
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(ValueError, OSError):  # macOS has a lower limit than it says
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        soft = hard
    return soft if soft != resource.RLIM_INFINITY else sys.maxsize


class IdleConnections:
    """The connections of a process that wait for a request; beyond a limit, the one that waited longest is closed."""

    def __init__(self, per_address: int, in_all: int) -> None:
        """Set the limits for each address, and for all of them together."""
        self._per_address, self._in_all = per_address, in_all
        self._waiting: dict[str, dict[BoundedProtocol, None]] = {}

    def add(self, connection: BoundedProtocol) -> None:
        """Note that a connection waits now."""
        for address, most in ((connection.address, self._per_address), (EVERYONE, self._in_all)):
            waiting = self._waiting.setdefault(address, {})
            waiting[connection] = None
            if len(waiting) > most:
                longest = next(iter(waiting))
                self.remove(longest)
                longest.give_up()
                log.error(
                    "more than %s idle connections%s: the oldest are closed",
                    most,
                    " from one address" if address else "",
                )

    def remove(self, connection: BoundedProtocol) -> None:
        """Note that a connection does not wait any more."""
        for address in (connection.address, EVERYONE):
            if waiting := self._waiting.get(address):
                waiting.pop(connection, None)
                if not waiting:
                    del self._waiting[address]


class BoundedProtocol(HeaderTimeoutProtocol):
    """Closes connections beyond the limits."""

    idle = IdleConnections(MAX_IDLE_PER_ADDRESS, allow_open_files() // 2)
    unread_s = UNREAD_S
    address = EVERYONE
    _answered: RequestResponseCycle | None = None
    _unread: tuple[asyncio.TimerHandle, int] | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Count the connection as idle."""
        super().connection_made(transport)
        self.address = self.client[0] if self.client else EVERYONE
        self.idle.add(self)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection, and requests in it that have not begun."""
        self.idle.remove(self)
        self.pipeline.clear()
        self._stop_answering()
        self._stop_watching()
        super().connection_lost(exc)

    def on_message_begin(self) -> None:
        """End a connection in which too many requests wait for a response; raising stops the parser."""
        if len(self.pipeline) >= MAX_PIPELINED:
            log.error("a client sent requests without waiting for responses and was cut off")
            self._cut_off()
            raise ConnectionAbortedError
        super().on_message_begin()

    def send_400_response(self, msg: str) -> None:
        """Say nothing in a connection that was ended."""
        if not self.transport.is_closing():
            super().send_400_response(msg)

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: ASGI3Application) -> None:
        """Note which of the requests is being answered; uvicorn knows only the last one that came."""
        self._answered = cycle
        super()._start_asgi_task(cycle, app)

    def on_headers_complete(self) -> None:
        """Count the connection as busy."""
        self.idle.remove(self)
        super().on_headers_complete()

    def on_response_complete(self) -> None:
        """Count the connection as idle, unless another request waits in it."""
        super().on_response_complete()
        self._watch()
        if not self.transport.is_closing() and self.cycle.response_complete:
            self.idle.add(self)

    def pause_writing(self) -> None:
        """Watch whether the client reads."""
        super().pause_writing()
        self._watch()

    def give_up(self) -> None:
        """Close the connection, at once if the client has not read everything."""
        if self.transport.get_write_buffer_size():
            self.transport.abort()
        else:
            self.transport.close()

    def _watch(self) -> None:
        """End the connection if the client reads nothing for a while."""
        if self._unread is None and (n_bytes := self.transport.get_write_buffer_size()):
            self._unread = self.loop.call_later(self.unread_s, self._look), n_bytes

    def _look(self) -> None:
        before = self._unread[1] if self._unread else 0
        self._unread = None
        if self.transport.get_write_buffer_size() < before:
            self._watch()
        else:
            log.error("a client did not read its response for %.0f seconds and was cut off", self.unread_s)
            self._cut_off()

    def _cut_off(self) -> None:
        self._stop_answering()
        self.transport.abort()

    def _stop_answering(self) -> None:
        """Drop the rest of a response; written to a closed connection it would be an error."""
        if self._answered is not None and not self._answered.response_complete:
            self._answered.disconnected = True
            self._answered.message_event.set()

    def _stop_watching(self) -> None:
        if self._unread is not None:
            self._unread[0].cancel()
            self._unread = None
