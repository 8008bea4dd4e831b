"""Copies of requests that arrive late, also at another server, and also after their sender has gone."""

import http.client
import random
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from urllib.parse import urlencode, urlsplit

# After how many further requests of the same rater a copy arrives, at most: about two pages later.
MAX_DELAY = 12
PATIENCE_SECONDS = 5.0


@dataclass(slots=True)
class _Copy:
    path: str
    data: Mapping[str, str]
    is_due_in: int


class LateCopies:
    """Copies of one rater's requests. Nobody waits for their answers, and they are not sent again."""

    def __init__(self, addresses: Sequence[str], rng: random.Random) -> None:
        """Each copy is sent to any of these addresses."""
        self.n_sent = 0
        self._addresses, self._rng = addresses, rng
        self._kept: list[_Copy] = []

    def keep(self, path: str, data: Mapping[str, str]) -> None:
        """Keep a copy of a request for later."""
        self._kept.append(_Copy(path, dict(data), self._rng.randint(1, MAX_DELAY)))

    def send_due(self, headers: Mapping[str, str], *, is_end: bool = False) -> None:
        """Send the copies that are due after one more request, or all."""
        for copy in self._kept:
            copy.is_due_in -= 1
        due = [copy for copy in self._kept if is_end or copy.is_due_in <= 0]
        self._kept = [copy for copy in self._kept if copy not in due]
        for copy in due:
            with suppress(OSError, http.client.HTTPException):
                self._send(copy, headers)
                self.n_sent += 1

    def _send(self, copy: _Copy, headers: Mapping[str, str]) -> None:
        address = self._rng.choice(self._addresses)
        parts = urlsplit(address)
        connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=PATIENCE_SECONDS)
        kind = {"Content-Type": "application/x-www-form-urlencoded", "HX-Request": "true", "Origin": address}
        try:
            connection.request("POST", copy.path, body=urlencode(copy.data), headers={**headers, **kind})
            if self._rng.random() < 0.5:
                connection.getresponse().read()
        finally:
            connection.close()
