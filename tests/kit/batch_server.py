"""The endpoints of batches of an OpenAI-compatible server: files, batches, and answers that come later."""

import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar

from tests.kit.models_server import ModelServer


@dataclass
class BatchServer(ModelServer):
    """Answers each batch once `is_open` is set, and shows it to the key that sent it.

    `lines`: what becomes of a line of the output, by its number.

    `fails`: the status instead of the next answer, by method and path, such as `POST batches`; what was asked is done.
    """

    lines: Callable[[int], dict[str, Any] | None] = lambda _number: {}
    ends: str = "completed"
    fails: dict[str, int] = field(default_factory=dict)
    files: dict[str, bytes] = field(default_factory=dict)
    made: dict[str, dict[str, Any]] = field(default_factory=dict)
    sent_by: dict[str, str] = field(default_factory=dict)
    is_open: threading.Event = field(default_factory=threading.Event)

    def batch(self, number: str) -> dict[str, Any]:
        """A batch as it is now."""
        batch = self.made[number]
        if batch["status"] == "in_progress" and self.is_open.is_set():
            answers: list[dict[str, Any]] = []
            for line in self.files[batch["input_file_id"]].splitlines():
                asked = json.loads(line)
                n = self.note(asked["body"], asked["custom_id"], "")
                own = self.lines(n)
                if own is not None:
                    body = json.loads(self.answer(asked["body"], n))
                    answers.append(
                        {"custom_id": asked["custom_id"], "response": {"status_code": 200, "body": body}, "error": None}
                        | own
                    )
            self.files[f"out-{number}"] = "\n".join(json.dumps(one, ensure_ascii=False) for one in answers).encode()
            batch |= {"status": self.ends, "output_file_id": f"out-{number}"}
        return batch


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    of: ClassVar[BatchServer]

    def log_message(self, *_: object) -> None:
        """Log nothing."""

    def do_POST(self) -> None:
        """Store a file, or begin a batch."""
        data = self.rfile.read(int(self.headers["Content-Length"]))
        with self.of.lock:
            if self.path.endswith("/files"):
                number = f"file-{len(self.of.files)}"
                found = re.search(rb'filename="requests.jsonl".*?\r\n\r\n(.*?)\r\n--', data, re.DOTALL)
                assert found
                self.of.files[number] = found[1]
                return self._send({"id": number, "object": "file"})
            asked = json.loads(data)
            number = f"batch-{len(self.of.made)}"
            self.of.sent_by[number] = self.headers["Authorization"]
            self.of.made[number] = {
                "id": number,
                "object": "batch",
                "status": "in_progress",
                "created_at": len(self.of.made),
                **asked,
            }
            return self._send(self.of.made[number])

    def do_GET(self) -> None:
        """The batches, one of them, or a file."""
        path = self.path.partition("?")[0].removeprefix("/v1/")
        kind, _, number = path.partition("/")
        if kind == "files":
            return self._write(self.of.files[number.partition("/")[0]])
        own = [one for one, key in self.of.sent_by.items() if key == self.headers["Authorization"]]
        if number and number not in own:
            self.of.fails[f"GET batches/{number}"] = 404
            return self._send({"error": {"message": f"No batch found with id '{number}'."}})
        if number:
            return self._send(self.of.batch(number))
        every = [self.of.batch(one) for one in own]
        return self._send({"object": "list", "data": every, "has_more": False})

    def _send(self, found: object) -> None:
        self._write(json.dumps(found).encode())

    def _write(self, content: bytes) -> None:
        path = self.path.partition("?")[0].removeprefix("/v1/")
        self.send_response(self.of.fails.pop(f"{self.command} {path}", 200))
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


@contextmanager
def serving_batches(server: BatchServer) -> Iterator[BatchServer]:
    """Run the server on a free port of this machine."""
    made = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"of": server}))
    made.daemon_threads, made.block_on_close = True, False
    threading.Thread(target=made.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    server.address = f"http://127.0.0.1:{made.server_port}/v1"
    try:
        yield server
    finally:
        made.shutdown()
        made.server_close()
