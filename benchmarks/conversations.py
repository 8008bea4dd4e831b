"""Raters who write, many at once, through their pages: with a model, a text with suggestions, or with another rater.

`own` is the time from what a rater sends to the end of the reply or suggestion, without the seconds of the model; with
another rater, to when the page of the other one shows the message. A turn is a message; in a draft, a suggestion with
what was saved before it and the decision about it. Processor time is per turn, for the web processes and for
PostgreSQL. At the end, everything acknowledged must be stored once, and the model must have been asked once for each
reply. Kills in the middle of turns: `benchmarks.fault_writing`.

python -m benchmarks.conversations [--kind draft] [--raters 200] [--turns 5] [--model 5] [--think 15] [--workers 1]
"""

import argparse
import asyncio
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

import uvloop
from sqlalchemy import Engine, text

from app.rating.life_cycle import open_study
from benchmarks.load import analyze, database
from benchmarks.rater_client import RaterClient
from benchmarks.serving import attune_process, memory_mb, parent_of, processor_s
from benchmarks.slow_model import WORDS, SlowModel, servers_file
from benchmarks.writing_clients import Browser, Drafter, Pace, PairMember, Talker, Tally
from tests.kit.builder import EMPATHY, build_study, protocol_of
from tests.kit.dyads import CONSENT, PERSON

PROMPT = "You are a warm listener. Answer briefly, and ask at most one question."
_STORED = text("""
    SELECT count(DISTINCT (dyad_id, assignment_id, number)) FILTER (WHERE speaker = 'rater' AND number > 0),
           count(*) FILTER (WHERE speaker = 'partner' AND text = :said), coalesce(sum(n_tries), 0)
    FROM conversation_turns
""")
_DRAFTS = text("""
    SELECT a.token::text, t.text FROM conversation_turns t
    JOIN assignments a ON a.study_id = t.study_id AND a.id = t.assignment_id WHERE t.number = 0
""")
HELPER = {"model": "m", "prompt": PROMPT, "reply_tokens": 100}
# The kind of trials, of the source, who it is, and its bounds.
KINDS: dict[str, tuple[str, str, dict[str, Any], dict[str, Any]]] = {
    "conversation": ("conversation", "model", HELPER, {"max_messages": 200}),
    "draft": ("draft", "human+model", HELPER, {"max_words": 5000, "max_suggestions": 100}),
    "dyad": ("conversation", "human", PERSON, {"max_messages": 200}),
}


def make_study(engine: Engine, kind: str, n_raters: int) -> None:
    """Create an open study of this kind with one partner."""
    trials, source, partner, bounds = KINDS[kind]
    parts = protocol_of(
        "talk",
        sources={"kim": {"kind": source}},
        questions=[EMPATHY],
        design={"trials": trials, "raters_per_trial": n_raters, "trials_per_rater": 1},
        flow={"consent": CONSENT | {"sends_to_model": True}},
        **{trials: {"partners": {"kim": partner}} | bounds},
    )
    with engine.begin() as db:
        build_study(db, parts, texts=[{"key": "week", "text": "Write about your week.", "responses": {}}])
        open_study(db, "talk")
    analyze(engine)


def arrive(address: str, number: int) -> str:
    """The cookie of a rater who has agreed and pressed *Begin*."""
    client = RaterClient(address, "talk", f"rater-{number}")
    client.ask("GET", f"/s/talk?participant={client.who}")
    client.ask("POST", "/s/talk/consent", {"consent": "agree"})
    client.ask("POST", "/s/talk/start", {})
    client.close()
    return client.headers["Cookie"]


async def write(address: str, cookies: list[str], given: argparse.Namespace) -> Tally:
    """Let all raters write at once."""
    tally, pace = Tally(), Pace(given.turns, 0 if given.kind == "dyad" else given.model, given.think)
    sent: dict[str, float] = {}
    makers: dict[str, Callable[[str, str, Tally, Pace], Browser]] = {
        "conversation": Talker,
        "draft": Drafter,
        "dyad": partial(PairMember, sent=sent),
    }
    browsers = [makers[given.kind](address, cookie, tally, pace) for cookie in cookies]
    await asyncio.gather(*(one.run() for one in browsers))
    return tally


def main() -> None:
    """Print what was measured."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kind", choices=KINDS, default="conversation")
    parser.add_argument("--raters", type=int, default=200)
    parser.add_argument("--turns", type=int, default=5, help="turns per rater")
    parser.add_argument("--model", type=float, default=5, help="seconds that the model takes for a reply")
    parser.add_argument("--think", type=float, default=15, help="mean seconds between a reply and the next turn")
    parser.add_argument("--workers", type=int, default=1)
    given = parser.parse_args()
    with database() as engine:
        make_study(engine, given.kind, given.raters)
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
            cookies = [*pool.map(partial(arrive, served.address), range(given.raters))]
        with engine.connect() as db:
            postmaster = parent_of(db.execute(text("SELECT pg_backend_pid()")).scalar_one())
        before = processor_s(served.pid), processor_s(postmaster), time.perf_counter()
        tally = await write(served.address, cookies, given)
        web, postgres = processor_s(served.pid) - before[0], processor_s(postmaster) - before[1]
        wall, memory = time.perf_counter() - before[2], memory_mb(served.pid)
    n = given.raters * given.turns
    slow = "" if given.kind == "dyad" else f", model {given.model:g} s"
    print(f"{given.kind}: {given.raters} raters, {n} turns in {wall:.0f} s{slow}, {given.workers} workers")
    for what, seconds in tally.seconds.items():
        cuts = [cut * 1000 for cut in statistics.quantiles(seconds, n=100)] if len(seconds) > 1 else [0.0] * 99
        print(f"{what}, ms: p50 {cuts[49]:.0f}, p95 {cuts[94]:.0f}, p99 {cuts[98]:.0f} ({len(seconds)})")
    print(f"processor ms per turn: web {web / n * 1000:.1f}, PostgreSQL {postgres / n * 1000:.1f}")
    print(f"memory MB: {', '.join(f'{one:.0f}' for one in memory[: given.workers + 1])}")
    others = ", ".join(f"HTTP {status} {n} times" for status, n in tally.statuses.items()) or "no errors"
    print(f"{tally.n_retried} requests sent again, {others}; load on the machine: {os.getloadavg()[0]:.1f}")
    return is_whole(engine, model, tally, given)


def is_whole(engine: Engine, model: SlowModel, tally: Tally, given: argparse.Namespace) -> bool:
    """Whether everything acknowledged is stored once, with its reply, for which the model was asked once."""
    n = given.raters * given.turns
    n_replies = 0 if given.kind == "dyad" else n
    with engine.connect() as db:
        stored, replied, tried = db.execute(_STORED, {"said": WORDS}).one()
        drafts: dict[str, str] = dict(db.execute(_DRAFTS).all())
    again = sum(asked - 1 for asked in model.asked.values())
    print(f"{stored} of {tally.n_turns} turns stored, {replied} of {n_replies} replies whole")
    print(f"{len(model.asked)} turns asked, {again} of them again, {tried} claims")
    if drafts:
        n_kept = sum(drafts.get(token) == words for token, words in tally.drafts.items())
        print(f"{n_kept} of {len(tally.drafts)} drafts as acknowledged")
    return (
        stored == tally.n_turns == n
        and replied == len(model.asked) == n_replies
        and again == 0
        and all(drafts.get(token) == words for token, words in tally.drafts.items())
    )


if __name__ == "__main__":
    main()
