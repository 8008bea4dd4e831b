"""A small local server that receives webhooks, with the failures of real ones."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Receiver:
    """What it answers, and what it was sent: headers with names in lower case, and the body."""

    status: int = 204
    headers: dict[str, str] = field(default_factory=dict)
    answer: bytes = b""
    delay_s: float = 0.0
    received: list[tuple[dict[str, str], bytes]] = field(default_factory=list)
    address: str = ""


@contextmanager
def receiver() -> Iterator[Receiver]:
    """Yield a receiver on a free port of this machine."""
    state = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            state.received.append(({name.lower(): value for name, value in self.headers.items()}, body))
            time.sleep(state.delay_s)
            try:
                self.send_response(state.status)
                for name, value in {"content-length": str(len(state.answer)), **state.headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(state.answer)
            except OSError:
                pass  # the sender has hung up

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    state.address = f"http://127.0.0.1:{server.server_port}/hook"
    try:
        yield state
    finally:
        server.shutdown()
        server.server_close()
