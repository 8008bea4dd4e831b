"""Load test: many raters at once, compared to a minimal application that stores one row, in the same run.

`bare limit` writes one row and responds with ok (`benchmarks.bare_app`). `submit and next` sends a page of five answers
and receives the next page. `as a browser` also sends two saves before each page, as the script of the page does. Each
cell has its own server processes and its own raters with 40 trials each; all share one durable PostgreSQL.

Processor time is per cycle, for the web processes and for PostgreSQL, from /proc: it is valid on a shared machine.
Cycles per second and waiting times are not, and the clients run on the same machine.

python -m benchmarks.load [--seconds 8] [--raters 1 32 200] [--workers 1 2] [--cells bare submit browser potato]
"""

import argparse
import asyncio
import os
import statistics
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass

import psycopg
import uvloop
from sqlalchemy import Engine, create_engine, text

from app.base.database.migrate import upgrade
from app.base.postgres import EmbeddedPostgres
from app.rating.life_cycle import open_study
from app.settings import folder
from benchmarks import load_potato
from benchmarks.bare_app import TABLE
from benchmarks.load_client import BareClient, Begun, Client, Rater, Spent, Tally, drive
from benchmarks.rater_client import RaterClient
from benchmarks.serving import Served, application, attune_process, memory_mb, parent_of, processor_s
from tests.kit.builder import EMPATHY, PREFERENCE, build_study, protocol_of
from tests.kit.postgres_fixture import libpq_url, reachable_folder

N_ITEMS, N_TRIALS = 400, 40
# Upper limit for any cell without thinking time; determines how many raters are prepared.
MAX_PER_S = 2_000
WORDS = "It sounds as if this week has been very hard on you, and I can hear how much you want to do right by them. "
CELLS = ("bare", "submit", "browser", "potato")
NAMES = {"bare": "bare limit", "submit": "submit and next", "browser": "as a browser", "potato": "Potato, as a browser"}


@dataclass(frozen=True)
class Row:
    """One row of the table."""

    cell: str
    n_raters: int
    workers: int
    per_s: float
    milliseconds: Sequence[float]
    web_ms: float
    postgres_ms: float
    proof: str


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=8)
    parser.add_argument("--raters", type=int, nargs="+", default=[1, 32, 200])
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--cells", nargs="+", choices=CELLS, default=CELLS)
    parser.add_argument("--think", type=float, default=0, help="mean seconds of thought per page")
    given = parser.parse_args()
    if "potato" in given.cells and not load_potato.command():
        print("Potato is not installed, and is left out: pip install potato-annotation, or name its command in POTATO")
    print(
        f"{'':22}{'raters':>7}{'workers':>8}{'cycles/s':>9}{'of bare':>8}{'p50 ms':>8}{'p95':>8}{'p99':>8}"
        f"{'web ms':>8}{'Postgres':>9}  stored of acknowledged"
    )
    with database() as engine:
        for workers in given.workers:
            for n_raters in given.raters:
                rows = [measure(engine, cell, n_raters, workers, given) for cell in given.cells]
                for row in rows:
                    if row is not None:
                        print(line(row, next((one.per_s for one in rows if one and one.cell == "bare"), None)))
    print(f"load on the machine: {os.getloadavg()[0]:.1f}")


@contextmanager
def database() -> Iterator[Engine]:
    """Yield a migrated, durable database."""
    with reachable_folder() as place:
        server = EmbeddedPostgres(place)
        server.start()
        engine = create_engine(server.url("postgres"))
        upgrade(engine, folder("migrations"))
        with psycopg.connect(libpq_url(server.url("postgres"))) as connection:
            connection.execute(TABLE)
        yield engine
        engine.dispose()
        server.stop()


def measure(engine: Engine, cell: str, n_raters: int, workers: int, given: argparse.Namespace) -> Row | None:
    """Measure one cell; None if it cannot be run."""
    url = engine.url.render_as_string(hide_password=False)
    if cell == "potato":
        if not load_potato.command() or workers > 1:
            return None
        return _row(load_potato.measure(n_raters, given.seconds), "potato", n_raters, 1)
    if cell == "bare":
        with application("benchmarks.bare_app:app", url, workers) as served:
            tally = Tally()
            clients = [BareClient(served.address, tally) for _ in range(n_raters)]
            return _row(timed(engine, served, clients, tally, given.seconds), cell, n_raters, workers)
    slug = f"{cell}-{n_raters}-{workers}-{time.time_ns() % 100_000}"
    # a browser sends three requests per cycle
    n_submits = min(MAX_PER_S, n_raters / given.think if given.think else MAX_PER_S) * (given.seconds + 2)
    n_ready = n_raters + int(n_submits / N_TRIALS / (2 if cell == "browser" else 1))
    make_study(engine, slug, n_ready + 8)
    with attune_process(url, workers) as served:
        warm, ready = Tally(), begin(served.address, slug, n_ready + 8)
        analyze(engine)
        asyncio.run(drive([Rater(served.address, ready, warm, saves=True) for _ in range(4)], 1.0))
        tally = Tally()
        is_browser = cell == "browser"
        raters = [Rater(served.address, ready, tally, saves=is_browser, think_s=given.think) for _ in range(n_raters)]
        spent = timed(engine, served, raters, tally, given.seconds)
        memory = memory_mb(served.pid)
    return _row(spent, cell, n_raters, workers, f"{stored(engine, slug, warm, tally)}, {memory[0]:.0f} MB")


