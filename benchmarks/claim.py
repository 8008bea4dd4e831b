"""Time to assign a rater their trials, compared to the bare database statements in the same run.

2,000 trials with five seats each, 50 seats per rater, two between-rater conditions. The claim is what happens when a
rater presses *Begin*: the condition is chosen, seats are found and locked, and their order, sides and labels are
recorded, including the commit. The baseline takes the same number of rows from a bare table of the same size: one
`SELECT ... FOR UPDATE SKIP LOCKED LIMIT 50`, one `UPDATE` of these rows, one commit. First one rater at a time, on an
otherwise idle machine; then 16 at once.
Run: python -m benchmarks.claim
"""

import os
import statistics
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

from sqlalchemy import Engine, text

from app.base.database.engine import make_engine
from app.base.database.migrate import upgrade
from app.base.postgres import EmbeddedPostgres
from app.rating.life_cycle import open_study
from app.rating.rater_path import begin_rating, protocol_of
from app.rating.seats.trial_list import give_seats
from app.settings import folder
from tests.kit.builder import build_study
from tests.kit.builder import protocol_of as protocol
from tests.kit.postgres_fixture import reachable_folder
from tests.kit.stored_raters import Rater

N_ITEMS, K, N_EACH, N_RATERS, N_AT_ONCE = 1000, 5, 50, 100, 16
TOLD = {"kind": "instruction", "levels": {"plain": "Read it.", "other": "Imagine how this person feels."}}
BARE = text("""
    CREATE TABLE bare AS SELECT t AS trial, k AS seat, random() AS shuffle, NULL::integer AS taken
    FROM generate_series(1, :n_trials) AS t, generate_series(1, :k) AS k
""")
INDEX = text("CREATE INDEX ON bare (seat, shuffle) WHERE taken IS NULL")
TAKE = text("SELECT trial, seat FROM bare WHERE taken IS NULL ORDER BY seat, shuffle LIMIT :n FOR UPDATE SKIP LOCKED")
MARK = text("""
    UPDATE bare SET taken = :who
    FROM unnest(CAST(:trials AS integer[]), CAST(:seats AS integer[])) AS mine (trial, seat)
    WHERE bare.trial = mine.trial AND bare.seat = mine.seat
""")


def take_bare(engine: Engine, number: int) -> float:
    """Run the baseline once; return its seconds."""
    begun = time.perf_counter()
    with engine.begin() as db:
        rows = db.execute(TAKE, {"n": N_EACH}).all()
        db.execute(MARK, {"who": number, "trials": [r.trial for r in rows], "seats": [r.seat for r in rows]})
    assert len(rows) == N_EACH
    return time.perf_counter() - begun


def claim(engine: Engine, rater: Rater) -> float:
    """Return the seconds from *Begin* until the rater's list of trials is stored."""
    with engine.begin() as db:
        begin_rating(db, rater.session(db))
    begun = time.perf_counter()
    with engine.begin() as db:
        session = rater.session(db)
        outcome = give_seats(db, session, protocol_of(db, session))
    assert outcome == "given"
    return time.perf_counter() - begun


def line(name: str, seconds: Sequence[float]) -> float:
    """Print one row of the table in milliseconds; return its 99th percentile."""
    cuts = statistics.quantiles(seconds, n=100)
    p50, p95, p99 = (cuts[p - 1] * 1000 for p in (50, 95, 99))
    print(f"{name:42} {p50:8.1f} {p95:8.1f} {p99:8.1f} {max(seconds) * 1000:8.1f}")
    return p99


def compare(engine: Engine, n_at_once: int, first: int) -> None:
    """Measure baseline and claim for N_RATERS raters, `n_at_once` of them at once."""
    numbers = range(first, first + N_RATERS)
    raters = [Rater(engine, f"rater-{number}") for number in numbers]
    steps: dict[str, Callable[[int], float]] = {
        "bare": lambda number: take_bare(engine, number),
        "claim": lambda number: claim(engine, raters[number - first]),
    }
    with ThreadPoolExecutor(n_at_once) as pool:
        p99 = {
            name: line(f"{name}, {n_at_once} at once", list(pool.map(step, numbers))) for name, step in steps.items()
        }
    print(f"{'p99 of the claim to that of the baseline':42} {p99['claim'] / p99['bare']:8.1f}")


def main() -> None:
    """Print the table."""
    with reachable_folder() as place:
        server = EmbeddedPostgres(place)
        server.start()
        engine = make_engine(server.url("postgres"), n_connections=N_AT_ONCE)
        upgrade(engine, folder("migrations"))
        design = {"raters_per_trial": K, "trials_per_rater": N_EACH}
        with engine.begin() as db:
            build_study(db, protocol(design=design, conditions={"told": TOLD}), n_items=N_ITEMS)
            open_study(db, "study")
            db.execute(BARE, {"n_trials": 2 * N_ITEMS, "k": K})
            db.execute(INDEX)
        with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as db:
            db.execute(text("ANALYZE bare"))
        print(f"{'milliseconds':42} {'p50':>8} {'p95':>8} {'p99':>8} {'max':>8}")
        compare(engine, 1, 0)
        compare(engine, N_AT_ONCE, N_RATERS)
        print(f"load on the machine: {os.getloadavg()[0]:.1f}")
        engine.dispose()
        server.stop()


if __name__ == "__main__":
    main()
