"""A rater's browser reduced to what the server sees of it: one connection, one cookie, the form's address."""

import http.client
import re
import time
from collections.abc import Mapping
from urllib.parse import urlencode, urlsplit

_ARRIVED = 303
FULL = {"q0": "left", "q1r0": "4", "q1r1": "2"}
_FORM = re.compile(r'action="(/s/[^"/]+/rate/[^"]+)"')
_PATIENCE = 50
_UNAVAILABLE = 503


class RaterClient:
    """One rater of one study at one address."""

    def __init__(self, address: str, slug: str, who: str) -> None:
        """Set up the client without sending anything."""
        parts = urlsplit(address)
        self.host, self.port = parts.hostname or "", parts.port or 80
        self.headers = {"Origin": address}
        self.slug, self.who = slug, who
        self.form = ""
        self.acknowledged: list[str] = []
        self.seconds: list[float] = []
        self._connection = http.client.HTTPConnection(self.host, self.port, timeout=60)

    def ask(self, method: str, path: str, data: Mapping[str, str] | None = None) -> tuple[int, str, str]:
        """Return status, redirect target and body.

        A request on a broken connection is retried on a new one, and one that the server had no turn for is retried
        when it says, as the page of a rater does.
        """
        body = urlencode(data) if data is not None else None
        kind = {"Content-Type": "application/x-www-form-urlencoded", "HX-Request": "true"}
        headers = self.headers | (kind if body else {})
        for attempt in range(_PATIENCE):
            try:
                self._connection.request(method, path, body=body, headers=headers)
                answer = self._connection.getresponse()
                text = answer.read().decode()
            except (OSError, http.client.HTTPException):
                self._connection.close()
                time.sleep(0.05 * min(attempt + 1, 10))
                continue
            if answer.status == _UNAVAILABLE and attempt + 1 < _PATIENCE:
                time.sleep(float(answer.getheader("Retry-After", "1")))
                continue
            if cookie := answer.getheader("Set-Cookie"):
                self.headers["Cookie"] = cookie.split(";")[0]
            return answer.status, answer.getheader("HX-Redirect") or answer.getheader("Location") or "", text
        raise ConnectionError(f"{self.host}:{self.port} does not answer")

    def begin(self) -> str:
        """Arrive and press *Begin*; return the state as `look` does."""
        status, sent_to, text = self.ask("GET", f"/s/{self.slug}?participant={self.who}")
        if status == _ARRIVED and "Cookie" not in self.headers:
            # The first answer was lost with its connection. A browser goes where it is sent, and gets its cookie there.
            status, _, text = self.ask("GET", sent_to)
        if status != _ARRIVED:
            raise RuntimeError(f"{status}: {text[:300]}")
        self.ask("POST", f"/s/{self.slug}/start", {})
        return self.look()

    def look(self) -> str:
        """Open the current page; return "show" or "wait" or "full", or the last part of the redirect target."""
        status, sent_to, text = self.ask("GET", f"/s/{self.slug}/rate")
        return self._read(status, sent_to, text)

    def submit(self) -> str:
        """Answer the page and time it; return the next state as `look` does."""
        form, begun = self.form, time.perf_counter()
        status, sent_to, text = self.ask("POST", form, FULL)
        self.seconds.append(time.perf_counter() - begun)
        if status in {200, 204}:
            self.acknowledged.append(form.rsplit("/", 1)[1])
        return self._read(status, sent_to, text)

    def go_all_the_way(self, patience_s: float = 60) -> str:
        """Rate until there is nothing more to rate; return the final state."""
        end, now = time.monotonic() + patience_s, self.begin()
        while now not in {"done", "full"} and time.monotonic() < end:
            if now == "wait":
                time.sleep(0.05)
            now = self.submit() if self.form and now == "show" else self.look()
        if now == "done":
            self.ask("GET", f"/s/{self.slug}/done")
        self.close()
        return now

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def _read(self, status: int, sent_to: str, text: str) -> str:
        found = _FORM.search(text)
        self.form = found[1] if found else ""
        if found:
            return "show"
        if sent_to:
            return self._full_or_wait() if sent_to.endswith("/wait") else sent_to.rsplit("/", 1)[1]
        raise RuntimeError(f"{status}: {text[:300]}")

    def _full_or_wait(self) -> str:
        _, _, text = self.ask("GET", f"/s/{self.slug}/wait")
        return "full" if "All places are taken</h1>" in text else "wait"
