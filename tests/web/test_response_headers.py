"""What every kind of response says about itself: its type and encoding, and whether it may be kept."""

import re
from urllib.parse import urljoin

import pytest
from starlette.testclient import TestClient

from app.base.rendering.assets import Assets
from app.settings import folder

ASSETS = Assets(folder("static"))
KINDS = {
    "/": "text/html; charset=utf-8",
    "/nowhere": "text/html; charset=utf-8",
    "/sign-in": "text/html; charset=utf-8",
    "/healthz": "application/json",
    "/api/v1/openapi.json": "application/json",
    "/api/v1/studies/none": "application/problem+json",
}
STATIC = {
    "attune.css": "text/css; charset=utf-8",
    "rater.js": "text/javascript; charset=utf-8",
    "icon.svg": "image/svg+xml",
    "public-sans.ttf": "font/ttf",
}


@pytest.mark.parametrize(("path", "kind"), KINDS.items())
def test_response_names_its_type_and_encoding(visitor: TestClient, path: str, kind: str) -> None:
    answer = visitor.get(path)
    assert answer.headers["content-type"] == kind
    assert answer.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(("name", "kind"), STATIC.items())
def test_static_file_names_its_type_and_is_kept(visitor: TestClient, name: str, kind: str) -> None:
    answer = visitor.get(ASSETS.url(name))
    assert answer.headers["content-type"] == kind
    assert "immutable" in answer.headers["cache-control"]
    assert "set-cookie" not in answer.headers


def test_style_of_leads_names_the_font_by_its_hash(visitor: TestClient) -> None:
    style = ASSETS.url("lead.css")
    font = re.search(r'url\("(.+?)"\)', visitor.get(style).text)
    assert font is not None
    assert urljoin(style, font[1]) == ASSETS.url("public-sans.ttf")
    assert "font-src 'self'" in visitor.get("/").headers["content-security-policy"]


@pytest.mark.parametrize("path", KINDS)
def test_only_static_files_are_kept_by_browsers_and_proxies(visitor: TestClient, path: str) -> None:
    assert visitor.get(path).headers["cache-control"] == "no-store"


@pytest.mark.parametrize("method", ["TRACE", "CONNECT", "DEBUG"])
def test_methods_without_use_are_refused(visitor: TestClient, method: str) -> None:
    answer = visitor.request(method, "/", headers={"origin": "http://testserver", "x-secret": "mirrored"})
    assert answer.status_code == 405
    assert "mirrored" not in answer.text


@pytest.mark.parametrize(
    "path", ["/static", "/static/", "/static/../app/main.py", "/.git/config", "/static/%2e%2e/pyproject.toml"]
)
def test_no_folders_and_no_other_files_are_served(visitor: TestClient, path: str) -> None:
    assert visitor.get(path).status_code == 404
