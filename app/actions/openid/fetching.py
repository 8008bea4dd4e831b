"""Requests to the provider: JSON only, with a limit on time and size, and without following redirects."""

from __future__ import annotations

import json
from http.client import HTTPException
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode, urlsplit

from app.actions.openid.errors import ProviderError
from app.actions.outgoing import PlainConnection, SecureConnection, cut_off_after

if TYPE_CHECKING:
    from collections.abc import Mapping
    from http.client import HTTPConnection
    from urllib.parse import SplitResult

# For a whole request: a provider that sends a byte now and then is cut off too.
DEADLINE_S = 5.0
MAX_BYTES = 256 * 1024
OK, BAD_REQUEST, UNAUTHORIZED = 200, 400, 401


def is_loopback(address: str) -> bool:
    """Whether an address is on this machine.

    >>> is_loopback("http://127.0.0.1:9000/x"), is_loopback("http://localhost"), is_loopback("http://127.example.org")
    (True, True, False)
    """
    host = urlsplit(address).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def is_allowed(address: str) -> bool:
    """Whether the provider may be asked there: over https, or on this machine for development and tests.

    >>> is_allowed("https://id.example.org"), is_allowed("http://id.example.org"), is_allowed("http://127.0.0.1:9000")
    (True, False, True)
    """
    try:
        parts = urlsplit(address)
        has_port = parts.port is None or parts.port > 0
    except ValueError:
        return False
    is_plain = parts.scheme == "http" and is_loopback(address)
    return bool(parts.hostname) and has_port and (parts.scheme == "https" or is_plain)


def fetch_json(
    address: str,
    *,
    form: Mapping[str, str] | None = None,
    headers: Mapping[str, str] | None = None,
    deadline_s: float = DEADLINE_S,
) -> tuple[int, dict[str, Any]]:
    """The status and the JSON object that the provider answers; with `form` by POST.

    Raises:
        ProviderError: no complete answer in time, an answer that is too long, or no JSON object.
    """
    parts = urlsplit(address)
    kind = SecureConnection if parts.scheme == "https" else PlainConnection
    connection = kind(parts.hostname or "", parts.port, deadline_s)
    try:
        with cut_off_after(connection, deadline_s):
            return _ask(connection, parts, form, headers or {})
    except (OSError, HTTPException) as error:
        raise ProviderError(f"{parts.path} cannot be read: {type(error).__name__}") from None


def _ask(
    connection: HTTPConnection, parts: SplitResult, form: Mapping[str, str] | None, headers: Mapping[str, str]
) -> tuple[int, dict[str, Any]]:
    own = {"accept": "application/json", "user-agent": "Attune", "connection": "close"}
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    if form is None:
        connection.request("GET", path, headers={**own, **headers})
    else:
        own["content-type"] = "application/x-www-form-urlencoded"
        connection.request("POST", path, urlencode(form), {**own, **headers})
    response = connection.getresponse()
    body = response.read(MAX_BYTES + 1)
    if len(body) > MAX_BYTES:
        raise ProviderError(f"{parts.path} answered more than {MAX_BYTES} bytes")
    return response.status, _object(body, parts.path, response.status)


def _object(body: bytes, path: str, status: int) -> dict[str, Any]:
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError):
        answer = None
    if not isinstance(answer, dict):
        raise ProviderError(f"{path} answered {status} without a JSON object")
    return answer
