"""Time to check and load a large study folder, compared to a bare COPY of the same rows.

python -m benchmarks.load_folder [--items 50000] [--raters 500]. The limit applies to processor seconds, which do not
depend on the load of the machine.

Two responses per item, five answers per item and rater: by default 100,000 responses and 500,000 ratings. Each part
runs in its own process, so that peak memory is measured separately; the database is the one given by DATABASE_URL, or
a temporary one.
"""

import argparse
import csv
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Connection

RATINGS, SECONDS, MEGABYTES = 500_000, 60, 1_000
YAML = """\
attune: 1
slug: large
title: A large study
sources: {person: {kind: human}, model: {kind: model}}
questions:
  - {key: preference, type: choice, text: Which?, tie: true}
  - {key: empathy, target: response, type: rating, text: How?, scale: {1: a, 2: b, 3: c, 4: d, 5: e}}
  - {key: quality, target: response, type: rating, text: How?, scale: {1: a, 2: b, 3: c, 4: d, 5: e}}
"""
RATING_COLUMNS = [
    "rater",
    "item",
    "response",
    "question",
    "value",
    "left_response",
    "right_response",
    "side",
    "position",
    "rated_at",
    "active_ms",
]
DRAW = random.Random(1)  # noqa: S311 - test data
SOURCES = ("person", "model")
WORDS = ("I", "hear", "how", "hard", "this", "has", "been", "for", "you", "and", "it", "makes", "sense", "to", "feel")


