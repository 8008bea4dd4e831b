"""attune score: JSON lines to a program or an endpoint, and the numbers as attributes of the responses."""

import json
import shlex
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text

from app.llm.scoring import ScoringError, score_by_command, score_by_endpoint
from app.settings import settings
from tests.kit.builder import build_study, protocol_of
from tests.kit.command_line import Attune, attune

__all__ = ["attune"]
LINES = [{"response": "a", "text": "So sorry."}, {"response": "b", "text": "Oh."}]
PROGRAM = """
import json, sys
for line in sys.stdin:
    one = json.loads(line)
    if one["source"] == "model" and one["item"] == "item-1":
        print(json.dumps({"response": one["response"], "error": "no emotion"}))
    else:
        print(json.dumps({"response": one["response"], "scores": {"length": len(one["text"])}, "version": "v2"}))
"""


def run_python(code: str, timeout_s: float = 60) -> object:
    return score_by_command([sys.executable, "-c", code], LINES, timeout_s=timeout_s)


def test_scores_of_a_program_are_stored_with_their_version(attune: Attune, tmp_path: Path) -> None:
    attune("db", "upgrade")
    database = settings().database_url
    assert database
    engine = create_engine(database.replace("postgresql://", "postgresql+psycopg://"))
    with engine.begin() as db:
        build_study(db, protocol_of(), n_items=2)
    program = tmp_path / "score.py"
    program.write_text(PROGRAM)
    said = attune("score", "study", "--name", "own", "--command", shlex.join([sys.executable, str(program)]))
    assert "Scored 3 responses: own.length, own.version" in said.err
    assert "item-1:model: no emotion" in said.err
    assert said.code == 1
    with engine.connect() as db:
        found = {row.key: row.attributes for row in db.execute(text("SELECT key, attributes FROM responses"))}
    engine.dispose()
    assert found["item-0:person"]["own.length"] == str(len("person on item-0"))
    assert found["item-0:person"]["own.version"].startswith("v2 (scored on ")
    assert found["item-1:model"] == {}
    assert attune("score", "study", "--name", "own").code == 2
    assert attune("score", "study", "--name", "o wn", "--command", "true").code == 2
    nothing = attune("score", "study", "--name", "own", "--command", shlex.join([sys.executable, "-c", "pass"]))
    assert "No response was scored. There is no line for this response." in nothing.err


@pytest.mark.parametrize(
    ("code", "problem"),
    [
        ("import time; time.sleep(60)", "did not end within 0.5 s"),
        ("import sys; sys.exit('no model')", "exit code 1: no model"),
        ("print('hello')", "Line 1 of the answer is not JSON: hello"),
        ("print(5)", "not a JSON object"),
        ('print(\'{"response": "c"}\')', 'about "c", which is not a response of the study'),
    ],
)
def test_a_program_that_does_not_keep_the_contract_stores_nothing(code: str, problem: str) -> None:
    with pytest.raises(ScoringError) as refused:
        run_python(code, 0.5 if "sleep" in code else 60)
    assert problem in str(refused.value)


def test_missing_program_and_too_much_output_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ScoringError, match="cannot be started"):
        score_by_command(["/none/there"], LINES, timeout_s=1)
    monkeypatch.setattr("app.llm.scoring.MAX_OUTPUT", 10)
    with pytest.raises(ScoringError, match="more than 10 bytes"):
        run_python("print('a' * 99)")


@contextmanager
def answering(status: int, headers: dict[str, str], make: Callable[[list[dict[str, str]]], bytes]) -> Iterator[str]:
    """A server that answers each request like this; yields its address."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            lines = self.rfile.read(int(self.headers["Content-Length"])).decode().splitlines()
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(make([json.loads(line) for line in lines]))

        def log_message(self, *_: object) -> None:
            """Log nothing."""

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()


def test_endpoint_scores_in_batches_and_invalid_scores_are_reported_per_response() -> None:
    n_requests = []

    def make(lines: list[dict[str, str]]) -> bytes:
        n_requests.append(len(lines))
        scores = {"r7": float("nan"), "r8": "many"}
        names = {"r9": "a\0b"}
        found = [
            {"response": key, "scores": {names.get(key, "x"): scores.get(key, 1.5)}}
            for key in (one["response"] for one in lines)
        ]
        return "\n".join(json.dumps(one) for one in found).encode()

    with answering(200, {}, make) as address:
        found = score_by_endpoint(address, [{"response": f"r{n}"} for n in range(150)], timeout_s=10)
    assert (n_requests, len(found.scores), found.scores["r149"]) == ([100, 50], 147, {"x": "1.5"})
    assert found.problems == {
        "r7": "The score x is NaN, which is not a number.",
        "r8": 'The score x is "many", which is not a number.',
        "r9": 'The score name "a\\u0000b" can contain only letters, digits, hyphens, points and underscores.',
    }


def test_an_endpoint_that_redirects_or_fails_gets_no_further_text() -> None:
    with (
        answering(200, {}, lambda _: b"") as other,
        answering(307, {"Location": other}, lambda _: b"") as address,
        pytest.raises(ScoringError, match="answered HTTP 307"),
    ):
        score_by_endpoint(address, LINES, timeout_s=10)
    with pytest.raises(ScoringError, match="cannot be reached"):
        score_by_endpoint("http://127.0.0.1:9/", LINES, timeout_s=10)
    with pytest.raises(ScoringError, match="begins with http"):
        score_by_endpoint("file:///etc/passwd", LINES, timeout_s=10)
