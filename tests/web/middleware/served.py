"""The application behind real sockets, in a thread of the test."""

from __future__ import annotations

import socket
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from uvicorn import Config, Server

from app.cli.header_timeout import HeaderTimeoutProtocol

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def served(app: Any, headers_s: float = 10.0) -> Iterator[int]:  # noqa: ANN401 - any ASGI application
    """Serve on a local port, which is yielded."""
    protocol = type("Protocol", (HeaderTimeoutProtocol,), {"headers_s": headers_s})
    with socket.create_server(("127.0.0.1", 0), backlog=256) as listening:
        config = Config(app, http=protocol, ws="none", lifespan="off", log_config=None, timeout_graceful_shutdown=1)
        server = Server(config)
        thread = threading.Thread(target=server.run, args=([listening],), daemon=True)
        thread.start()
        try:
            yield listening.getsockname()[1]
        finally:
            server.should_exit = True
            thread.join(timeout=20)


def connect(port: int) -> socket.socket:
    """Open a connection whose reads time out after at most half a minute."""
    return socket.create_connection(("127.0.0.1", port), timeout=30)