def timed(engine: Engine, served: Served, clients: Sequence[Client], tally: Tally, seconds: float) -> Spent:
    """Run the clients for `seconds`, and measure what the servers used meanwhile."""
    with engine.connect() as db:
        postmaster = parent_of(db.execute(text("SELECT pg_backend_pid()")).scalar_one())
    before = processor_s(served.pid), processor_s(postmaster)
    begun = time.perf_counter()
    uvloop.run(drive(clients, seconds))
    wall = time.perf_counter() - begun
    return Spent(tally, wall, processor_s(served.pid) - before[0], processor_s(postmaster) - before[1])


def make_study(engine: Engine, slug: str, n_raters: int) -> None:
    """Create an open study for `n_raters` raters: two responses of about 120 words, five answers per page."""
    design = {"raters_per_trial": n_raters * N_TRIALS // N_ITEMS + 1, "trials_per_rater": N_TRIALS}
    questions = [PREFERENCE, EMPATHY, EMPATHY | {"key": "warmth", "text": "How warm is it?"}]
    texts = [
        {
            "key": f"item-{n}",
            "text": f"{n}: {WORDS * 3}",
            "responses": {"person": f"{WORDS * 5}{n}", "model": f"{n} {WORDS * 5}"},
        }
        for n in range(N_ITEMS)
    ]
    with engine.begin() as db:
        build_study(db, protocol_of(slug, design=design, questions=questions), texts=texts)
        open_study(db, slug)
    analyze(engine)


def analyze(engine: Engine) -> None:
    """Do what autovacuum does within a minute: plans made for empty lists read the lists of all raters."""
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as db:
        db.execute(text("ANALYZE"))


def begin(address: str, slug: str, n_raters: int) -> list[Begun]:
    """Return raters who have arrived and pressed *Begin*."""

    def arrive(number: int) -> Begun:
        client = RaterClient(address, slug, f"rater-{number}")
        assert client.begin() == "show"
        client.close()
        return Begun(client.form, client.headers["Cookie"])

    with ThreadPoolExecutor(8) as pool:
        return list(pool.map(arrive, range(n_raters)))


def stored(engine: Engine, slug: str, *tallies: Tally) -> str:
    """Return how many submitted pages are complete in the database, of those acknowledged to a client."""
    with engine.connect() as db:
        n_stored = db.execute(
            text("""
                SELECT count(*) FROM (
                  SELECT a.id FROM assignments a JOIN studies s ON s.id = a.study_id
                  JOIN ratings r ON r.study_id = a.study_id AND r.assignment_id = a.id AND r.exclude IS NULL
                  WHERE s.slug = :slug AND a.state = 'done' GROUP BY a.id HAVING count(*) = 5) AS whole
            """),
            {"slug": slug},
        ).scalar_one()
    n_errors = sum(tally.n_errors for tally in tallies)
    return f"{n_stored} of {sum(tally.acknowledged for tally in tallies)}, {n_errors} errors"


def _row(spent: Spent, cell: str, n_raters: int, workers: int, proof: str = "") -> Row:
    n = max(1, spent.tally.acknowledged)
    cuts = statistics.quantiles(spent.tally.submit_s, n=100)
    milliseconds = [cuts[p - 1] * 1000 for p in (50, 95, 99)]
    per_cycle = spent.web_s / n * 1000, spent.postgres_s / n * 1000
    return Row(cell, n_raters, workers, n / spent.wall_s, milliseconds, *per_cycle, proof)


def line(row: Row, bare: float | None) -> str:
    """Return the row as printed; `bare` is the rate of the baseline, in cycles per second."""
    ratio = f"{row.per_s / bare:8.2f}" if bare else f"{'':8}"
    waits = "".join(f"{ms:8.1f}" for ms in row.milliseconds)
    return (
        f"{NAMES[row.cell]:22}{row.n_raters:7}{row.workers:8}{row.per_s:9.0f}{ratio}{waits}{row.web_ms:8.2f}"
        f"{row.postgres_ms:9.2f}  {row.proof}"
    )


if __name__ == "__main__":
    main()
