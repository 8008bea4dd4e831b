"""Fault test: raters rate over HTTP while parts of the servers are killed; then answers are checked in the database.

Run: python -m benchmarks.faults [--kills 60] [--raters 16] [--write benchmarks/results/faults.md]

Two servers with two workers each share one durable embedded database, on a small disk that can be filled, with a clock
that can be set. After each kill, the run waits until every rater has had an answer acknowledged that was sent after the
kill: this is the recovery time. At the end, each acknowledged
answer must be in the database exactly once and unchanged. The exit code is 1 if not.
"""

import argparse
import signal
import statistics
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from itertools import cycle, islice
from pathlib import Path
from types import MappingProxyType
from typing import Generic, TypeVar

from sqlalchemy import Connection, create_engine

from app.base.database.migrate import upgrade
from app.base.postgres import EmbeddedPostgres
from app.rating.life_cycle import open_study
from app.settings import folder
from benchmarks.fault_check import Verdict, compare
from benchmarks.fault_clock import make_settable
from benchmarks.fault_disk import MEGABYTES, small_disk
from benchmarks.fault_rater import FaultRater, Page
from benchmarks.fault_servers import DISK_FULL, Killer, Server, wait_until_up
from tests.kit.builder import build_study, protocol_of
from tests.kit.postgres_fixture import reachable_folder

K, N_ITEMS, N_TRIALS = 5, 6000, 8
# On a busy machine, starting six processes at once takes a minute; a browser retries as long as its page is open.
PATIENCE_SECONDS = 300.0
INTRODUCTION = """# Answers while servers are killed

Raters rate over HTTP while parts of the servers are killed with SIGKILL or cut off, the disk is full, or the clock
jumps. Two servers with two workers each share one durable embedded database. A rater whose server does not answer goes
on at the other one, as behind a proxy. Raters go back to two of five pages and change them. Three of ten requests
arrive once more up to two pages later, at either server, and half of these copies come from a connection that is closed
at once; so does what was submitted before each change, as if it had been overtaken. Nothing of this may change an
answer that was acknowledged. The time is from a kill until each rater has had an answer acknowledged that was
sent after it. At the end, every acknowledged answer is looked up: *lost* is not in the database, *altered* differs,
*doubled* is there twice, *above k* are trials with more ratings than planned, *stuck* are raters who could not finish.

- *worker*, *workers*, *parent*: one of the processes of a server, all of them, or the one that started them. *keeper*,
  *postmaster*, *backend*: the process that watches over the embedded database, its main process, and the one of a
  connection.
- *everything*: all of these at once; the time includes starting them again, as a service manager would.
- *host*: one server with all its processes; it stays away until every rater has gone on at the other one.
- *clock*: the time that statements see in the database jumps by 2 or 30 hours, ahead or back, and stays so.
- *disk full*: the file system of the database has no space for three seconds; the time is from then on.

After a clock has been set back, nothing waits until the time from before is reached again. Webhooks whose next attempt
was planned by the clock that was ahead are sent at once, limits on sign-ins and arrivals begin anew, and sessions of
leads that began in the future are over. A rater's lease is shortened to its usual length, because the rater may be
rating now. A backup from the future does not count as the newest: a new one is made, and the other is removed then.
Links with an end date (invitations, sign-in links, API tokens) keep it.

The keeper does not only look whether the embedded database runs: it asks it for a connection every second. After
SIGTERM, PostgreSQL refuses new connections and waits for idle ones to end, which those of Attune never do; without its
socket file, it runs on unreachable. A database that has not answered for five seconds is shut down (SIGINT), after
fifteen it is killed, and it is started again. Recovery after a crash and a lack of free connections count as answers.
Signals that the keeper sent are in `postgres.log`, in the folder `postgres` of the data folder.

A worker that dies is replaced at once, and so is one that has hung for 30 seconds. While a server has none that accepts
connections, it refuses them, so that a proxy or a browser tries elsewhere or again: a request that waited unanswered
would be carried out after its sender had given it up.

Created by `python -m benchmarks.faults --write benchmarks/results/faults.md`.
A short run of the same is part of `make slow`.
Two hosts with a database over TCP, of which one is lost, then the database, whose replica takes over: see
[More than one machine](../../docs/scaling.md#failover-by-hand).

"""


@dataclass(frozen=True, slots=True)
class Run:
    """The outcome of a run."""

    verdict: Verdict
    n_acknowledged: int
    n_raters: int
    n_retries: int
    n_changed: int
    n_copies: int
    recovery_s: dict[str, list[float]]

    @property
    def n_kills(self) -> int:
        """Total number of kills."""
        return sum(map(len, self.recovery_s.values()))


R = TypeVar("R", bound=FaultRater)
# Makes a rater from the addresses of the servers, the number of their place, and their participant ID.
MakeRater = Callable[[Sequence[str], int, str], R]


