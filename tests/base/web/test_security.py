"""Headers of every response, accepted host names, and the same-origin check."""

import logging
from collections.abc import Callable
from typing import Any

import pytest
from fastapi import FastAPI
from starlette.responses import PlainTextResponse
from starlette.testclient import TestClient

from app.base.web.middleware.logged_requests import AccessLog, LoggablePath
from app.base.web.middleware.security import AllowedHosts, Guard
from app.base.web.middleware.unexpected_errors import UnexpectedErrors
from app.settings import Settings

PUBLIC = "https://rate.example.org"
loggable = LoggablePath(["/s/{slug}/rate/{token}", "/sign-in/{token}", "/x"])


def client(public_url: str | None = None, base: str = "http://localhost", **headers: str) -> TestClient:
    """A guard around an application that returns the scheme and the method it sees."""

    async def echo(scope: Any, receive: Any, send: Any) -> None:  # noqa: ANN401
        await PlainTextResponse(f"{scope['scheme']} {scope['method']} {scope['path']}")(scope, receive, send)

    guard = Guard(echo, hosts=AllowedHosts(public_url=public_url), public_url=public_url, loggable=loggable)
    return TestClient(guard, base_url=base, headers=headers)


@pytest.mark.parametrize(
    ("site", "origin", "status"),
    [
        ("same-origin", None, 200),
        ("same-origin", "null", 200),
        ("same-origin", "http://localhost", 200),
        (None, "http://localhost", 200),
        ("same-origin", "https://evil.example", 403),
        ("none", "https://evil.example", 403),
        ("cross-site", "http://localhost", 403),
        ("cross-site", None, 403),
        (None, "null", 403),
        (None, None, 403),
    ],
)
def test_changes_require_same_origin(
    caplog: pytest.LogCaptureFixture, site: str | None, origin: str | None, status: int
) -> None:
    sent = {"sec-fetch-site": site, "origin": origin}
    answer = client().post("/x", headers={name: value for name, value in sent.items() if value})
    assert answer.status_code == status
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert [record.getMessage() for record in caplog.records] == (
        ["refused POST /x: it came from another site"] if status == 403 else []
    )


@pytest.mark.parametrize(
    ("host", "unset", "public"),
    [
        ("localhost:8000", 200, 200),
        ("127.0.0.1", 200, 200),
        ("[::1]:8000", 200, 200),
        ("192.168.1.7:8000", 200, 400),
        ("study.localhost", 200, 400),
        ("rate.example.org", 400, 200),
        ("RATE.example.org.:443", 400, 200),
        ("evil.example", 400, 400),
        # Written into a link, what follows the @ would be the host.
        ("127.0.0.1:8000@evil.example", 400, 400),
        ("rate.example.org:x@evil.example", 400, 400),
        ("[::1]@evil.example", 400, 400),
        ("localhost/evil.example", 400, 400),
        ("", 400, 400),
    ],
)
def test_server_answers_only_to_allowed_hosts(host: str, unset: int, public: int) -> None:
    assert client().get("/x", headers={"host": host}).status_code == unset
    assert client(PUBLIC).get("/x", headers={"host": host}).status_code == public


def test_two_host_names_are_refused() -> None:
    headers = [("host", "127.0.0.1"), ("host", "evil.example")]
    assert client().get("/x", headers=headers).status_code == 400


def test_setting_can_allow_more_hosts() -> None:
    hosts = AllowedHosts([" a.example ", "*.b.example"], PUBLIC)
    allowed = ("a.example", "x.b.example", "rate.example.org", "b.example", "c.example")
    assert [hosts.allows(host) for host in allowed] == [True, True, True, False, False]
    assert AllowedHosts(["*"]).allows("any.example")


def test_https_public_address_makes_proxied_requests_https() -> None:
    answer = client(PUBLIC, "http://127.0.0.1").get("/x")
    assert answer.text.startswith("https ")
    assert answer.headers["strict-transport-security"] == "max-age=31536000; includeSubDomains"
    assert "strict-transport-security" not in client().get("/x").headers
    assert client(PUBLIC, "http://127.0.0.1", origin=PUBLIC).post("/x").status_code == 200


def test_head_response_matches_get_without_body() -> None:
    answer = client().head("/x")
    assert (answer.status_code, answer.text) == (200, "")
    assert answer.headers["content-length"] == str(len("http GET /x"))


def test_nul_in_path_reaches_no_handler() -> None:
    assert "\0" not in client().get("/s/a%00b").text


def test_every_response_has_own_request_id() -> None:
    browser = client(**{"x-request-id": "forged"})
    found = {browser.get("/x").headers["x-request-id"] for _ in range(3)}
    assert len(found) == 3
    assert "forged" not in found


def test_log_lines_contain_no_token_or_email(caplog: pytest.LogCaptureFixture) -> None:
    for path in ("/s/demo/rate/4f9c1c1e", "/sign-in/sEcReT", "/anna@example.org/x", "/s/5f3eAnna", "/a%0AERROR"):
        client().post(path)
    said = [record.getMessage() for record in caplog.records]
    paths = ["/s/demo/rate/*", "/sign-in/*", "/*/x", "/s/*", "/*"]
    assert said == [f"refused POST {path}: it came from another site" for path in paths]


def test_access_log_has_method_path_and_status(caplog: pytest.LogCaptureFixture) -> None:
    async def teapot(scope: Any, receive: Any, send: Any) -> None:  # noqa: ANN401
        await PlainTextResponse("", status_code=418)(scope, receive, send)

    with caplog.at_level(logging.INFO, "attune.access"):
        TestClient(AccessLog(teapot, loggable=loggable)).get("/sign-in/secret?email=a@example.org")
    assert caplog.records[0].getMessage().startswith("GET /sign-in/* 418 ")


def test_error_outside_handlers_is_logged_once_and_answered(caplog: pytest.LogCaptureFixture) -> None:
    async def fail(_scope: Any, _receive: Any, _send: Any) -> None:  # noqa: ANN401
        raise RuntimeError

    answer = TestClient(UnexpectedErrors(fail, loggable=loggable)).get("/x")
    assert (answer.status_code, answer.text) == (500, "Something went wrong.")
    assert len(caplog.records) == 1


@pytest.mark.parametrize("path", ["/", "/sign-in", "/readyz", "/nowhere"])
def test_head_works_on_pages(visit: Callable[[], TestClient], path: str) -> None:
    got, head = visit().get(path), visit().head(path)
    assert (head.status_code, head.text) == (got.status_code, "")


def test_application_masks_variable_path_segments_in_logs(app: FastAPI, visitor: TestClient) -> None:
    visitor.get("/")
    assert app.state.loggable("/s/demo/rate/x/save") == "/s/demo/rate/*/save"
    assert app.state.loggable("/studies/demo/charts/alpha.json") == "/studies/demo/charts/*"


def test_empty_environment_variable_is_unset(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DATABASE_URL", "ATTUNE_PUBLIC_URL", "ATTUNE_DATA_DIR"):
        monkeypatch.setenv(name, "")
    found = Settings()
    assert (found.database_url, found.public_url, found.data_dir) == (None, None, None)


@pytest.mark.parametrize("url", ["rate.example.org", "ftp://rate.example.org", "https://"])
def test_invalid_public_address_is_rejected_at_startup(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    monkeypatch.setenv("ATTUNE_PUBLIC_URL", url)
    with pytest.raises(ValueError, match="complete address"):
        Settings()
