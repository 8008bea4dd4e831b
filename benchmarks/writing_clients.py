"""Browsers of raters who write with a model, a text with suggestions, or with another rater; what they measured."""

import asyncio
import random
import re
import time
from abc import ABC, abstractmethod
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from urllib.parse import urlencode

from benchmarks.load_client import Connection
from benchmarks.slow_model import WORDS

MESSAGE = "It has been a hard week. I could not sleep, and at work nobody noticed how little I managed to do. "
PAUSE_S = 0.5
# The page of a draft saves after such a pause; that of a dyad says at most as often that its rater writes.
SAVED_AFTER_S, TYPING_S = 1.5, 3.0
N_SAVES = 3
OK, NO_CONTENT, SENT_ON = 200, 204, 303
_FORM = re.compile(r"/s/talk/rate/[0-9a-f-]{36}")
_FIELD = re.compile(r'name="(number|next|of)" value="(\d+)"')
_MARK = re.compile(r'data-(?:partner|events)="[^"]*\?mark=([^"]*)"')


@dataclass
class Tally:
    """What raters have measured, in seconds by what they did, and were told.

    `own` is the time from what a rater sends to the end of what comes of it, without the seconds of the model.
    """

    seconds: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    n_turns: int = 0
    n_retried: int = 0
    statuses: Counter[int] = field(default_factory=Counter)
    # The last text of each draft that was acknowledged.
    drafts: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Pace:
    """How many turns a rater takes, how long the model does for a reply, and the mean pause before the next turn."""

    n_turns: int
    model_s: float
    think_s: float


class Browser(ABC):
    """A rater's browser: one connection for pages, and one for the events of each."""

    def __init__(self, address: str, cookie: str, tally: Tally, pace: Pace) -> None:
        """Nothing is sent yet."""
        self.address, self.cookie, self.tally, self.pace = address, cookie, tally, pace
        self.connection = Connection(address)
        self.rng = random.Random(cookie)  # noqa: S311 - for pauses, not for secrets
        self.form = self.page = ""

    async def run(self) -> None:
        """Open the page, and write all turns."""
        await asyncio.sleep(self.rng.random() * (self.pace.think_s + self.pace.model_s))
        await self._look()
        await self._write()
        self.connection.close()

    @abstractmethod
    async def _write(self) -> None:
        """Write all turns."""

    async def _look(self, after: int = 0) -> None:
        """Open the page of the trial, wherever it is now; of a conversation, with the turns after this one."""
        path = self.form or "/s/talk/rate"
        while True:
            status, headers, content = await self._ask("GET", path, headers=f"Attune-After: {after}\r\n")
            if status == OK:
                break
            path = headers.get("location", path)
        self.page = content.decode()
        self.form = found[0] if (found := _FORM.search(self.page)) else ""
        assert self.form, self.page

    def _fields(self) -> dict[str, str]:
        return dict(_FIELD.findall(self.page))

    async def _post(self, path: str, fields: Mapping[str, object], expected: int, headers: str = "") -> bytes:
        """Send a form until it is taken."""
        body = urlencode(fields).encode()
        while True:
            status, _, content = await self._ask("POST", f"{self.form}/{path}", body, headers)
            if status == expected:
                return content
            self.tally.statuses[status] += 1
            await asyncio.sleep(PAUSE_S)

    async def _ask(
        self, method: str, path: str, body: bytes = b"", headers: str = ""
    ) -> tuple[int, dict[str, str], bytes]:
        while True:
            try:
                return await self.connection.ask(method, path, body, self._headers(headers))
            except (OSError, asyncio.IncompleteReadError):
                self.tally.n_retried += 1
                await asyncio.sleep(PAUSE_S)

    async def _events(self, path: str) -> AsyncIterator[str]:
        """The names of the events of a stream, which is opened again when it breaks."""
        while True:
            try:
                reader, writer = await asyncio.open_connection(self.connection.host, self.connection.port)
                host = f"{self.connection.host}:{self.connection.port}"
                writer.write(f"GET {self.form}/{path} HTTP/1.1\r\nHost: {host}\r\n{self._headers()}\r\n".encode())
                try:
                    status = int((await reader.readuntil(b"\r\n\r\n")).split()[1])
                    if status != OK:
                        self.tally.statuses[status] += 1
                    while line := await reader.readline():
                        if line.startswith(b"event: "):
                            yield line.removeprefix(b"event: ").strip().decode()
                finally:
                    writer.close()
            except (OSError, asyncio.IncompleteReadError):
                pass
            self.tally.n_retried += 1
            await asyncio.sleep(PAUSE_S)

    async def _hear(self, path: str, since: float) -> None:
        """Listen until the stream says that the page has to be read again."""
        is_first = True
        async for name in self._events(path):
            if name == "text" and is_first:
                self._time("first words", since)
                is_first = False
            elif name == "end":
                return

    def _time(self, what: str, since: float, *, less: float = 0) -> None:
        self.tally.seconds[what].append(time.perf_counter() - since - less)

    async def _think(self) -> None:
        await asyncio.sleep(self.rng.expovariate(1 / self.pace.think_s) if self.pace.think_s else 0)

    def _headers(self, more: str = "") -> str:
        return (
            f"Origin: {self.address}\r\nSec-Fetch-Site: same-origin\r\nCookie: {self.cookie}\r\n{more}"
            "Accept-Encoding: identity\r\nContent-Type: application/x-www-form-urlencoded\r\n"
        )


