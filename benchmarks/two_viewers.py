"""How often the report of a running study is computed for two leads at two web processes of one database.

python -m benchmarks.two_viewers [--raters 50] [--seconds 90]. Each rater rates 400 responses; a rating arrives every
half second, and each lead looks at the results every two seconds. The database is the one given by DATABASE_URL, or a
temporary one.
"""

import argparse
import os
import time
import urllib.request
from datetime import datetime
from threading import Event, Thread

from sqlalchemy import Engine, text

from app.accounts.leads import record_lead, record_lead_session
from app.base.database.engine import make_engine
from app.studies.members.members import record_member
from app.studies.studies import get_study
from benchmarks.export_ratings import MORE, fill
from benchmarks.load_folder import database
from benchmarks.serving import attune_process, processor_s

SLUG, TOKEN, ITEMS = "large", "a session of the benchmark", 200
RATING_S, VIEW_S, LOOK_S = 0.5, 2.0, 0.05
ONE_MORE = f"{MORE} AND p.id = (SELECT min(id) FROM responses WHERE study_id = :study)"  # noqa: S608 - constants only


class Watched:
    """When the ratings of each report that was kept were read, and the greatest age of the one kept last."""

    def __init__(self, engine: Engine) -> None:
        self.read_at: set[datetime] = set()
        self.oldest_s = 0.0
        self._engine = engine

    def look(self) -> None:
        """Look at the report kept now."""
        with self._engine.begin() as db:
            rows = db.execute(
                text("SELECT read_at, extract(epoch FROM now() - read_at) FROM kept_results WHERE part = 'report'")
            ).all()
        for read_at, age_s in rows:
            self.read_at.add(read_at)
            self.oldest_s = max(self.oldest_s, float(age_s))


def view(address: str) -> str:
    """Open the results as a lead."""
    request = urllib.request.Request(  # noqa: S310 - our own server
        f"{address}/studies/{SLUG}/results", headers={"Cookie": f"attune-lead={TOKEN}"}
    )
    with urllib.request.urlopen(request, timeout=60) as answer:  # noqa: S310 - as above
        page: str = answer.read().decode()
    return page


def measure(url: str, study_id: int, seconds: float) -> None:
    engine, over = make_engine(url), Event()
    watched = Watched(engine)

    def rate() -> None:
        while not over.wait(RATING_S):
            with engine.begin() as db:
                found = db.execute(text("SELECT count(*) FROM raters")).scalar_one()
                db.execute(text(ONE_MORE.replace("'more-' || n", f"'late-{found}'")), {"study": study_id, "raters": 1})

    def refresh(address: str) -> None:
        while not over.wait(VIEW_S):
            view(address)

    with attune_process(url, 1) as one, attune_process(url, 1) as other:
        while 'aria-label="Sections of the results"' not in view(one.address):
            time.sleep(0.5)
        view(other.address)
        watched.look()
        first, used = len(watched.read_at), processor_s(one.pid) + processor_s(other.pid)
        threads = [Thread(target=rate), *(Thread(target=refresh, args=(at.address,)) for at in (one, other))]
        start = time.monotonic()
        for thread in threads:
            thread.start()
        while time.monotonic() - start < seconds:
            watched.look()
            time.sleep(LOOK_S)
        used = processor_s(one.pid) + processor_s(other.pid) - used
        over.set()
        for thread in threads:
            thread.join()
    engine.dispose()
    print(f"reports computed in {seconds:.0f} s: {len(watched.read_at) - first}")
    print(f"seconds of processor of both servers: {used:.1f}")
    print(f"greatest age of the kept report: {watched.oldest_s:.1f} s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--raters", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=90)
    given = parser.parse_args()
    with database() as url:
        fill(url, given.raters, ITEMS)
        with make_engine(url).begin() as db:
            lead, study = record_lead(db, "lead@example.org", None), get_study(db, SLUG)
            assert lead
            assert study
            record_member(db, study.id, lead.id, "owner")
            record_lead_session(db, lead.id, TOKEN)
        measure(url, study.id, given.seconds)
    print(f"load on the machine: {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
