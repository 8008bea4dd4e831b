"""A small local server that plays Prolific."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

from app.rating.prolific.client import Prolific

TOKEN = "a-prolific-token"
PAGE = 2


@dataclass
class ProlificServer:
    """Submissions with their status, and statuses with which the next requests are answered instead."""

    statuses: dict[str, str] = field(default_factory=dict)
    troubles: list[int] = field(default_factory=list)
    bodies: list[dict[str, str]] = field(default_factory=list)
    slept: list[float] = field(default_factory=list)
    port: int = 0

    def client(self, token: str = TOKEN) -> Prolific:
        """A client of this server that notes waits instead of waiting."""
        return Prolific(
            token, connect=lambda: HTTPConnection("127.0.0.1", self.port, timeout=5), sleep=self.slept.append
        )

    def answer(self, method: str, path: str, body: bytes, authorization: str | None) -> tuple[int, object]:
        """What Prolific answers to a request."""
        if self.troubles:
            return self.troubles.pop(0), {"error": {"detail": "Something is wrong"}}
        if authorization != f"Token {TOKEN}":
            return 401, {"error": {"detail": "Invalid token"}}
        address = urlsplit(path)
        if method == "GET" and address.path == "/api/v1/submissions/":
            start = (int(parse_qs(address.query)["page"][0]) - 1) * PAGE
            rows = [{"id": key, "status": status} for key, status in self.statuses.items()]
            return 200, {"results": rows[start : start + PAGE]}
        submission = address.path.removeprefix("/api/v1/submissions/").removesuffix("/transition/")
        if submission not in self.statuses:
            return 404, {}
        self.bodies.append(json.loads(body))
        self.statuses[submission] = "APPROVED"
        return 200, {"status": "APPROVED"}


@contextmanager
def prolific_server() -> Iterator[ProlificServer]:
    """Yield the server on a free port of this machine."""
    state = ProlificServer()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            status, answer = state.answer(self.command, self.path, body, self.headers["authorization"])
            sent = json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("content-length", str(len(sent)))
            self.end_headers()
            self.wfile.write(sent)

        def do_POST(self) -> None:
            self.do_GET()

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    state.port = server.server_port
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield state
    finally:
        server.shutdown()
        server.server_close()