class Talker(Browser):
    """Writes messages to a model, and listens to each reply."""

    async def _write(self) -> None:
        for number in range(self.pace.n_turns):
            since = time.perf_counter()
            await self._post("say", {"number": 1 + 2 * number, "message": f"{MESSAGE}{number}"}, SENT_ON)
            self._time("message stored", since)
            self.tally.n_turns += 1
            await self._look(2 * number)
            await self._hear("reply", since)
            self._time("own", since, less=self.pace.model_s)
            await self._look(2 * number + 1)
            await self._think()


class Drafter(Browser):
    """Writes a text that is saved as it grows, asks for suggestions, and takes or ignores them."""

    async def _write(self) -> None:
        words = ""
        for number in range(self.pace.n_turns):
            fields = self._fields()
            for part in range(N_SAVES):
                words += f"{MESSAGE}{number}.{part} "
                since = time.perf_counter()
                # What the script reads of the answer is the next revision.
                content = await self._post(
                    "write", fields | {"message": words, "does": "keep"}, OK, "Accept: application/json\r\n"
                )
                self._time("text saved", since)
                fields["number"] = re.findall(rb'"number":\s*(\d+)', content)[0].decode()
                await asyncio.sleep(SAVED_AFTER_S)
            since = time.perf_counter()
            await self._post("write", fields | {"message": words, "does": "ask"}, SENT_ON)
            self._time("suggestion asked for", since)
            self.tally.n_turns += 1
            await self._look()
            await self._hear("reply", since)
            self._time("own", since, less=self.pace.model_s)
            await self._look()
            await self._think()
            is_taken = self.rng.random() < 0.6
            words = f"{words.rstrip()}\n\n{WORDS} " if is_taken else words
            since = time.perf_counter()
            await self._post(
                "write", self._fields() | {"message": words, "does": "taken" if is_taken else "ignore"}, SENT_ON
            )
            self._time("decision stored", since)
            self.tally.drafts[self.form.rsplit("/", 1)[1]] = words
            await self._look()


class PairMember(Browser):
    """Waits for another rater, and writes with them in turn; `own` is the time until the other one's page shows it."""

    # When each message was sent, by its words.
    sent: dict[str, float]

    def __init__(self, address: str, cookie: str, tally: Tally, pace: Pace, sent: dict[str, float]) -> None:
        """`sent` is shared by all raters: they run in one process."""
        super().__init__(address, cookie, tally, pace)
        self.sent = sent

    async def _write(self) -> None:
        since = time.perf_counter()
        await self._until(lambda: 'id="talk"' in self.page)
        self._time("matched", since)
        n_heard, is_first = 0, "Please begin" in self.page
        for number in range(self.pace.n_turns):
            if number or not is_first:
                n_heard += 1
                await self._until(lambda n=n_heard: self.page.count('class="turn voice-0"') >= n)  # type: ignore[misc]
                said = re.findall(rf"{re.escape(MESSAGE)}\d+ [0-9a-f]+", self.page)[-1]
                self._time("own", self.sent[said])
            await self._think_and_type()
            words = f"{MESSAGE}{number} {self.rng.randbytes(8).hex()}"
            since = self.sent[words] = time.perf_counter()
            await self._post("say", {"number": number + 1, "message": words}, SENT_ON)
            self._time("message stored", since)
            self.tally.n_turns += 1
            await self._look()

    async def _until(self, is_so: Callable[[], bool]) -> None:
        """Read the page again each time that its stream says so."""
        while not is_so():
            mark = _MARK.search(self.page)
            assert mark, self.page
            await self._hear(f"partner?mark={mark[1]}", 0)
            await self._look()

    async def _think_and_type(self) -> None:
        """Think, with the page open, and type for the second half of the pause."""
        mark = _MARK.search(self.page)
        assert mark, self.page
        listening = asyncio.create_task(self._hear(f"partner?mark={mark[1]}", 0))
        pause = self.rng.expovariate(1 / self.pace.think_s) if self.pace.think_s else 0
        await asyncio.sleep(pause / 2)
        end = time.perf_counter() + pause / 2
        while (left := end - time.perf_counter()) > 0:
            since = time.perf_counter()
            await self._post("typing", {}, NO_CONTENT)
            self._time("typing told", since)
            await asyncio.sleep(min(TYPING_S, left))
        listening.cancel()
        with suppress(asyncio.CancelledError):
            await listening
