"""Time and memory to write ratings.csv of a million ratings, compared to a bare COPY of the same rows.

python -m benchmarks.export_ratings [--raters 500]. Each rater rates 2,000 responses. Each part runs in its own process,
so that peak memory is measured separately; the database is the one given by DATABASE_URL, or a temporary one.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.load_folder import database, write

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import Connection

ITEMS, MEGABYTES = 1_000, 200
MORE = """
WITH came AS (
  INSERT INTO raters (study_id, key) SELECT :study, 'more-' || n FROM generate_series(1, :raters) AS n RETURNING id
)
INSERT INTO ratings (study_id, rater_id, question, item_id, response_id, number, rated_at, active_ms)
SELECT :study, came.id, 'empathy', p.item_id, p.id, 1 + (came.id + p.id) % 5, now(), 20000
FROM came CROSS JOIN responses p WHERE p.study_id = :study
"""
BARE = "COPY (SELECT * FROM ratings) TO STDOUT (FORMAT csv, HEADER)"


def fill(url: str, n_raters: int) -> int:
    """Load a study, and give it many ratings; return how many."""
    from sqlalchemy import text

    from app.exchange.folder.read import read_folder
    from app.storage.database.engine import make_engine
    from app.storage.studies.load import load_study

    with tempfile.TemporaryDirectory() as place, make_engine(url).begin() as db:
        write(Path(place), ITEMS, 10)
        load_study(db, read_folder(Path(place)))
        study = db.execute(text("SELECT id FROM studies WHERE slug = 'large'")).scalar_one()
        db.execute(text(MORE), {"study": study, "raters": n_raters})
        return int(db.execute(text("SELECT count(*) FROM ratings")).scalar_one())


@contextmanager
def connected(url: str) -> Iterator[Connection]:
    from app.storage.database.engine import make_engine

    with make_engine(url).begin() as db:
        yield db


def export(url: str) -> None:
    """What the download does."""
    from app.actions.results.exports import ratings_file
    from app.storage.studies.studies import get_study

    with connected(url) as db:
        study = get_study(db, "large")
    assert study is not None
    start = time.perf_counter()
    path = ratings_file(lambda: connected(url), study)
    seconds = time.perf_counter() - start
    print(f"{seconds:.3f} {path.stat().st_size}")
    path.unlink()


def bare(url: str) -> None:
    """The rows as they stand in the table, to a file."""
    from app.storage.database.bulk_copy import driver_cursor

    with tempfile.TemporaryFile() as file, connected(url) as db:
        start = time.perf_counter()
        with driver_cursor(db) as cursor, cursor.copy(BARE) as copy:
            for piece in copy:
                file.write(piece)
        print(f"{time.perf_counter() - start:.3f} {file.tell()}")


PARTS = {"export": export, "bare": bare}


def run(part: str, url: str) -> tuple[float, float, float]:
    """Run one part in its own process: seconds, MB written, peak memory in MB."""
    command = [sys.executable, "-m", "benchmarks.export_ratings", "--part", part, url]
    seconds, n_bytes, peak = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    return float(seconds), float(n_bytes) / 2**20, float(peak)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--raters", type=int, default=500)
    parser.add_argument("--part", nargs=2)
    given = parser.parse_args()
    if given.part:
        PARTS[given.part[0]](given.part[1])
        print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
        return
    with database() as url:
        n = fill(url, given.raters)
        found = {part: run(part, url) for part in PARTS}
    print(f"{n:,} ratings")
    for part, (seconds, megabytes, peak) in found.items():
        print(
            f"{part:<7} {seconds:7.2f} s {megabytes:7.0f} MB {megabytes / seconds:7.1f} MB/s {peak:7.0f} MB of memory"
        )
    speed = [megabytes / seconds for seconds, megabytes, _ in found.values()]
    print(f"The export writes at {100 * speed[0] / speed[1]:.0f} % of the speed of a bare COPY.")
    assert found["export"][2] < MEGABYTES, "more memory than promised"


if __name__ == "__main__":
    main()