def write(folder: Path, n_items: int, n_raters: int) -> None:
    """Write a study folder of this size, with different texts throughout."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "study.yaml").write_text(YAML)
    _rows(folder / "items.csv", ["item", "text"], ((f"item-{n}", _text(80)) for n in range(n_items)))
    _rows(
        folder / "responses.csv",
        ["item", "source", "text"],
        ((f"item-{n}", source, _text(60)) for n in range(n_items) for source in SOURCES),
    )
    _rows(
        folder / "raters.csv", ["rater", "kind", "pool"], ((f"rater-{n}", "person", "crowd") for n in range(n_raters))
    )
    _rows(folder / "ratings.csv", RATING_COLUMNS, (row for n in range(n_items) for row in _answers(n, n_raters)))


def _answers(number: int, n_raters: int) -> Iterator[list[object]]:
    """Yield the answers of two raters to one item: each chooses, and rates both responses on two questions."""
    item = f"item-{number}"
    sides = [f"{item}:{source}" for source in DRAW.sample(SOURCES, 2)]
    for k in range(2):
        rater = f"rater-{(2 * number + k) % n_raters}"
        at = [
            number % 20 + 1,
            f"2026-11-21T10:{number // 60 % 60:02}:{number % 60:02}.{number % 1000:03}Z",
            DRAW.randrange(5_000, 90_000),
        ]
        chosen = DRAW.randrange(2)
        yield [rater, item, "", "preference", sides[chosen], *sides, ("left", "right")[chosen], *at]
        for side, response in zip(("left", "right"), sides, strict=True):
            for question in ("empathy", "quality"):
                yield [rater, item, response, question, DRAW.randint(1, 5), *sides, side, *at]


def _text(n_words: int) -> str:
    return " ".join(DRAW.choices(WORDS, k=n_words))


def _rows(path: Path, header: list[str], rows: Iterator[object]) -> None:
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(header)
        writer.writerows(rows)  # type: ignore[arg-type]


@contextmanager
def database() -> Iterator[str]:
    """Yield the URL of the database given by DATABASE_URL, or of a temporary one."""
    from app.base.database.engine import database_url, make_engine
    from app.base.database.migrate import upgrade
    from app.base.postgres import EmbeddedPostgres
    from app.settings import folder

    with tempfile.TemporaryDirectory() as place:
        Path(place).chmod(0o711)
        named = os.environ.get("DATABASE_URL")
        server = None if named else EmbeddedPostgres(Path(place))
        url = database_url(named, None) if server is None else server.start()
        engine = make_engine(url)
        upgrade(engine, folder("migrations"))
        engine.dispose()
        yield url
        if server is not None:
            server.stop()


def check_and_load(path: Path, url: str) -> None:
    """Run Attune: read, check, store."""
    from app.base.database.engine import make_engine
    from app.studies.folder.read import read_folder
    from app.studies.load import load_study

    start = time.perf_counter()
    study = read_folder(path)
    print(f"  check        {time.perf_counter() - start:7.2f} s")
    start = time.perf_counter()
    with make_engine(url).begin() as db:
        load_study(db, study)
        processor = time.process_time() + backend_seconds(db)
    print(f"  load         {time.perf_counter() - start:7.2f} s")
    print(f"  processor    {processor:7.2f} s, of this process and of the server's")
    assert len(study.ratings) > RATINGS or processor < SECONDS, "slower than promised"


def backend_seconds(db: Connection) -> float:
    """Return the processor seconds of the database server for this connection; 0 if it runs on another machine."""
    from sqlalchemy import text

    stat = Path(f"/proc/{db.execute(text('SELECT pg_backend_pid()')).scalar_one()}/stat")
    if not stat.exists():
        return 0.0
    ticks = stat.read_text().rsplit(")", 1)[1].split()[11:13]
    return sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")


def read_frames(path: Path, url: str) -> None:
    """Read the study back for analysis, and check that all ratings of the folder are there."""
    from app.base.database.engine import make_engine
    from app.results.data.frames import study_frames
    from app.studies.studies import get_study

    with make_engine(url).connect() as db:
        study = get_study(db, "large")
        assert study is not None
        start = time.perf_counter()
        frames = study_frames(db, study.id)
    print(f"  frames       {time.perf_counter() - start:7.2f} s, {len(frames.ratings):,} ratings")
    with (path / "ratings.csv").open() as file:
        assert sum(1 for _ in file) - 1 == len(frames.ratings)


def bare_copy(path: Path, url: str) -> None:
    """Load the same rows by COPY into text tables without keys, indexes and checks."""
    import psycopg
    from psycopg import sql

    address = url.replace("postgresql+psycopg://", "postgresql://", 1)
    with psycopg.connect(address) as connection, connection.cursor() as cursor:
        for file in sorted(path.glob("*.csv")):
            data = file.read_bytes()
            names = data[: data.index(b"\r\n")].decode().split(",")
            table = sql.Identifier(f"bare_{file.stem}")
            columns = sql.SQL(", ").join(sql.SQL("{} text").format(sql.Identifier(name)) for name in names)
            cursor.execute(sql.SQL("CREATE TABLE {} ({})").format(table, columns))
            with cursor.copy(sql.SQL("COPY {} FROM STDIN (FORMAT csv, HEADER)").format(table)) as copy:
                copy.write(data)


PARTS = {"check and load": check_and_load, "read frames": read_frames, "bare COPY": bare_copy}


def run(part: str, folder: Path, url: str) -> float:
    """Run one part in its own process; return its seconds. The process prints its peak memory."""
    start = time.perf_counter()
    subprocess.run([sys.executable, "-m", "benchmarks.load_folder", "--part", part, str(folder), url], check=True)
    return time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=50_000)
    parser.add_argument("--raters", type=int, default=500)
    parser.add_argument("--part", nargs=3)
    given = parser.parse_args()
    if given.part:
        PARTS[given.part[0]](Path(given.part[1]), given.part[2])
        megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"  peak memory  {megabytes:7.0f} MB")
        assert 10 * given.items > RATINGS or megabytes < MEGABYTES, "larger than promised"
        return
    with tempfile.TemporaryDirectory() as place, database() as url:
        folder = Path(place)
        write(folder, given.items, given.raters)
        n_bytes = sum(file.stat().st_size for file in folder.iterdir())
        print(f"{2 * given.items:,} responses, {10 * given.items:,} ratings, {n_bytes / 2**20:.0f} MiB")
        seconds = {}
        for part in PARTS:
            print(part)
            seconds[part] = run(part, folder, url)
        ratio = seconds["check and load"] / seconds["bare COPY"]
        print(f"check and load, with start-up, takes {seconds['check and load']:.1f} s: {ratio:.1f} bare COPYs")


if __name__ == "__main__":
    main()
