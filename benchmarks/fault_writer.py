"""A simulated rater who writes with a model while servers are killed, with a ledger of what was acknowledged."""

import html
import http.client
import re
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import urlsplit

from benchmarks.fault_rater import COPIED, TAKEN, FaultRater, StuckError
from benchmarks.slow_model import WORDS

N_MESSAGES, N_SUGGESTIONS = 3, 3
OK, REFUSED = 200, 422
_NUMBER = re.compile(r'name="(number|next|of)" value="(\d+)"')
_AWAITED = re.compile(r'data-reply="/')
_TEXT = re.compile(r'<textarea id="message"[^>]*>\n?(.*?)</textarea>', re.DOTALL)
_SLOT = re.compile(r'name="(q\d+r\d+)"')
Decision = Literal["taken", "ignored", "taken_back"]


@dataclass(slots=True)
class Writing:
    """What was acknowledged of a conversation or draft: messages, or the text and decisions, by their numbers."""

    messages: dict[int, str] = field(default_factory=dict)
    text: str | None = None
    decisions: dict[int, Decision] = field(default_factory=dict)
    n_asked: int = 0
    is_over: bool = False


class FaultWriter(FaultRater):
    """Has conversations and writes drafts, listens to replies in the middle of kills, and answers the questions.

    What was not acknowledged is sent again, as by the scripts of the pages; copies of some requests arrive late.
    """

    def begin(self) -> str:
        """Arrive, agree, and press *Begin*."""
        self.written: dict[str, Writing] = {}
        self.n_replies = self.n_failed = 0
        self.refusals: list[str] = []
        self._asked_at = 0.0
        path = f"/s/{self.slug}?participant={self.who}"
        while "Cookie" not in self.headers:
            _, path, _ = self.ask("GET", path)
            if not path:
                raise StuckError(f"{self.who}: refused")
        self.ask("POST", f"/s/{self.slug}/consent", {"consent": "agree"})
        self.ask("POST", f"/s/{self.slug}/start", {})
        return self.look()

    def _note(self, sent_at: float) -> None:
        """Only a reply that was heard counts, see `_listen`."""

    def _read(self, status: int, sent_to: str, text: str) -> str:
        self._page = text
        return super()._read(status, sent_to, text)

    def _rate(self) -> str:
        """Do the next thing on the page."""
        self._base = "/".join(self.form.split("/")[:5])
        writing = self.written.setdefault(self._base.rsplit("/", 1)[1], Writing())
        if 'id="talk"' in self._page:
            return self._converse(writing)
        if 'id="draft"' in self._page:
            return self._draft(writing)
        self._post(self._base, {**dict.fromkeys(_SLOT.findall(self._page), "4"), "at": self._now()})
        return self.look()

    def _press(self, path: str, sent: Mapping[str, str]) -> bool:
        """Send a form of the page; False if the page was given to another rater."""
        path = f"{self._base}/{path}"
        if self._rng.random() < COPIED:
            self.copies.keep(path, sent)
        status, _, text = self.ask("POST", path, sent)
        if status == REFUSED:
            found = re.search(r'id="message-problem"[^>]*>([^<]*)', text)
            self._note_refusal(f"{path} {dict(sent)}", found[1] if found else "")
        return status < REFUSED and status != TAKEN

    def _note_refusal(self, sent: str, problem: str) -> None:
        """Remember what was refused, with what the page says."""
        self.refusals.append(f"{sent}: {problem}")

    # Conversations.

    def _converse(self, writing: Writing) -> str:
        fields = dict(_NUMBER.findall(self._page))
        if _AWAITED.search(self._page):
            self._listen()
        elif "/again" in self._page:
            self.n_failed += 1
            self._press("again", {})
        elif len(writing.messages) < N_MESSAGES and "number" in fields:
            words = f"{self.who} writes message {len(writing.messages)} of {self._base} about a week that was hard."
            self._asked_at = time.monotonic()
            if self._press("say", {"number": fields["number"], "message": words}):
                writing.messages[int(fields["number"])] = words
        else:
            writing.is_over |= self._press("end", {})
        return self.look()

    # Drafts.

    def _draft(self, writing: Writing) -> str:
        fields = dict(_NUMBER.findall(self._page))
        found = _TEXT.search(self._page)
        shown = html.unescape(found[1]) if found else ""
        if shown != writing.text and "draft-back" in self._page:  # the suggestion has taken the text's place
            writing.text, writing.decisions[int(fields["of"])] = shown, "taken"
        if writing.text not in {None, shown}:
            self._note_refusal(self._base, f"shown {shown!r}, acknowledged {writing.text!r}")
        if _AWAITED.search(self._page):
            if self._rng.random() < 0.5:
                self._write(writing, fields, f"{shown} And more.", "keep")
            self._listen()
        elif 'id="suggestion"' in self._page:
            self._decide(writing, fields, shown)
        elif "draft-back" in self._page and fields["of"] in self._page and self._rng.random() < 0.3:
            before = writing.messages[int(fields["of"])]
            if self._write(writing, fields, shown, "back"):
                writing.text, writing.decisions[int(fields["of"])] = before, "taken_back"
        elif writing.n_asked < N_SUGGESTIONS and 'value="ask"' in self._page:
            writing.n_asked += 1
            words = f"{shown} {self.who} goes on, part {writing.n_asked}.".strip()
            self._asked_at = time.monotonic()
            if self._write(writing, fields, words, "ask"):
                # What *Back to my text* gives back.
                writing.messages[int(fields["next"]) + 1] = words
        else:
            writing.is_over |= self._press("write", {**fields, "message": shown, "does": "stop"})
        return self.look()

    def _decide(self, writing: Writing, fields: Mapping[str, str], shown: str) -> None:
        number, takes = int(fields["of"]), self._rng.random() < 0.6
        is_inserted = "Replace my text" in self._page
        if self._write(writing, fields, shown, "take" if takes else "ignore"):
            writing.decisions[number] = "taken" if takes else "ignored"
            if takes:
                writing.text = WORDS if is_inserted else f"{shown.rstrip()}\n\n{WORDS}"
                writing.messages[number] = shown

    def _write(self, writing: Writing, fields: Mapping[str, str], words: str, does: str) -> bool:
        is_kept = self._press("write", {**fields, "message": words, "does": does})
        if is_kept:
            writing.text = words
        return is_kept

    def _listen(self) -> None:
        """Listen to the reply until it ends, with a new connection each time that one breaks.

        Raises:
            StuckError: it does not end.
        """
        begun = time.monotonic()
        while time.monotonic() < begun + self._patience_s:
            with suppress(OSError, http.client.HTTPException):
                if self._hears(f"{self._base}/reply"):
                    self.n_replies += 1
                    self.last_acknowledged = self._asked_at
                    return
            self._go_elsewhere()
            self.n_retries += 1
            time.sleep(0.3)
        raise StuckError(f"{self.who}: no reply")

    def _hears(self, path: str, timeout_s: float = 60) -> bool:
        """Listen to a stream; whether it ended as it should."""
        parts = urlsplit(self.headers["Origin"])
        connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=timeout_s)
        try:
            connection.request("GET", path, headers=self.headers)
            answer = connection.getresponse()
            return answer.status == OK and any(line.startswith(b"event: end") for line in answer)
        finally:
            connection.close()
