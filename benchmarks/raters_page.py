"""Time and processor time of the pages *Raters* and *Overview*, and of the queries behind *Raters*.

python -m benchmarks.raters_page [--raters 500] [--items 1000]. Each rater rates both responses to every item: a million
ratings; `--raters 2000 --items 15` is a large study of people who each rate a little. The database is the one given by
DATABASE_URL, or a temporary one. Processor time of a query counts this program and the connection to the database,
without its parallel workers; that of a page only the server process, which also answers raters.
"""

import argparse
import os
import time
from collections.abc import Callable
from itertools import count
from statistics import median

from sqlalchemy import Connection, text

from benchmarks.export_ratings import ITEMS, fill
from benchmarks.load_folder import backend_seconds, database
from benchmarks.results_pages import SLUG, add_session, get, restarted

PAGES = {"Raters": f"/studies/{SLUG}/raters", "Overview": f"/studies/{SLUG}"}
MORE = """
WITH came AS (INSERT INTO raters (study_id, key) VALUES (:study, :key) RETURNING id)
INSERT INTO ratings (study_id, rater_id, question, item_id, response_id, number)
SELECT :study, came.id, 'empathy', p.item_id, p.id, 1 + p.id % 5
FROM came CROSS JOIN responses p WHERE p.study_id = :study
"""


def measured(
    db: Connection, name: str, ask: Callable[[], object], prepare: Callable[[], object] = lambda: None
) -> None:
    """Print how long this takes the second time, when the pages of the database are in memory."""
    ask()
    prepare()
    begun, of_database, own = time.perf_counter(), backend_seconds(db), time.process_time()
    ask()
    processor = backend_seconds(db) - of_database + time.process_time() - own
    print(f"{name:<40} {time.perf_counter() - begun:6.2f} s {processor:6.2f} s of processor")


def measure_page(url: str, name: str, path: str, n_starts: int = 5) -> None:
    """Print the median of the first and of the second view of server processes that have answered something else."""
    views: list[list[tuple[str, float, float]]] = []
    for _ in range(n_starts):
        with restarted(url) as served:
            views.append([get(served, path) for _ in range(2)])
    for which, of_view in zip(("first", "second"), zip(*views, strict=True), strict=True):
        page, seconds, used = of_view[0][0], *(median(one[k] for one in of_view) for k in (1, 2))
        print(
            f"{f'{name}, {which} view of a server process':<40} {seconds:6.2f} s {used:6.2f} s of processor, "
            f"{len(page.encode()):,} bytes"
        )


def main() -> None:
    from app.base.database.engine import make_engine
    from app.rating.review.answers_by_rater import Compared
    from app.rating.review.known_evidence import KnownEvidence
    from app.rating.review.rater_review import review
    from app.rating.review.rater_rows import list_rater_rows
    from app.studies.protocols import get_protocol

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--raters", type=int, default=500, help="raters in addition to those of the study folder")
    parser.add_argument("--items", type=int, default=ITEMS, help="items, with two responses each")
    asked = parser.parse_args()
    with database() as url:
        fill(url, asked.raters, asked.items)
        with make_engine(url).connect() as db:
            db.execute(text("ANALYZE"))
            study = db.execute(text("SELECT id FROM studies WHERE slug = 'large'")).scalar_one()
            n_ratings = db.execute(text("SELECT count(*) FROM ratings")).scalar_one()
            print(f"{n_ratings:,} ratings")
            protocol, asked_about = get_protocol(db, study, 1), Compared("empathy", "preference")
            measured(db, "one row per rater", lambda: list_rater_rows(db, study))
            measured(db, "evidence, first view of a server process", lambda: KnownEvidence().of(db, study, asked_about))
            known, keys = KnownEvidence(), count()
            db.commit()

            def come() -> None:
                db.execute(text(MORE), {"study": study, "key": f"new-{next(keys)}"})
                db.commit()

            measured(db, "evidence, first view after new ratings", lambda: known.of(db, study, asked_about), come)
            measured(db, "evidence, no new ratings", lambda: known.of(db, study, asked_about))
            rows, evidence = list_rater_rows(db, study), known.of(db, study, asked_about)
            measured(db, "flags", lambda: review(protocol, rows, evidence))
        add_session(url)
        for name, path in PAGES.items():
            measure_page(url, name, path)
    print(f"load on the machine: {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
