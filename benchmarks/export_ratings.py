"""Time, processor time and memory to write ratings.csv of a million ratings, compared to a bare COPY of the same rows.

Also of the file that a study folder holds, which is written from data frames (see "ratings.csv is made of arrays" in
docs/decisions.md).

python -m benchmarks.export_ratings [--raters 500]. Each rater rates 2,000 responses. Each part runs in its own process,
so that peak memory is measured separately; the database is the one given by DATABASE_URL, or a temporary one. The file
is written twice: for a study that also has choices between two responses, so that every column is needed, and for the
same study without them. Processor time, of the database and of this program, depends less on the load of the machine.
"""

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Connection, text

from benchmarks.load_folder import backend_seconds, database, write

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


@dataclass(frozen=True, slots=True)
class Measured:
    """One part: seconds, seconds of the processor, MB written, and MB of memory of the program."""

    seconds: float
    processor: float
    megabytes: float
    peak_mb: float


def fill(url: str, n_raters: int, n_items: int = ITEMS) -> None:
    """Load a study, and give it many ratings."""
    from app.base.database.engine import make_engine
    from app.studies.folder.read import read_folder
    from app.studies.load import load_study

    with tempfile.TemporaryDirectory() as place, make_engine(url).begin() as db:
        write(Path(place), n_items, 10)
        load_study(db, read_folder(Path(place)))
        study = db.execute(text("SELECT id FROM studies WHERE slug = 'large'")).scalar_one()
        db.execute(text(MORE), {"study": study, "raters": n_raters})
        db.execute(text("ANALYZE"))  # as the database does by itself within a minute


@contextmanager
def connected(url: str) -> Iterator[Connection]:
    from app.base.database.engine import make_engine

    with make_engine(url).begin() as db:
        yield db


def export(url: str) -> None:
    """What the download does."""
    from app.results.downloads.ratings_export import ratings_file
    from app.studies.studies import get_study

    with connected(url) as db:
        study = get_study(db, "large")
    assert study is not None
    used: list[float] = []

    @contextmanager
    def begin() -> Iterator[Connection]:
        with connected(url) as db:
            yield db
            used.append(backend_seconds(db))

    start, own = time.perf_counter(), time.process_time()
    path = ratings_file(begin, study)
    processor = sum(used) + time.process_time() - own
    print(f"{time.perf_counter() - start:.3f} {processor:.3f} {path.stat().st_size}")
    path.unlink()


def bare(url: str) -> None:
    """The rows as they are in the table, to a file."""
    from app.base.database.bulk_copy import driver_cursor

    with tempfile.TemporaryFile() as file, connected(url) as db:
        start, own = time.perf_counter(), time.process_time()
        with driver_cursor(db) as cursor, cursor.copy(BARE) as copy:
            file.writelines(copy)
        seconds, processor = time.perf_counter() - start, backend_seconds(db) + time.process_time() - own
        print(f"{seconds:.3f} {processor:.3f} {file.tell()}")


def frames(url: str) -> None:
    """The file of a study folder."""
    from app.base.files.csv_cells import write_csv
    from app.studies.export import study_folder
    from app.studies.folder.written_tables import tables_of
    from app.studies.studies import get_study

    with tempfile.TemporaryDirectory() as folder, connected(url) as db:
        study = get_study(db, "large")
        assert study is not None
        start, own, path = time.perf_counter(), time.process_time(), Path(folder) / "ratings.csv"
        write_csv(path, tables_of(study_folder(db, study.id))["ratings"])
        seconds, processor = time.perf_counter() - start, backend_seconds(db) + time.process_time() - own
        print(f"{seconds:.3f} {processor:.3f} {path.stat().st_size}")


PARTS = {"export": export, "frames": frames, "bare": bare}


def peak_mb() -> float:
    """The peak memory of this program; `getrusage` would count that of the program which started it."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.split("VmHWM:")[1].split()[0]) / 1024


def run(part: str, url: str) -> Measured:
    """Run one part in its own process."""
    command = [sys.executable, "-m", "benchmarks.export_ratings", "--part", part, url]
    seconds, processor, n_bytes, peak = subprocess.run(
        command, check=True, capture_output=True, text=True
    ).stdout.split()
    return Measured(float(seconds), float(processor), float(n_bytes) / 2**20, float(peak))


def compare(name: str, url: str) -> None:
    """Print a line per part, and how fast the export is."""
    with connected(url) as db:
        n = int(db.execute(text("SELECT count(*) FROM ratings")).scalar_one())
    print(f"{name}: {n:,} ratings")
    found = {part: run(part, url) for part in PARTS}
    for part, one in found.items():
        print(
            f"  {part:<7} {one.seconds:7.2f} s {one.processor:7.2f} s of processor {one.megabytes:7.0f} MB written "
            f"{one.peak_mb:7.0f} MB of memory"
        )
    export, bare = found["export"], found["bare"]
    print(
        f"  Ratings per second: {bare.seconds / export.seconds:.0%} of a bare COPY; "
        f"per second of processor: {bare.processor / export.processor:.0%}"
    )
    assert export.peak_mb < MEGABYTES, "more memory than promised"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--raters", type=int, default=500)
    parser.add_argument("--part", nargs=2)
    given = parser.parse_args()
    if given.part:
        PARTS[given.part[0]](given.part[1])
        print(peak_mb())
        return
    with database() as url:
        fill(url, given.raters)
        compare("Ratings and choices", url)
        with connected(url) as db:
            db.execute(text("DELETE FROM ratings WHERE left_response_id IS NOT NULL"))
        compare("Ratings only", url)


if __name__ == "__main__":
    main()
