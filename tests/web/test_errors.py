"""What a visitor sees when something fails: a message, never internals."""

import pytest
from starlette.testclient import TestClient

SECRET = "the password of the database"


@pytest.fixture
def broken(visitor: TestClient, monkeypatch: pytest.MonkeyPatch) -> TestClient:
    """A visitor whose requests for the home page fail with an unexpected error."""

    def fail(*_: object) -> None:
        raise RuntimeError(SECRET)

    monkeypatch.setattr("app.studies.home_page.list_open_demos", fail)
    return visitor


@pytest.mark.parametrize("accept", ["text/html", "application/json"])
def test_handler_error_reveals_no_internals(broken: TestClient, accept: str) -> None:
    answer = broken.get("/", headers={"accept": accept})
    assert answer.status_code == 500
    assert "Something went wrong" in answer.text
    assert SECRET not in answer.text
    assert "Traceback" not in answer.text


def test_fragment_error_is_empty(broken: TestClient) -> None:
    answer = broken.get("/", headers={"hx-request": "true"})
    assert (answer.status_code, answer.text) == (500, "")


@pytest.mark.parametrize(
    ("ask", "status"), [("GET /", 500), ("GET /nowhere", 404), ("PUT /", 405), ("POST /sign-in", 413)]
)
def test_every_error_response_has_security_policy_and_message(broken: TestClient, ask: str, status: int) -> None:
    method, _, path = ask.partition(" ")
    answer = broken.request(method, path, content=b"x" * 2**21 if method == "POST" else b"")
    assert answer.status_code == status
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert "<h1>" in answer.text


def test_error_is_json_on_request(visitor: TestClient) -> None:
    answer = visitor.get("/nowhere", headers={"accept": "application/json"})
    assert answer.json()["status"] == 404
