"""A simulated rater that retries while servers are killed, with a ledger of every acknowledged answer."""

import http.client
import json
import random
import socket
import sys
import time
import uuid
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import cycle
from typing import Literal
from urllib.parse import urlencode, urlsplit

from benchmarks.fault_copies import LateCopies
from benchmarks.rater_client import RaterClient

SLOTS = ("q0", "q1r0", "q1r1")
SERVER_ERROR, TAKEN, TOO_MANY = 500, 409, 429
MAX_RETRY_SECONDS = 2.0
# Of the requests, how many arrive once more, and of the pages, how many are changed after they were submitted.
COPIED, CHANGED = 0.3, 0.4
End = Literal["done", "full", "stuck"]


@dataclass(slots=True)
class Page:
    """The answers of one page that the server has acknowledged."""

    answers: dict[str, str] = field(default_factory=dict)
    keys: set[str] = field(default_factory=set)
    is_submitted: bool = False


class StuckError(Exception):
    """No response arrived within the time limit."""


class FaultRater(RaterClient):
    """Saves each answer with an idempotency key, changes some, submits, and retries whatever was not acknowledged.

    Goes back to some pages and changes them. Copies of some requests arrive late, at any server; so does what was
    submitted before a change and not acknowledged.
    Like the script of the page, but with shorter waits: 0.1 seconds after the first failure and at most 2 after further
    ones. A response with status 429, or 500 and above, counts as a failure.
    """

    def __init__(
        self, addresses: Sequence[str], slug: str, who: str, *, patience_s: float = 60.0, pause_s: float = 0.08
    ) -> None:
        """Set up the rater without sending anything.

        Args:
            addresses: addresses of the servers; after a failure the next one is asked, as behind a proxy.
            slug: slug of the study.
            who: participant ID.
            patience_s: maximum seconds per request, including retries, before the rater counts as stuck.
            pause_s: mean pause in seconds before each request.
        """
        super().__init__(addresses[0], slug, who)
        self._addresses = cycle([*addresses[1:], addresses[0]])
        self.ledger: dict[str, Page] = {}
        self.n_retries = self.n_changed = 0
        self.last_acknowledged = 0.0
        self._patience_s, self._pause_s = patience_s, pause_s
        self._rng = random.Random(who)  # noqa: S311 - for pauses and answers, not for secrets
        self.copies = LateCopies(addresses, self._rng)
        self._latest_ms = 0

    def ask(self, method: str, path: str, data: Mapping[str, str] | None = None) -> tuple[int, str, str]:
        """Send a request like a browser, and retry until a server responds."""
        begun, n_failures = time.monotonic(), 0
        time.sleep(self._rng.expovariate(1 / self._pause_s))
        while time.monotonic() < begun + self._patience_s:
            sent_at = time.monotonic()
            with suppress(OSError, http.client.HTTPException):
                answer = self._once(method, path, data)
                if answer[0] < SERVER_ERROR and answer[0] != TOO_MANY:
                    self._note(sent_at)
                    self.copies.send_due(self.headers)
                    return answer
            self._go_elsewhere()
            self.n_retries += 1
            time.sleep(min(MAX_RETRY_SECONDS, 0.1 * 2**n_failures))
            n_failures += 1
        raise StuckError(f"{self.who}: {method} {path}")

    def _note(self, sent_at: float) -> None:
        """Remember when the last request was sent that was acknowledged."""
        self.last_acknowledged = sent_at

    def _go_elsewhere(self) -> None:
        self._connection.close()
        address = next(self._addresses)
        self.headers["Origin"] = address
        parts = urlsplit(address)
        self._connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=60)

    def _once(self, method: str, path: str, data: Mapping[str, str] | None) -> tuple[int, str, str]:
        is_save = path.endswith("/save")
        headers = dict(self.headers)
        if data is not None:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
            headers |= {"Accept": "application/json"} if is_save else {"HX-Request": "true"}
        self._connection.request(method, path, body=None if data is None else urlencode(data), headers=headers)
        answer = self._connection.getresponse()
        text = answer.read().decode()
        if cookie := answer.getheader("Set-Cookie"):
            self.headers["Cookie"] = cookie.split(";")[0]
        return answer.status, answer.getheader("HX-Redirect") or answer.getheader("Location") or "", text

    def begin(self) -> str:
        """Arrive and press *Begin*; follow redirects until a response sets the cookie."""
        path = f"/s/{self.slug}?participant={self.who}"
        while "Cookie" not in self.headers:
            _, path, _ = self.ask("GET", path)
            if not path:
                raise StuckError(f"{self.who}: refused")
        self.ask("POST", f"/s/{self.slug}/start", {})
        return self.look()

    def cut(self) -> None:
        """Break the connection from another thread, whatever its state."""
        if (line := self._connection.sock) is not None:
            with suppress(OSError):
                line.shutdown(socket.SHUT_RDWR)

    def rate_until_the_end(self) -> End:
        """Rate all trials available to this rater; return how it ended."""
        try:
            now = self.begin()
            while now not in {"done", "full"}:
                if now == "wait":
                    time.sleep(0.2)
                now = self._rate() if self.form and now == "show" else self.look()
            if now == "done":
                self.ask("GET", f"/s/{self.slug}/done")
            self.copies.send_due(self.headers, is_end=True)
        except StuckError as error:
            print(error, file=sys.stderr)
            return "stuck"
        finally:
            self.close()
        return "done" if now == "done" else "full"

    def _rate(self) -> str:
        """Save each answer, one of them twice, then submit the page; a clock that jumps may end its time before.

        Some pages are changed then, if there is another page: the last one cannot be changed.
        """
        form = self.form
        page = self.ledger.setdefault(form.rsplit("/", 1)[1], Page())
        for slot in (*SLOTS, self._rng.choice(SLOTS)):
            if not self._save(form, page, slot, self._any(slot)):
                return self.look()
        now = self._submit(form, page, {})
        return self._change(form, page) if now == "show" and self._rng.random() < CHANGED else now

    def _any(self, slot: str) -> str:
        return self._rng.choice(("left", "right") if slot == "q0" else "12345")

    def _submit(self, form: str, page: Page, changed: Mapping[str, str]) -> str:
        """Submit a page with these changes; return the next state as `look` does."""
        given = {**page.answers, **changed}
        status, sent_to, text = self._post(form, {**given, "at": self._now()})
        if status in {200, 204}:
            page.answers, page.is_submitted = given, True
        return self._read(status, sent_to, text)

    def _change(self, form: str, page: Page) -> str:
        """Go back to a page, and submit it again with another answer, which is saved before or not.

        A first try, with yet another answer, is overtaken by the second.
        """
        self.n_changed += 1
        self.ask("GET", form)
        slot = self._rng.choice(SLOTS)
        self.copies.keep(form, {**page.answers, slot: self._any(slot), "at": self._now()})
        changed = {slot: self._any(slot)}
        if self._rng.random() < 0.5:
            if not self._save(form, page, slot, changed[slot]):
                return self.look()
            changed = {}
        return self._submit(form, page, changed)

    def _post(self, path: str, sent: Mapping[str, str]) -> tuple[int, str, str]:
        if self._rng.random() < COPIED:
            self.copies.keep(path, sent)
        return self.ask("POST", path, sent)

    def _now(self) -> str:
        """The clock of the page: nobody answers twice within a millisecond."""
        self._latest_ms = max(self._latest_ms + 1, round(time.time() * 1000))
        return str(self._latest_ms)

    def _save(self, form: str, page: Page, slot: str, value: str) -> bool:
        """Save one answer; False if the page was given to another rater, because its time was over."""
        key = str(uuid.UUID(int=self._rng.getrandbits(128), version=4))
        sent = {"slot": slot, slot: value, f"{slot}.key": key, f"{slot}.at": self._now()}
        status, _, text = self._post(f"{form}/save", sent)
        if status == TAKEN:
            return False
        if json.loads(text) != {"saved": [slot], "older": [], "refused": {}}:
            raise RuntimeError(f"{status}: {text[:300]}")
        page.answers[slot] = value
        page.keys.add(key)
        return True
