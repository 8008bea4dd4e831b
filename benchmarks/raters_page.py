"""Time and processor time of the queries behind the page *Raters*, with a million ratings.

python -m benchmarks.raters_page [--raters 500] [--items 1000]. Each rater rates both responses to every item. The
database is the one given by DATABASE_URL, or a temporary one. Processor time of the database counts this connection,
without its parallel workers.
"""

from __future__ import annotations

import argparse
import time
from itertools import count
from typing import TYPE_CHECKING

from sqlalchemy import text

from benchmarks.export_ratings import ITEMS, fill
from benchmarks.load_folder import backend_seconds, database

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy import Connection


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


if __name__ == "__main__":
    main()
