"""Prolific's API, as far as approvals need it: list the submissions of a study, and approve one.

The address is fixed. The token has all rights of a Prolific account, so it is never stored in the database, never shown
and never logged. See https://docs.prolific.com/api-reference/submissions.
"""

import json
import ssl
import time
from collections.abc import Callable
from contextlib import closing
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from typing import Any
from urllib.parse import quote, urlencode

HOST, PREFIX = "api.prolific.com", "/api/v1"
TIMEOUT_S, MAX_READ = 20.0, 5_000_000
PAGE_SIZE, MAX_PAGES = 100, 200
OK, UNAUTHORIZED, FORBIDDEN, NOT_FOUND, TOO_MANY = 200, 401, 403, 404, 429
# Prolific has no fixed limits: it answers 429 when a workspace is busy, and asks to wait longer each time.
WAITS_S = (1.0, 2.0, 4.0)
_WORDS = {
    UNAUTHORIZED: "Prolific does not accept the token (ATTUNE_PROLIFIC_TOKEN). Make a new one in Prolific's settings.",
    FORBIDDEN: "The Prolific account that the token belongs to does not have permission for this.",
    NOT_FOUND: "Prolific did not find this study or submission. Check that the token belongs to its workspace.",
    TOO_MANY: "Prolific is busy. Approved submissions stay approved. Wait a minute, then press the button again.",
}


class ProlificError(RuntimeError):
    """Prolific did not do what was asked; the sentence says why. `is_final`: all further requests would fail too."""

    def __init__(self, words: str, *, is_final: bool) -> None:
        """Create the error."""
        super().__init__(words)
        self.is_final = is_final


class Prolific:
    """Requests with one token."""

    def __init__(
        self,
        token: str,
        *,
        connect: Callable[[], HTTPConnection] | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """Nothing is asked yet. `connect` replaces the connection to Prolific in tests."""
        self._headers = {"authorization": f"Token {token}", "content-type": "application/json", "user-agent": "Attune"}
        self._connect, self._sleep = connect or _connection, sleep

    def statuses(self, study: str) -> dict[str, str]:
        """The status of each submission of a study on Prolific, such as AWAITING REVIEW, by submission ID.

        Raises:
            ProlificError: they could not be read.
        """
        found: dict[str, str] = {}
        for number in range(1, MAX_PAGES + 1):
            query = urlencode({"study": study, "page": number, "page_size": PAGE_SIZE})
            results = self._ask("GET", f"/submissions/?{query}").get("results")
            # Prolific may give fewer than were asked for, so only a page with nothing new is the end.
            new = {str(one["id"]): str(one.get("status", "")) for one in results or () if "id" in one}
            if new.keys() <= found.keys():
                break
            found |= new
        return found

    def approve(self, submission: str) -> None:
        """Approve a submission, which pays the participant. A second request for the same one changes nothing.

        Raises:
            ProlificError: it was not approved.
        """
        self._ask("POST", f"/submissions/{quote(submission, safe='')}/transition/", {"action": "APPROVE"})

    def _ask(self, method: str, path: str, body: dict[str, str] | None = None) -> dict[str, Any]:
        for wait_s in (*WAITS_S, None):
            status, answer = self._once(method, path, body)
            if status != TOO_MANY or wait_s is None:
                break
            self._sleep(wait_s)
        if status // 100 == OK // 100:
            return answer
        is_final = status in {UNAUTHORIZED, FORBIDDEN, TOO_MANY}
        raise ProlificError(_WORDS.get(status) or f"Prolific answered {status}: {_detail(answer)}", is_final=is_final)

    def _once(self, method: str, path: str, body: dict[str, str] | None) -> tuple[int, dict[str, Any]]:
        sent = None if body is None else json.dumps(body)
        try:
            with closing(self._connect()) as connection:
                connection.request(method, PREFIX + path, sent, self._headers)
                response = connection.getresponse()
                text = response.read(MAX_READ)
        except (OSError, HTTPException) as error:
            raise ProlificError(f"Prolific could not be reached: {type(error).__name__}.", is_final=True) from None
        try:
            answer = json.loads(text or b"{}")
        except ValueError:
            answer = {}
        return response.status, answer if isinstance(answer, dict) else {}


def _connection() -> HTTPConnection:
    return HTTPSConnection(HOST, timeout=TIMEOUT_S, context=ssl.create_default_context())


def _detail(answer: dict[str, Any]) -> str:
    error = answer.get("error")
    words = error.get("detail") or error.get("title") if isinstance(error, dict) else error
    return str(words or "no reason was given")[:300]
