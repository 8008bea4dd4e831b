"""HTTP connections to other servers that can be cut off at any time, whatever the other side does."""

import math
import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http.client import HTTPConnection, HTTPSConnection
from threading import Event, Timer
from urllib.request import HTTPRedirectHandler


class PlainConnection(HTTPConnection):
    """A connection without TLS. `ip`: the address to connect to, if it has been looked up and checked already."""

    def __init__(self, host: str, port: int | None, timeout_s: float, *, ip: str | None = None) -> None:
        super().__init__(host, port, timeout=timeout_s)
        self._ip = ip

    def connect(self) -> None:
        self.sock = socket.create_connection((self._ip or self.host, self.port), self.timeout)


class SecureConnection(HTTPSConnection):
    """A connection with TLS; the certificate must be for the host. `ip` as in `PlainConnection`."""

    def __init__(self, host: str, port: int | None, timeout_s: float, *, ip: str | None = None) -> None:
        self._tls = ssl.create_default_context()
        super().__init__(host, port, timeout=timeout_s, context=self._tls)
        self._ip = ip

    def connect(self) -> None:
        plain = socket.create_connection((self._ip or self.host, self.port), self.timeout)
        # The handshake comes after `sock` is set, so that it can be cut off too.
        self.sock = self._tls.wrap_socket(plain, server_hostname=self.host, do_handshake_on_connect=False)
        self.sock.do_handshake()


@contextmanager
def cut_off_after(connection: HTTPConnection, seconds: float) -> Iterator[Event]:
    """Break the connection after so many seconds, and close it at the end; yields whether it was broken.

    The timeout of a socket is for each read: a server that sends a byte now and then would never exceed it.
    """
    is_late = Event()
    timer = Timer(seconds, _cut_off, [connection, is_late])
    timer.daemon = True
    timer.start()
    try:
        yield is_late
    finally:
        timer.cancel()
        connection.close()


def _cut_off(connection: HTTPConnection, is_late: Event) -> None:
    is_late.set()
    if connection.sock is not None:
        with suppress(OSError):
            connection.sock.shutdown(socket.SHUT_RDWR)


class NoRedirects(HTTPRedirectHandler):
    """A redirect is an error: texts and tokens go to the address that was given and nowhere else."""

    def redirect_request(self, *_: object) -> None:
        """Follow no redirect."""


# The header Retry-After: how long a server asks to wait (RFC 9110, section 10.2.3).


def seconds_to_wait(header: str, *, at_most: float) -> float | None:
    """The seconds that a server asks to wait, from 0 to `at_most`; None if the header is no number and no date.

    >>> seconds_to_wait("2.5", at_most=120), seconds_to_wait("9999", at_most=120)
    (2.5, 120)
    >>> seconds_to_wait("Wed, 21 Oct 2015 07:28:00 GMT", at_most=120)  # past
    0.0
    >>> seconds_to_wait("soon", at_most=120) is seconds_to_wait("nan", at_most=120) is None
    True
    """
    try:
        seconds = float(header)
    except ValueError:
        try:
            at = parsedate_to_datetime(header)
        except ValueError:
            return None
        seconds = (at.replace(tzinfo=at.tzinfo or UTC) - datetime.now(UTC)).total_seconds()
    return None if math.isnan(seconds) else min(max(seconds, 0.0), at_most)
