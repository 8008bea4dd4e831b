"""The application behind real sockets, in a thread of the test."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from uvicorn import Config, Server

from app.base.web.bounded_protocol import BoundedProtocol, IdleConnections


@contextmanager
def served(
    app: Any,  # noqa: ANN401 - any ASGI application
    headers_s: float = 10.0,
    max_idle: int = 256,
    unread_s: float = 30.0,
) -> Iterator[int]:
    """Serve on a local port, which is yielded."""
    limits = {"headers_s": headers_s, "idle": IdleConnections(max_idle, 2 * max_idle), "unread_s": unread_s}
    protocol = type("Protocol", (BoundedProtocol,), limits)
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
