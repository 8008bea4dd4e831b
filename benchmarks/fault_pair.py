"""A simulated rater who writes with another one while servers are killed, with a ledger of what was acknowledged."""

import html
import http.client
import re
import time

from benchmarks.fault_rater import StuckError
from benchmarks.fault_writer import N_MESSAGES, FaultWriter, Writing

# Of the conversations, how many are left by closing the page for good, and how often one ends it before its messages.
LEAVES, ENDS_EARLY = 0.06, 0.04
LISTENS_S = 5.0
_NUMBER = re.compile(r'name="number" value="(\d+)"')
_EVENTS = re.compile(r'data-(?:events|partner)="([^"]+)"')
_WAITS = re.compile(r'data-events="((/s/[^"/]+/rate/[^"/]+)/partner[^"]*)"')
_OVER = "The conversation is over."


class FaultPairMember(FaultWriter):
    """Waits for a partner and writes with them in turn; some leave. Each must hear that there is something new.

    What the page says is the partner's doing, such as an end that comes first, is counted in `told`, as is each wait
    that ended without a partner.
    """

    def begin(self) -> str:
        """Arrive, agree, and press *Begin*."""
        self.told: list[str] = []
        self.n_new = 0
        self._place, self._since = "", 0.0
        return super().begin()

    def _note(self, sent_at: float) -> None:
        """Each page counts: those of a rater who waits say so."""
        self.last_acknowledged = sent_at

    def _note_refusal(self, sent: str, problem: str) -> None:
        """Whoever writes after the other one has ended it is told so."""
        if problem.startswith(_OVER):
            self.told.append("over")
        else:
            super()._note_refusal(sent, problem)

    def _read(self, status: int, sent_to: str, text: str) -> str:
        if found := _WAITS.search(text):
            self._page, self.form = text, found[2]
            return "show"
        return super()._read(status, sent_to, text)

    def _rate(self) -> str:
        base = "/".join(self.form.split("/")[:5])
        if 'id="waiting"' in self._page:
            self._base = base
            self._wait()
            return self.look()
        if self.form.endswith("/alone"):
            self._base = base
            self.told.append("alone")
            self._press("alone", {"at": self._now()})
            return self.look()
        return super()._rate()

    def _converse(self, writing: Writing) -> str:
        """Write when it is one's turn, and otherwise listen, until all is said or the partner has ended it."""
        n_heard, found = self._page.count('class="turn voice-0"'), _NUMBER.search(self._page)
        is_over = "data-partner" not in self._page
        has_left = "There has been no sign of" in self._page
        is_turn = found is not None and n_heard >= len(writing.messages)
        if is_over or has_left or len(writing.messages) >= N_MESSAGES or self._rng.random() < ENDS_EARLY:
            self.told += ["ended"] * is_over + ["left"] * has_left
            is_done = self._press("end", {"at": self._now()})
            # Who ends before a word was said goes on with the next item, without questions.
            writing.is_over |= is_done and (bool(writing.messages) or n_heard > 0)
        elif self._rng.random() < LEAVES:
            self.told.append("went")
            return "full"
        elif found and is_turn:
            self._say(writing, int(found[1]))
        else:
            self._wait()
        return self.look()

    def _say(self, writing: Writing, number: int) -> None:
        words = f"{self.who} writes message {number} of {self._base} about a week that was hard."
        if self._rng.random() < 0.3:
            self._press("typing", {})
        if self._press("say", {"number": str(number), "message": words}):
            writing.messages[number] = words

    def _wait(self) -> None:
        """Listen until there is something new, at most some seconds before the page is read again.

        Raises:
            StuckError: nothing is new for longer than a partner can be silent, and nobody says so.
        """
        found = _EVENTS.search(self._page)
        place = found[1] if found else ""
        if place != self._place:
            self._place, self._since = place, time.monotonic()
        if time.monotonic() > self._since + self._patience_s:
            raise StuckError(f"{self.who}: nothing new from the partner")
        try:
            self.n_new += self._hears(html.unescape(place), LISTENS_S)
        except (OSError, http.client.HTTPException):
            self._go_elsewhere()
            self.n_retries += 1
