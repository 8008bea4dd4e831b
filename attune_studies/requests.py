"""Requests to the API of a server, which is waited for while it is busy."""

from __future__ import annotations

import json
import shutil
import time
from typing import IO
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import Request, build_opener

from app.base.processes.outgoing import NoRedirects, seconds_to_wait

TRIES, DEFAULT_WAIT_S, MAX_WAIT_S = 6, 5.0, 120.0
BUSY = frozenset({429, 503})
_OPENER = build_opener(NoRedirects)
_KINDS = {401: PermissionError, 403: PermissionError, 409: ValueError, 413: ValueError, 422: ValueError}


def api_address(address: str) -> str:
    """The address of a study in the API, from that of the API or of a page.

    Raises:
        ValueError: this is not the address of a study on a server.

    >>> api_address("https://rate.example.org/studies/empathy-2026/results?question=warm")
    'https://rate.example.org/api/v1/studies/empathy-2026'
    """
    parts = urlsplit(address)
    before, _, after = parts.path.partition("/studies/")
    slug = after.partition("/")[0]
    if not slug or parts.scheme not in {"https", "http"}:
        raise ValueError(f"The address of a study is https://.../studies/SLUG. Found: {address}")
    return f"{parts.scheme}://{parts.netloc}{before.removesuffix('/api/v1')}/api/v1/studies/{slug}"


def send(
    address: str, token: str, file: IO[bytes], *, method: str = "GET", content: bytes | None = None, kind: str = ""
) -> None:
    """Send a request and copy its answer into the file; wait as long as a busy server asks for.

    Raises:
        PermissionError: the token is refused, or the answers are hidden.
        ValueError: the server does not accept what was sent.
        ConnectionError: anything else than an answer comes back.
    """
    headers = {"Authorization": f"Bearer {token}", "Accept": "application/json"}
    if content is not None:
        headers["Content-Type"] = kind
    for n_tries in range(1, TRIES + 1):
        try:
            request = Request(address, content, headers, method=method)  # noqa: S310 - `api_address` checks the scheme
            with _OPENER.open(request) as answer:
                shutil.copyfileobj(answer, file)
                file.seek(0)
                return
        except HTTPError as error:
            if error.code not in BUSY or n_tries == TRIES:
                raise _KINDS.get(error.code, ConnectionError)(
                    f"The server answered {error.code}: {_said(error)}"
                ) from None
            asked_s = seconds_to_wait(error.headers.get("Retry-After", ""), at_most=MAX_WAIT_S)
            time.sleep(DEFAULT_WAIT_S if asked_s is None else asked_s)
        except URLError as error:
            raise ConnectionError(f"The server at {address} cannot be reached: {error.reason}.") from None


def _said(error: HTTPError) -> str:
    """What the server says about the error: the detail of its problem document, if it sends one."""
    if place := error.headers.get("Location"):
        return f"it redirects to {place}. Use that address, if you trust it."
    try:
        return str(json.loads(error.read())["detail"])
    except (ValueError, KeyError, TypeError):
        return str(error.reason)
