"""Clients of the load test: one persistent connection each, with little overhead, so that the servers are measured."""

import asyncio
import random
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol
from urllib.parse import urlencode, urlsplit

# A page of five answers: which response is better, and two questions about each of the two.
CHOICE = {"q0": "left"}
FIRST_HALF = CHOICE | {"q1r0": "4"}
SECOND_HALF = {"q1r1": "2", "q2r0": "5", "q2r1": "1"}
PAGE = FIRST_HALF | SECOND_HALF
# Fractions of the thinking time before each save and before the submit.
SAVE_AFTER = (0.5, 0.4, 0.1)
GONE = 410


@dataclass
class Tally:
    """Counts and response times of the clients of one cell."""

    submit_s: list[float] = field(default_factory=list)
    save_s: list[float] = field(default_factory=list)
    acknowledged: int = 0
    n_errors: int = 0


@dataclass(frozen=True)
class Spent:
    """Time used by a cell, in seconds: wall time, web processes and PostgreSQL."""

    tally: Tally
    wall_s: float
    web_s: float
    postgres_s: float


class Client(Protocol):
    """A client that sends requests until time is up."""

    async def run(self, is_over: Callable[[], bool]) -> None:
        """Send requests until `is_over` returns True."""


async def drive(clients: Sequence[Client], seconds: float) -> None:
    """Run all clients at once."""
    end = time.monotonic() + seconds
    await asyncio.gather(*(client.run(lambda: time.monotonic() > end) for client in clients))


class Connection:
    """A persistent connection; if the server has closed it, it is reopened once per request."""

    def __init__(self, address: str) -> None:
        """Set up the connection without opening it."""
        parts = urlsplit(address)
        self.host, self.port = parts.hostname or "", parts.port or 80
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def ask(self, method: str, path: str, body: bytes, headers: str) -> tuple[int, dict[str, str], bytes]:
        """Return status, headers and body of the response."""
        head = (
            f"{method} {path} HTTP/1.1\r\nHost: {self.host}:{self.port}\r\nContent-Length: {len(body)}\r\n{headers}\r\n"
        )
        for attempt in range(2):
            try:
                return await self._ask(head.encode() + body)
            except (OSError, asyncio.IncompleteReadError):
                self.close()
                if attempt:
                    raise
        raise AssertionError

    async def _ask(self, request: bytes) -> tuple[int, dict[str, str], bytes]:
        reader, writer = self._streams = self._streams or await asyncio.open_connection(self.host, self.port)
        writer.write(request)
        lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        pairs = (line.partition(": ") for line in lines[1:] if line)
        headers = {name.lower(): value for name, _, value in pairs}
        content = await reader.readexactly(int(headers.get("content-length", 0)))
        if headers.get("connection", "").lower() == "close":
            self.close()
        return int(lines[0].split()[1]), headers, content

    def close(self) -> None:
        """Close the connection."""
        if self._streams:
            self._streams[1].close()
        self._streams = None


@dataclass
class Begun:
    """A rater at their first trial: the address of its form, and the cookie."""

    form: str
    cookie: str


class Rater:
    """A browser that rates: sends only `submit`, or also the saves that the page's script sends before it."""

    def __init__(self, address: str, ready: list[Begun], tally: Tally, *, saves: bool, think_s: float = 0) -> None:
        """`ready`: raters to continue with when all trials of a rater are rated."""
        self.connection, self.ready, self.tally = Connection(address), ready, tally
        self.address, self.saves, self.think_s = address, saves, think_s
        self.rng = random.Random(id(self))  # noqa: S311 - for pauses, not for secrets
        self.begun = ready.pop()

    async def run(self, is_over: Callable[[], bool]) -> None:
        """Rate until time is up."""
        await asyncio.sleep(self.rng.random() * self.think_s)
        while not is_over():
            await self._rate()
        self.connection.close()

    async def _rate(self) -> None:
        pause = self.rng.expovariate(1 / self.think_s) if self.think_s else 0
        halves = (FIRST_HALF, SECOND_HALF) if self.saves else ()
        for share, half in zip(SAVE_AFTER, halves, strict=False):
            await asyncio.sleep(pause * share)
            await self._save(half)
        await asyncio.sleep(pause * (SAVE_AFTER[-1] if self.saves else 1))
        await self._submit()

    async def _save(self, answers: Mapping[str, str]) -> None:
        at = str(time.time_ns() // 1_000_000)
        marks = {
            f"{slot}.{part}": value for slot in answers for part, value in (("key", str(uuid.uuid4())), ("at", at))
        }
        body = urlencode([*(("slot", slot) for slot in answers), *answers.items(), *marks.items()]).encode()
        begun = time.perf_counter()
        status, _, _ = await self.connection.ask("POST", f"{self.begun.form}/save", body, self._headers())
        self.tally.save_s.append(time.perf_counter() - begun)
        self.tally.n_errors += status != 200

    async def _submit(self) -> None:
        body, begun = urlencode({"hidden_ms": "0", **PAGE}).encode(), time.perf_counter()
        status, headers, _ = await self.connection.ask(
            "POST", self.begun.form, body, self._headers("HX-Request: true\r\n")
        )
        self.tally.submit_s.append(time.perf_counter() - begun)
        if status not in {200, 204}:
            self.tally.n_errors += 1
            return
        self.tally.acknowledged += 1
        if following := headers.get("hx-push-url"):
            self.begun.form = following
        else:
            self.begun = self.ready.pop()

    def _headers(self, more: str = "") -> str:
        return (
            f"Origin: {self.address}\r\nSec-Fetch-Site: same-origin\r\nCookie: {self.begun.cookie}\r\n{more}"
            "Accept-Encoding: gzip, deflate, br\r\nContent-Type: application/x-www-form-urlencoded\r\n"
        )


class BareClient:
    """A client of the minimal baseline application."""

    def __init__(self, address: str, tally: Tally) -> None:
        """Set up the client without sending anything."""
        self.connection, self.tally, self.address = Connection(address), tally, address

    async def run(self, is_over: Callable[[], bool]) -> None:
        """Write rows until time is up."""
        body = urlencode(PAGE).encode()
        while not is_over():
            begun = time.perf_counter()
            status, _, _ = await self.connection.ask("POST", "/", body, f"Origin: {self.address}\r\n")
            self.tally.submit_s.append(time.perf_counter() - begun)
            self.tally.acknowledged += status == 200
        self.connection.close()
