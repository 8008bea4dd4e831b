"""Conversations with a model that takes some seconds for a reply: many raters at once, through the pages of raters.

Each rater writes a message, is sent to the page again, listens to the reply until it ends, and thinks. `own ms` is the
time from the message to the end of its reply, without the seconds of the model. Processor time is per turn, for the web
processes and for PostgreSQL. At the end, every message that was acknowledged must be stored with its reply, and the
model must have been asked once for each turn. Kills in the middle of turns: `benchmarks.fault_writing`.

python -m benchmarks.conversations [--raters 200] [--turns 5] [--model 5] [--think 15] [--workers 1]
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import re
import statistics
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING
from unittest import mock
from urllib.parse import urlencode

import uvloop
from sqlalchemy import text

from app.rating.life_cycle import open_study
from benchmarks.load import analyze, database
from benchmarks.load_client import Begun, Connection
from benchmarks.rater_client import RaterClient
from benchmarks.serving import attune_process, memory_mb, parent_of, processor_s
from benchmarks.slow_model import WORDS, SlowModel, servers_file
from tests.kit.builder import EMPATHY, build_study, protocol_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from sqlalchemy import Engine

PROMPT = "You are a warm listener. Answer briefly, and ask at most one question."
MESSAGE = "It has been a hard week. I could not sleep, and at work nobody noticed how little I managed to do. "
PAUSE_S = 0.5
OK, SENT_ON = 200, 303
_FORM = re.compile(r'action="(/s/talk/rate/[0-9a-f-]{36})')


# The raters.


@dataclass
class Tally:
    """What raters have measured and were told."""

    own_s: list[float] = field(default_factory=list)
    first_s: list[float] = field(default_factory=list)
    say_s: list[float] = field(default_factory=list)
    n_acknowledged: int = 0
    n_retried: int = 0
    statuses: Counter[int] = field(default_factory=Counter)


class Writer:
    """A rater's browser in a conversation."""

    def __init__(self, address: str, begun: Begun, tally: Tally, given: argparse.Namespace) -> None:
        """Nothing is sent yet."""
        self.address, self.begun, self.tally, self.given = address, begun, tally, given
        self.connection = Connection(address)
        self.rng = random.Random(begun.cookie)  # noqa: S311 - for pauses, not for secrets

    async def run(self) -> None:
        """Write all messages."""
        await asyncio.sleep(self.rng.random() * (self.given.think + self.given.model))
        for number in range(self.given.turns):
            await self._turn(1 + 2 * number)
            await asyncio.sleep(self.rng.expovariate(1 / self.given.think) if self.given.think else 0)
        self.connection.close()

    async def _turn(self, number: int) -> None:
        begun = time.perf_counter()
        body = urlencode({"number": number, "message": f"{MESSAGE}{number}"}).encode()
        while (status := await self._ask("POST", f"{self.begun.form}/say", body)) != SENT_ON:
            self.tally.statuses[status] += 1
            await asyncio.sleep(PAUSE_S)
        self.tally.n_acknowledged += 1
        self.tally.say_s.append(time.perf_counter() - begun)
        await self._ask("GET", self.begun.form)
        is_first = True
        while True:
            try:
                async for event in self._events():
                    if event == "text" and is_first:
                        self.tally.first_s.append(time.perf_counter() - begun)
                        is_first = False
                    elif event == "end":
                        self.tally.own_s.append(time.perf_counter() - begun - self.given.model)
                        await self._ask("GET", self.begun.form)
                        return
            except (OSError, asyncio.IncompleteReadError, EOFError):
                self.tally.n_retried += 1
                await asyncio.sleep(PAUSE_S)

    async def _ask(self, method: str, path: str, body: bytes = b"") -> int:
        while True:
            try:
                return (await self.connection.ask(method, path, body, self._headers()))[0]
            except (OSError, asyncio.IncompleteReadError):
                self.tally.n_retried += 1
                await asyncio.sleep(PAUSE_S)

    async def _events(self) -> AsyncIterator[str]:
        """The names of the events of the reply."""
        reader, writer = await asyncio.open_connection(self.connection.host, self.connection.port)
        host = f"{self.connection.host}:{self.connection.port}"
        writer.write(f"GET {self.begun.form}/reply HTTP/1.1\r\nHost: {host}\r\n{self._headers()}\r\n".encode())
        try:
            status = (await reader.readuntil(b"\r\n\r\n")).split()[1]
            if int(status) != OK:
                self.tally.statuses[int(status)] += 1
                raise EOFError(status)
            while line := await reader.readline():
                if line.startswith(b"event: "):
                    yield line.removeprefix(b"event: ").strip().decode()
            raise EOFError("the connection ended")
        finally:
            writer.close()

    def _headers(self) -> str:
        return (
            f"Origin: {self.address}\r\nSec-Fetch-Site: same-origin\r\nCookie: {self.begun.cookie}\r\n"
            "Accept-Encoding: gzip\r\nContent-Type: application/x-www-form-urlencoded\r\n"
        )


