"""How long raters wait while a lead downloads answers or has a report computed, and without.

One server, two processes, one database. Raters send what a browser sends, with pauses for thinking. Meanwhile a program
downloads ratings.csv of another, large study, over and over; then it asks for its estimates with one filter after the
other, so that each answer must be computed. The reports run in processes of their own with low priority; the table
shows what raters notice.

python -m benchmarks.raters_beside_report [--raters 200] [--think 10] [--seconds 20] [--ratings 100000]
"""

import argparse
import os
import statistics
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from threading import Event, Thread

import uvloop
from sqlalchemy import Engine

from app.accounts.leads import record_lead
from app.studies.folder.read import read_folder
from app.studies.load import load_study
from app.studies.members.api_tokens import record_api_token
from app.studies.members.members import record_member
from app.studies.studies import get_study
from benchmarks.load import N_TRIALS, analyze, begin, database, make_study, stored
from benchmarks.load_client import Begun, Rater, Tally, drive
from benchmarks.load_folder import write
from benchmarks.serving import attune_process

SLUG, LARGE, TOKEN = "raters", "large", "attune_benchmark"
# Each filter makes another report, so that none is answered from the cache.
REPORTS = [f"estimates?until=2027-01-{day:02}" for day in range(1, 29)]
DOWNLOADS = ["ratings.csv"] * 10_000
RATINGS_PER_ITEM, N_RATERS_OF_REPORT = 10, 500


@dataclass
class Lead:
    """Another lead, who asks for one page after the other, and how long each took, in seconds."""

    address: str
    pages: list[str]
    over: Event = field(default_factory=Event)
    seconds: list[float] = field(default_factory=list)

    def ask(self) -> None:
        """Ask until it is over; the last page is still being computed then."""
        for page in self.pages:
            if self.over.is_set():
                return
            begun = time.perf_counter()
            address = f"{self.address}/api/v1/studies/{LARGE}/{page}"
            request = urllib.request.Request(address, headers={"Authorization": f"Bearer {TOKEN}"})  # noqa: S310
            with urllib.request.urlopen(request, timeout=600) as answer:  # noqa: S310 - our own server
                answer.read()
            self.seconds.append(time.perf_counter() - begun)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--raters", type=int, default=200)
    parser.add_argument("--think", type=float, default=10)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--ratings", type=int, default=100_000)
    given = parser.parse_args()
    n_ready = 3 * (given.raters + int(given.raters / given.think * given.seconds / N_TRIALS)) + 16
    with database() as engine, serving(engine, given.ratings, n_ready) as (address, ready):
        analyze(engine)
        warm = Tally()
        uvloop.run(drive([Rater(address, ready, warm, saves=True) for _ in range(4)], 2.0))
        print(f"{'':24}{'pages':>7}{'submit p50 ms':>15}{'p95':>8}{'p99':>8}{'save p50':>10}{'p95':>8}")
        alone = rate(address, ready, given)
        print(line("no report", alone))
        downloads, beside_downloads = rate_beside(address, DOWNLOADS, ready, given)
        print(line("beside downloads", beside_downloads))
        reports, beside_reports = rate_beside(address, REPORTS, ready, given)
        print(line("beside reports", beside_reports))
        print(f"stored: {stored(engine, SLUG, warm, alone, beside_downloads, beside_reports)}")
        print(f"downloads of {given.ratings:,} ratings: {len(downloads)}, {statistics.median(downloads):.2f} s each")
        took = ", ".join(f"{seconds:.0f} s" for seconds in reports)
        print(f"reports of {given.ratings:,} ratings, one after the other: {took}")
    print(f"load on the machine: {os.getloadavg()[0]:.1f}")


@contextmanager
def serving(engine: Engine, n_ratings: int, n_ready: int) -> Iterator[tuple[str, list[Begun]]]:
    """Yield the address of a server of both studies, and raters who have begun."""
    make_study(engine, SLUG, n_ready + 8)
    with tempfile.TemporaryDirectory() as place:
        write(Path(place), n_ratings // RATINGS_PER_ITEM, N_RATERS_OF_REPORT)
        study = read_folder(Path(place))
    with engine.begin() as db:
        load_study(db, study)
        row, lead = get_study(db, LARGE), record_lead(db, "lead@example.org", None)
        assert row is not None
        assert lead is not None
        record_member(db, row.id, lead.id, "owner")
        record_api_token(db, row.id, lead.id, token=TOKEN, name="benchmark", role="owner", valid=timedelta(days=1))
    with attune_process(engine.url.render_as_string(hide_password=False), 2) as served:
        yield served.address, begin(served.address, SLUG, n_ready)


def rate_beside(
    address: str, pages: list[str], ready: list[Begun], given: argparse.Namespace
) -> tuple[list[float], Tally]:
    """Let all raters rate while a lead asks for pages; return how long those took, and what the raters waited."""
    lead = Lead(address, pages)
    asking = Thread(target=lead.ask, daemon=True)
    asking.start()
    time.sleep(3)  # until the processes for reports have started
    beside = rate(address, ready, given)
    if not asking.is_alive():
        print("The pages were finished before the raters: take more ratings, or fewer seconds.")
    lead.over.set()
    asking.join(600)
    return lead.seconds, beside


def rate(address: str, ready: list[Begun], given: argparse.Namespace) -> Tally:
    """Let all raters rate for the given time; return what they waited."""
    tally = Tally()
    raters = [Rater(address, ready, tally, saves=True, think_s=given.think) for _ in range(given.raters)]
    uvloop.run(drive(raters, given.seconds))
    return tally


def line(name: str, tally: Tally) -> str:
    """One row of the table."""
    submit, save = (statistics.quantiles(seconds, n=100) for seconds in (tally.submit_s, tally.save_s))
    waits = "".join(f"{submit[p - 1] * 1000:{width}.1f}" for p, width in ((50, 15), (95, 8), (99, 8)))
    saves = "".join(f"{save[p - 1] * 1000:{width}.1f}" for p, width in ((50, 10), (95, 8)))
    return f"{name:24}{tally.acknowledged:7}{waits}{saves}"


if __name__ == "__main__":
    main()
