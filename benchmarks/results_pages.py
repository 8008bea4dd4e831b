"""How long a lead waits for the results of a large study: first view, warm, and after a restart.

python -m benchmarks.results_pages [--raters 500]. Each rater rates 2,000 responses. The database is the one given by
DATABASE_URL, or a temporary one. Seconds of processor are those of the server process alone, which also answers
raters; PostgreSQL and the processes for reports are not in them.

Then each page of a study of the usual size (`benchmarks.usual_study`), the first time after one rating has changed and
with nothing kept: seconds on the clock and of all of Attune's processes, until the page answers the question of the
study, and until it has all results. The page is fetched again as often as it refreshes itself.
"""

import argparse
import os
import re
import statistics
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import text

from app.accounts.leads import record_lead, record_lead_session
from app.base.database.engine import make_engine
from app.studies.folder.read import read_folder
from app.studies.load import load_study
from app.studies.members.members import record_member
from app.studies.studies import get_study
from benchmarks import usual_study
from benchmarks.export_ratings import fill
from benchmarks.load_folder import database
from benchmarks.serving import TICKS_PER_S, Served, attune_process, processor_s

SLUG, TOKEN, N_WARM = "large", "a session of the benchmark", 20
# What tells a page with the report, and one with the answer while the rest is computed.
REPORT, ANSWER = 'aria-label="Sections of the results"', "Computing the other results"
REFRESH = re.compile(r'http-equiv="refresh" content="(\d+)"')


@contextmanager
def restarted(url: str) -> Iterator[Served]:
    """A new server that has answered something else."""
    with attune_process(url, 1) as served:
        get(served, "/studies")
        yield served


def add_session(url: str) -> None:
    """Give the studies an owner who is signed in."""
    with make_engine(url).begin() as db:
        lead = record_lead(db, "lead@example.org", None)
        assert lead
        for slug in (SLUG, usual_study.SLUG):
            study = get_study(db, slug)
            assert study
            record_member(db, study.id, lead.id, "owner")
        record_lead_session(db, lead.id, TOKEN)


def get(served: Served, path: str = "") -> tuple[str, float, float]:
    """The page of the results, and its seconds on the clock and of the server's processor."""
    address = f"{served.address}{path or f'/studies/{SLUG}/results'}"
    request = urllib.request.Request(address, headers={"Cookie": f"attune-lead={TOKEN}"})  # noqa: S310 - our own server
    before, start = processor(served.pid), time.perf_counter()
    with urllib.request.urlopen(request, timeout=600) as answer:  # noqa: S310 - as above
        page = answer.read().decode()
    seconds = time.perf_counter() - start
    time.sleep(0.2)  # what the server still does after it has answered
    return page, seconds, processor(served.pid) - before


def processor(pid: int) -> float:
    """Seconds of processor that a process has used, without its children."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS_PER_S


def line(name: str, page: str, seconds: float, used: float) -> None:
    shows = "results" if REPORT in page else "progress"
    print(f"{name:44}{seconds * 1000:8.0f} ms {used * 1000:6.0f} ms of processor   {shows}")


def until(served: Served, words: str) -> float:
    """Refresh as a browser does until a page has these words; return the seconds."""
    start = time.perf_counter()
    while words not in get(served)[0]:
        time.sleep(0.3)
    return time.perf_counter() - start


def measure(url: str) -> None:
    engine = make_engine(url)
    begin = engine.begin
    with begin() as db:
        n = db.execute(text("SELECT count(*) FROM ratings")).scalar_one()
        print(f"{n:,} ratings")
        db.execute(text("DELETE FROM kept_results"))
    with restarted(url) as served:
        line("first view, nothing kept", *get(served))
        print(f"{'  results after':44}{until(served, REPORT):8.1f} s")
        views = [get(served) for _ in range(N_WARM)]
        seconds, used = (statistics.median(times) for times in ([one[1] for one in views], [one[2] for one in views]))
        line("warm (median)", views[0][0], seconds, used)
    with restarted(url) as served:
        line("first view after a restart", *get(served))
        line("second view", *get(served))
    with begin() as db:
        db.execute(text("UPDATE ratings SET active_ms = 1 WHERE id = (SELECT max(id) FROM ratings)"))
    with restarted(url) as served:
        line("first view after a restart, newer ratings", *get(served))
    engine.dispose()


def after_new_ratings(url: str) -> None:
    """Print how long each page of the usual study takes when one rating has changed since the last."""
    engine = make_engine(url)
    changed = text(
        """UPDATE ratings SET active_ms = coalesce(active_ms, 0) + 1 WHERE id = (SELECT max(r.id) FROM ratings r
           JOIN studies s ON s.id = r.study_id WHERE s.slug = :slug)"""
    )
    with attune_process(url, 1) as served:
        for part in ("", "/comparison", "/agreement", "/estimates"):
            path = f"/studies/{usual_study.SLUG}/results{part}"
            while REPORT not in get(served, path)[0]:
                time.sleep(0.3)
            with engine.begin() as db:
                db.execute(changed, {"slug": usual_study.SLUG})
                db.execute(text("DELETE FROM kept_results"))
            before, start = processor_s(served.pid), time.perf_counter()
            page, said = "", list[str]()
            while REPORT not in page:
                time.sleep(float(found[1]) if (found := REFRESH.search(page)) else 0.0)
                page = get(served, path)[0]
                if (ANSWER in page and not said) or REPORT in page:
                    used = processor_s(served.pid) - before
                    said.append(f"{time.perf_counter() - start:6.1f} s, {used:5.2f} s of processor")
            print(f"{path:40}{': '.join(['answer', said[0]])}; all results: {said[-1]}")
    engine.dispose()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--raters", type=int, default=500)
    given = parser.parse_args()
    with database() as url, tempfile.TemporaryDirectory() as place:
        fill(url, given.raters)
        usual_study.write(Path(place) / "usual")
        with make_engine(url).begin() as db:
            load_study(db, read_folder(Path(place) / "usual"))
        add_session(url)
        measure(url)
        after_new_ratings(url)
    print(f"load on the machine: {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
