"""A small local server that speaks the protocol of OpenAI-compatible servers, with the failures of real ones."""

import json
import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from random import Random
from typing import Any, ClassVar

from sqlalchemy import Connection, text

from app.llm.outcomes import Purpose
from app.llm.runs.runs import RunRow, list_runs
from tests.kit.token_stream import Stated, stream_of, text_of

Behave = Callable[["Prompt", Random], object]

KEY = "a-secret-key"
PURPOSES: tuple[Purpose, ...] = ("judge", "respond")
_FIELD = re.compile(r'^"(q\d+\w*)": (.*) \((question .*)\)$', re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Prompt:
    """What the server was sent: the text of the page, and the fields of the answer with what each allows."""

    body: dict[str, Any]

    @property
    def page(self) -> str:
        """The first message of the user."""
        return str(next(message["content"] for message in self.body["messages"] if message["role"] == "user"))

    @property
    def fields(self) -> dict[str, list[Any]]:
        """The allowed answers of each field; empty for numbers and texts."""
        return {
            name: json.loads(f"[{words.removeprefix('a list of any of ').replace(' | ', ', ')}]")
            if words.startswith(('"', "a list of any"))
            else []
            for name, words, _ in _FIELD.findall(self.page)
        }

    def response(self, letter: str) -> str:
        """The text of one response."""
        part = re.search(rf"^Response {letter}.*?$\n\n((?:>.*\n?)+)", self.page, re.MULTILINE)
        assert part, self.page
        return "\n".join(line.removeprefix(">").strip() for line in part[1].splitlines())


@dataclass
class ModelServer:
    """The server. `behave` makes the answer of the model: an object for JSON, a text, or the probabilities of answers.

    `troubles`: what it answers instead, by the number of the request. `usage`: tokens in and out that it reports.
    `piece_s`: seconds before each word of a stream; `breaks_after`: after how many words a stream breaks off, by the
    number of the request, None for never.
    """

    behave: Behave
    troubles: Callable[[int], tuple[int, dict[str, str], bytes] | None] = lambda _number: None
    refuses: Callable[[dict[str, Any]], tuple[int, dict[str, str], bytes] | None] = lambda _body: None
    delay_s: float = 0.0
    piece_s: float = 0.0
    breaks_after: Callable[[int], int | None] = lambda _number: None
    version_of: Callable[[int], str] = lambda _number: "test-model-1"
    seen: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    by_id: Counter[str] = field(default_factory=Counter)
    finish: str = "stop"
    refusal: str | None = None
    usage: tuple[int, int] | None = (100, 20)
    address: str = ""
    lock: threading.Lock = field(default_factory=threading.Lock)

    def note(self, body: dict[str, Any], request_id: str, key: str) -> int:
        """Remember a request; return its number, from 1."""
        with self.lock:
            self.seen.append(body)
            self.keys.append(key)
            self.by_id[request_id] += 1
            return len(self.seen)

    def answer(self, body: dict[str, Any], number: int) -> bytes:
        """One completion."""
        # The same prompt draws the same answer in every run of the test.
        rng = Random(json.dumps([body["messages"], body.get("seed")]))  # noqa: S311 - a test's own dice
        found, tokens = self.behave(Prompt(body), rng), None
        if isinstance(found, Stated):
            tokens = stream_of(found, found.drawn(rng))
            found = text_of(tokens)
        text = found if isinstance(found, str) else json.dumps(found)
        completion = {
            "id": f"c-{number}",
            "object": "chat.completion",
            "created": 1,
            "model": self.version_of(number),
            "system_fingerprint": "fp-1",
            "choices": [
                {
                    "index": 0,
                    "finish_reason": self.finish,
                    "message": {"role": "assistant", "content": text, "refusal": self.refusal},
                    "logprobs": {"content": tokens or _tokens(text)} if body.get("logprobs") else None,
                }
            ],
        }
        if self.usage:
            spent, made = self.usage
            completion["usage"] = {"prompt_tokens": spent, "completion_tokens": made, "total_tokens": spent + made}
        return json.dumps(completion).encode()


def _events(completion: bytes, pieces: str = r"\S+\s*|\s+") -> Iterator[dict[str, Any]]:
    """A completion as the events of a stream: word by word, then why it ended, then its tokens."""
    body = json.loads(completion)
    (choice,) = body.pop("choices")
    usage = body.pop("usage", None)
    message = choice["message"] or {}
    content = message.get("content") or ""
    beside = {name: value for name, value in message.items() if name not in {"role", "content"} and value}
    yield body | {"choices": [{"index": 0, "delta": {"role": "assistant", **beside}}]}
    for word in re.findall(pieces, content) if isinstance(content, str) else [content]:
        yield body | {"choices": [{"index": 0, "delta": {"content": word}}]}
    yield body | {"choices": [{"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}]}
    if usage:
        yield body | {"choices": [], "usage": usage}


def _tokens(text: str) -> list[dict[str, Any]]:
    """Each character a token of probability .9, without alternatives."""
    of_sign: dict[str, object] = {"logprob": -0.1053605, "bytes": None, "top_logprobs": []}
    return [{"token": sign, **of_sign} for sign in text]


class _Handler(BaseHTTPRequestHandler):
    """Answers requests for the server of its class."""

    protocol_version = "HTTP/1.1"
    of: ClassVar[ModelServer]

    def handle(self) -> None:
        """Serve a connection; a client that was killed resets it."""
        try:
            super().handle()
        except ConnectionResetError:
            self.close_connection = True

    def log_message(self, *_: object) -> None:
        """Log nothing."""

    def do_POST(self) -> None:
        """Note the request, and answer it as the server does."""
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        request_id = self.headers.get("Idempotency-Key", "")
        self.of.headers.append(dict(self.headers))
        number = self.of.note(body, request_id, self.headers.get("Authorization", ""))
        time.sleep(self.of.delay_s)
        trouble = self.of.refuses(body) or self.of.troubles(number)
        try:
            if body.get("stream") and not trouble:
                self._stream(number, _events(self.of.answer(body, number)))
                return
            status, headers, content = trouble or (200, {}, self.of.answer(body, number))
            self._send(status, {"Content-Type": "application/json"} | headers, content)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def _stream(self, number: int, events: Iterator[dict[str, Any]]) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        n_words = self.of.breaks_after(number)
        for n_sent, event in enumerate(events):
            if n_sent - 1 == n_words:
                self.close_connection = True
                return
            self._chunk(f"data: {json.dumps(event)}\n\n".encode())
            time.sleep(self.of.piece_s)
        self._chunk(b"data: [DONE]\n\n")
        self._chunk(b"")

    def _chunk(self, content: bytes) -> None:
        self.wfile.write(b"%x\r\n%s\r\n" % (len(content), content))

    def _send(self, status: int, headers: dict[str, str], content: bytes) -> None:
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(content))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)


@contextmanager
def serving(server: ModelServer) -> Iterator[ModelServer]:
    """Run the server on a free port of this machine."""
    made = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"of": server}))
    made.daemon_threads = True
    made.block_on_close = False
    thread = threading.Thread(target=made.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    server.address = f"http://127.0.0.1:{made.server_port}/v1"
    try:
        yield server
    finally:
        made.shutdown()
        made.server_close()


def first_offer(prompt: Prompt, _rng: Random) -> dict[str, Any]:
    """Always the first answer that is offered: a judge that prefers whatever stands on the left."""
    return {name: (allowed[0] if allowed else "words") for name, allowed in prompt.fields.items()}


def fail_with(status: int, words: str = "", **more: object) -> tuple[int, dict[str, str], bytes]:
    """A failure of the server; names with a capital letter are headers, others are fields of the error."""
    error = {"message": words, "type": "test", "code": None} | {n: v for n, v in more.items() if n.islower()}
    headers = {name.replace("_", "-"): str(value) for name, value in more.items() if not name.islower()}
    return status, headers, json.dumps({"error": error}).encode()


def completed(message: object, finish: str | None = "stop", **more: object) -> tuple[int, dict[str, str], bytes]:
    """A completion with this message, as false as the test wants it."""
    choice = {"index": 0, "finish_reason": finish, "message": message}
    usage = {"prompt_tokens": 100, "completion_tokens": 20}
    return 200, {}, json.dumps({"id": "c-1", "model": "m", "choices": [choice], "usage": usage} | more).encode()


def streamed(sent: tuple[int, dict[str, str], bytes]) -> tuple[int, dict[str, str], bytes]:
    """A completion as a stream of events; anything else as it is."""
    if b'"choices": [{' not in sent[2]:
        return sent
    events = "".join(f"data: {json.dumps(event)}\n\n" for event in _events(sent[2], r"(?s).{1,9999}"))
    return 200, {"Content-Type": "text/event-stream"}, f"{events}data: [DONE]\n\n".encode()


def picky(**refused: str) -> Callable[[dict[str, Any]], tuple[int, dict[str, str], bytes] | None]:
    """A server that refuses requests with these fields, with these words."""

    def trouble(body: dict[str, Any]) -> tuple[int, dict[str, str], bytes] | None:
        return next((fail_with(400, words) for name, words in refused.items() if name in body), None)

    return trouble


def queued_runs(db: Connection) -> list[RunRow]:
    """The runs of all studies that wait for a worker, the oldest first."""
    studies = db.execute(text("SELECT id FROM studies ORDER BY id")).scalars().all()
    runs = [run for study in studies for purpose in PURPOSES for run in list_runs(db, study, purpose)]
    return sorted((run for run in runs if run.is_queued), key=lambda run: run.id)