class Crowd(Generic[R]):
    """Simulated raters in several threads, one after the other in each thread, until `finish` is called."""

    def __init__(self, servers: Sequence[Server], n_raters: int, make: MakeRater[R]) -> None:
        """Start the first raters; `make` makes the one of a place."""
        self._is_open, self._make = True, make
        self.raters: list[R] = []
        self.now: dict[int, R] = {}
        self.ends: list[str] = []
        addresses = [server.address for server in servers]
        orders = cycle([addresses[n:] + addresses[:n] for n in range(len(addresses))])
        places = enumerate(islice(orders, n_raters))
        self._threads = [threading.Thread(target=self._rate, args=place, daemon=True) for place in places]
        for thread in self._threads:
            thread.start()

    def _rate(self, place: int, addresses: Sequence[str]) -> None:
        number = 0
        while self._is_open:
            rater = self._make(addresses, place, f"rater-{place}-{number}")
            self.raters.append(rater)
            self.now[place] = rater
            try:
                self.ends.append(rater.rate_until_the_end())
            except Exception as error:  # noqa: BLE001 - printed, and counted as a stuck rater
                print(f"{rater.who}: {error!r}", file=sys.stderr)
                self.ends.append("stuck")
            number += 1

    def cut(self) -> None:
        """Break every rater's connection."""
        for rater in list(self.now.values()):
            rater.cut()

    def last_sent_by_slowest(self) -> float:
        """Return when the last acknowledged request was sent, for the rater for whom that is longest ago."""
        return min(rater.last_acknowledged for rater in list(self.now.values()))

    def wait_until_rating(self, n_raters: int) -> None:
        """Wait until every rater has had an answer acknowledged: servers that have just started are slow at first."""
        end = time.monotonic() + PATIENCE_SECONDS
        while len(self.now) < n_raters or self.last_sent_by_slowest() == 0:
            assert time.monotonic() < end, "the raters did not begin"
            time.sleep(0.05)

    def wait_until_changed(self, n_pages: int) -> None:
        """Wait until the raters have changed this many pages after submitting them, however slow the machine is."""
        end = time.monotonic() + PATIENCE_SECONDS
        while sum(rater.n_changed for rater in list(self.raters)) < n_pages:
            assert time.monotonic() < end, f"the raters did not change {n_pages} pages"
            time.sleep(0.05)

    def finish(self) -> None:
        """Start no further raters, and wait for those at work."""
        self._is_open = False
        for thread in self._threads:
            thread.join(2 * PATIENCE_SECONDS)
            self.ends += ["stuck"] * thread.is_alive()


@contextmanager
def open_database(data_dir: Path) -> Iterator[str]:
    """Yield the URL of the running database, for setup and checks only: the run must not keep the servers alive."""
    server = EmbeddedPostgres(data_dir)
    try:
        yield server.start()
    finally:
        server.stop()


def make_study(db: Connection, n_items: int) -> None:
    """Create an open study with more seats than the run can fill."""
    design = {"raters_per_trial": K, "trials_per_rater": N_TRIALS}
    build_study(db, protocol_of(design=design), n_items=n_items)
    open_study(db, "study")


def kill_and_wait(killer: Killer, kind: str, crowd: Crowd[R], servers: Sequence[Server]) -> float:
    """Kill one part; return the seconds until every rater has received a response again, or infinity."""
    killer.kill(kind)
    killed_at = time.monotonic()
    while crowd.last_sent_by_slowest() < killed_at:
        if time.monotonic() > killed_at + PATIENCE_SECONDS:
            return float("inf")
        for server in servers:
            server.ensure()
        time.sleep(0.05)
    for server in servers:
        server.is_away = False
    return time.monotonic() - killed_at