def make_study(engine: Engine, n_raters: int, n_turns: int) -> None:
    """Create an open study of conversations with one partner."""
    partner = {"model": "m", "prompt": PROMPT, "reply_tokens": 100}
    conversation = {"partners": {"kim": partner}, "max_messages": n_turns + 1}
    consent = {"version": "1", "text": "A model replies to you.", "sends_to_model": True}
    parts = protocol_of(
        "talk",
        sources={"kim": {"kind": "model"}},
        questions=[EMPATHY],
        design={"trials": "conversation", "raters_per_trial": n_raters, "trials_per_rater": 1},
        conversation=conversation,
        flow={"consent": consent},
    )
    with engine.begin() as db:
        build_study(db, parts, texts=[{"key": "week", "text": "Write about your week.", "responses": {}}])
        open_study(db, "talk")
    analyze(engine)


def arrive(address: str, number: int) -> Begun:
    """A rater who has agreed and reads the first page."""
    client = RaterClient(address, "talk", f"rater-{number}")
    client.ask("GET", f"/s/talk?participant={client.who}")
    client.ask("POST", "/s/talk/consent", {"consent": "agree"})
    client.ask("POST", "/s/talk/start", {})
    _, _, page = client.ask("GET", "/s/talk/rate")
    client.close()
    found = _FORM.search(page)
    assert found, page
    return Begun(found[1], client.headers["Cookie"])


async def converse(address: str, begun: list[Begun], given: argparse.Namespace) -> Tally:
    """Let all raters write at once."""
    tally = Tally()
    await asyncio.gather(*(Writer(address, one, tally, given).run() for one in begun))
    return tally


def main() -> None:
    """Print what was measured."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--raters", type=int, default=200)
    parser.add_argument("--turns", type=int, default=5, help="messages per rater")
    parser.add_argument("--model", type=float, default=5, help="seconds that the model takes for a reply")
    parser.add_argument("--think", type=float, default=15, help="mean seconds between a reply and the next message")
    parser.add_argument("--workers", type=int, default=1)
    given = parser.parse_args()
    with database() as engine:
        make_study(engine, given.raters, given.turns)
        sys.exit(0 if uvloop.run(measure(engine, given)) else 1)


async def measure(engine: Engine, given: argparse.Namespace) -> bool:
    """Measure one run; whether nothing was lost."""
    model = SlowModel(given.model)
    listening = await asyncio.start_server(model.answer, "127.0.0.1", 0)
    url = engine.url.render_as_string(hide_password=False)
    with (
        tempfile.TemporaryDirectory() as place,
        servers_file(listening.sockets[0].getsockname()[1], Path(place)) as path,
        mock.patch.dict(os.environ, ATTUNE_MODEL_SERVERS_FILE=str(path)),
        attune_process(url, given.workers) as served,
    ):
        with ThreadPoolExecutor(8) as pool:
            begun = [*pool.map(partial(arrive, served.address), range(given.raters))]
        with engine.connect() as db:
            postmaster = parent_of(db.execute(text("SELECT pg_backend_pid()")).scalar_one())
        before = processor_s(served.pid), processor_s(postmaster), time.perf_counter()
        tally = await converse(served.address, begun, given)
        web, postgres = processor_s(served.pid) - before[0], processor_s(postmaster) - before[1]
        wall, memory = time.perf_counter() - before[2], memory_mb(served.pid)
    n = given.raters * given.turns
    cuts = statistics.quantiles(tally.own_s, n=100)
    print(f"{given.raters} raters, {n} turns in {wall:.0f} s, model {given.model:g} s, {given.workers} workers")
    print(f"own ms: p50 {cuts[49] * 1000:.0f}, p95 {cuts[94] * 1000:.0f}, p99 {cuts[98] * 1000:.0f}")
    says = statistics.quantiles(tally.say_s, n=100)
    print(f"message stored, ms: p50 {says[49] * 1000:.0f}, p95 {says[94] * 1000:.0f}")
    if len(tally.first_s) > 1:
        print(f"first words, s: p50 {statistics.median(tally.first_s):.2f} ({len(tally.first_s)} replies in pieces)")
    print(f"processor ms per turn: web {web / n * 1000:.1f}, PostgreSQL {postgres / n * 1000:.1f}")
    print(f"memory MB: {', '.join(f'{one:.0f}' for one in memory[: given.workers + 1])}")
    return is_whole(engine, model, tally, n)


def is_whole(engine: Engine, model: SlowModel, tally: Tally, n: int) -> bool:
    """Whether each acknowledged message is stored with its reply, and was sent to the model once."""
    with engine.connect() as db:
        replied = db.execute(text("SELECT count(*) FROM conversation_turns WHERE text = :said"), {"said": WORDS})
        stored = db.execute(text("SELECT count(*) FROM conversation_turns WHERE speaker = 'rater'")).scalar_one()
        tried = db.execute(text("SELECT sum(n_tries) FROM conversation_turns")).scalar_one()
        n_replied = replied.scalar_one()
    again = sum(asked - 1 for asked in model.asked.values())
    print(f"{stored} of {tally.n_acknowledged} messages stored, {n_replied} of {n} replies whole")
    print(f"{len(model.asked)} turns asked, {again} of them again, {tried} claims")
    others = ", ".join(f"HTTP {status} {n} times" for status, n in tally.statuses.items()) or "no errors"
    print(f"{tally.n_retried} requests sent again, {others}; load on the machine: {os.getloadavg()[0]:.1f}")
    return stored == n_replied == len(model.asked) == n and again == 0


if __name__ == "__main__":
    main()