def kill_while_raters_work(
    place: Path,
    kinds: Sequence[str],
    n_raters: int,
    prepare: Callable[[Connection], None],
    make: MakeRater[R],
    *,
    between_s: float = 1.0,
    n_changed: int = 0,
    others: Mapping[str, Callable[[], None]] = MappingProxyType({}),
) -> tuple[Crowd[R], dict[str, list[float]]]:
    """Kill parts of these kinds in order while raters work; return the raters, and the seconds until all went on.

    The run ends after the last kill, and not before `n_changed` pages have been changed after submitting.

    Args:
        place: an empty folder; the database stays in `data` below it.
        kinds: of `Killer.KINDS` or `others`.
        n_raters: how many work at the same time.
        prepare: makes their studies.
        make: makes a rater.
        between_s: seconds between all raters going on and the next kill.
        n_changed: of pages.
        others: kills what is not part of the servers.
    """
    data_dir, log = place / "data", place / "servers.log"
    with open_database(data_dir) as url:
        engine = create_engine(url)
        upgrade(engine, folder("migrations"))
        with engine.begin() as db:
            prepare(db)
            make_settable(db)
        engine.dispose()
        servers = [Server(data_dir, log) for _ in range(2)]
        wait_until_up(servers)
    crowd = Crowd(servers, n_raters, make)
    killer = Killer(data_dir, url, servers, crowd.cut, others)
    recovery_s = defaultdict[str, list[float]](list)
    try:
        crowd.wait_until_rating(n_raters)
        for kind in kinds:
            time.sleep(between_s)
            recovery_s[kind].append(kill_and_wait(killer, kind, crowd, servers))
            print(f"{kind}: all raters went on after {recovery_s[kind][-1]:.1f} s", file=sys.stderr, flush=True)
        crowd.wait_until_changed(n_changed)
        crowd.finish()
    finally:
        for server in servers:
            server.ensure()
            server.stop()
    return crowd, dict(recovery_s)


def run(
    place: Path,
    kinds: Sequence[str],
    n_raters: int,
    *,
    n_items: int = N_ITEMS,
    between_s: float = 1.0,
    n_changed: int = 0,
) -> Run:
    """Kill parts of these kinds in order while `n_raters` raters rate; return the outcome."""

    def make(addresses: Sequence[str], _place: int, who: str) -> FaultRater:
        return FaultRater(addresses, "study", who, patience_s=PATIENCE_SECONDS)

    def prepare(db: Connection) -> None:
        make_study(db, n_items)

    crowd, recovery_s = kill_while_raters_work(
        place, kinds, n_raters, prepare, make, between_s=between_s, n_changed=n_changed
    )
    ledger: dict[str, Page] = {token: page for rater in crowd.raters for token, page in rater.ledger.items()}
    with open_database(place / "data") as url:
        engine = create_engine(url)
        with engine.connect() as db:
            verdict = compare(db, ledger, crowd.ends, K)
        engine.dispose()
    n_acknowledged = sum(len(page.keys) + page.is_submitted for page in ledger.values())
    n_retries = sum(rater.n_retries for rater in crowd.raters)
    changed = sum(rater.n_changed for rater in crowd.raters)
    n_copies = sum(rater.copies.n_sent for rater in crowd.raters)
    return Run(verdict, n_acknowledged, len(crowd.raters), n_retries, changed, n_copies, recovery_s)


def table(recovery_s: Mapping[str, Sequence[float]]) -> list[str]:
    """The lines of a table of recovery times."""
    rows = (
        f"| {kind} | {len(seconds)} | {statistics.median(seconds):.1f} | {max(seconds):.1f} |"
        for kind, seconds in recovery_s.items()
    )
    return ["| Killed | Times | Median seconds | Longest |", "| --- | --- | --- | --- |", *rows]


def page(result: Run) -> str:
    """Return the outcome as a page of the documentation."""
    counts = (f"{name.replace('_', ' ')} {count}" for name, count in asdict(result.verdict).items())
    return INTRODUCTION + "\n".join(
        [
            *table(result.recovery_s),
            "",
            f"{result.n_kills} kills, {result.n_raters} raters, {result.n_acknowledged:,} acknowledged requests,",
            f"{result.n_retries:,} retries, {result.n_changed:,} pages changed after submitting,",
            f"{result.n_copies:,} late copies. After the run: **{', '.join(counts)}**.",
            "",
        ]
    )


@contextmanager
def small_place(place: Path) -> Iterator[list[str]]:
    """The kinds of kills that can be tried with the database at this place: on a small disk, if there can be one."""
    with small_disk(place) as has_small_disk:
        if not has_small_disk:
            print(f"Not tried here: {DISK_FULL}, because a file system of {MEGABYTES} MB cannot be mounted.")
        yield [kind for kind in Killer.KINDS if has_small_disk or kind != DISK_FULL]


def given_of(description: str | None, n_kills: int, n_raters: int) -> argparse.Namespace:
    """The options of a fault run."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=n_kills)
    parser.add_argument("--raters", type=int, default=n_raters)
    parser.add_argument("--write", type=Path)
    # A run that is ended leaves no servers and no file system behind.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    return parser.parse_args()


def tell(words: str, file: Path | None) -> None:
    """Print the page, and write it if there is a file for it."""
    print(words)
    if file:
        file.write_text(words, encoding="utf-8")


def main() -> None:
    """Print the page, or write it."""
    given = given_of(__doc__, 60, 16)
    with reachable_folder() as place, small_place(place) as kinds:
        result = run(place, list(islice(cycle(kinds), given.kills)), given.raters)
    tell(page(result), given.write)
    sys.exit(0 if result.verdict.is_clean else 1)


if __name__ == "__main__":
    main()
