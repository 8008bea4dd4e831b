"""What a claim costs in studies of 1,000, 10,000 and 100,000 trials, side by side in one database with many studies.

The claim is what happens when a rater presses *Begin* (see `benchmarks.claim`); studies take turns, so that other work
on the machine slows all of them alike. Sizes are those of tables with their indexes. Both are scaled down to what one
small machine can do in minutes: the other studies have `--ratings` ratings together.

python -m benchmarks.scaling [--claims 60] [--studies 200] [--ratings 1000000]
"""

import argparse
import os
import statistics
import time

from sqlalchemy import Connection, Engine, create_engine, text

from app.base.database.migrate import upgrade
from app.base.postgres import EmbeddedPostgres
from app.rating.life_cycle import open_study
from app.settings import folder
from benchmarks.claim import claim
from tests.kit.builder import build_study
from tests.kit.builder import protocol_of as protocol
from tests.kit.postgres_fixture import reachable_folder
from tests.kit.stored_raters import Rater

SIZES, N_EACH, K = (1_000, 10_000, 100_000), 20, 3
# Copies of the first item of a study, with its responses and its trial: what opening a study would make of them.
GROW = (
    """INSERT INTO items (study_id, key, position, text) SELECT :study, 'copy-' || n, 1 + n, 'A situation.'
    FROM generate_series(1, :n) n""",
    """INSERT INTO responses (study_id, key, position, item_id, source_id, text)
    SELECT i.study_id, i.key || ':' || s.key, s.position, i.id, s.id, 'A reply.'
    FROM items i JOIN sources s ON s.study_id = i.study_id WHERE i.study_id = :study AND i.key LIKE 'copy-%'""",
    """INSERT INTO trials (study_id, item_id, response_ids, shuffle)
    SELECT study_id, item_id, array_agg(id ORDER BY id), random() FROM responses
    WHERE study_id = :study AND key LIKE 'copy-%' GROUP BY study_id, item_id""",
    """INSERT INTO seats (study_id, trial_id, seat, shuffle)
    SELECT study_id, id, k, random() FROM trials t CROSS JOIN generate_series(1, :k) k
    WHERE study_id = :study AND NOT EXISTS (SELECT FROM seats s WHERE s.study_id = :study AND s.trial_id = t.id)""",
)
RATINGS = """
    INSERT INTO ratings (study_id, rater_id, question, item_id, response_id, number, rated_at)
    SELECT r.study_id, p.id, 'empathy', r.item_id, r.id, 1 + (r.id + p.id) % 5, now()
    FROM responses r JOIN raters p ON p.study_id = r.study_id WHERE r.study_id = :study
"""
SIZE = text("""
    SELECT relname, n_live_tup AS n, pg_total_relation_size(relid) / 1e6 AS mb FROM pg_stat_user_tables
    ORDER BY pg_total_relation_size(relid) DESC LIMIT 5
""")


def make_study(db: Connection, slug: str, n_trials: int) -> int:
    """Open a study with so many trials."""
    design = {"raters_per_trial": K, "trials_per_rater": N_EACH}
    study_id = build_study(db, protocol(slug=slug, design=design), n_items=1)
    open_study(db, slug)
    for statement in GROW:
        values = {"study": study_id, "n": n_trials - 1, "k": K}
        db.execute(text(statement), {name: values[name] for name in values if f":{name}" in statement})
    return study_id


def fill(db: Connection, n_studies: int, n_ratings: int) -> None:
    """Add other studies with ratings."""
    each = max(1, n_ratings // n_studies)
    n_raters = 50
    for number in range(n_studies):
        study_id = make_study(db, f"other-{number}", max(2, each // n_raters // 2))
        raters = "INSERT INTO raters (study_id, key) SELECT :study, 'r' || n FROM generate_series(1, :n) n"
        db.execute(text(raters), {"study": study_id, "n": n_raters})
        db.execute(text(RATINGS), {"study": study_id})


def measure(engine: Engine, n_claims: int) -> dict[int, list[float]]:
    """Milliseconds of each claim by the size of the study; the sizes take turns."""
    found: dict[int, list[float]] = {size: [] for size in SIZES}
    for number in range(n_claims):
        for size in SIZES:
            found[size].append(1000 * claim(engine, Rater(engine, f"rater-{number}", f"size-{size}")))
    return found


def main() -> None:
    """Print both tables as Markdown."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--claims", type=int, default=60)
    parser.add_argument("--studies", type=int, default=200)
    parser.add_argument("--ratings", type=int, default=1_000_000)
    given = parser.parse_args()
    with reachable_folder() as place:
        server = EmbeddedPostgres(place)
        server.start()
        engine = create_engine(server.url("postgres"))
        upgrade(engine, folder("migrations"))
        begun = time.perf_counter()
        with engine.begin() as db:
            # The many small ones first: opening a study analyzes the tables, which takes longer the more they hold.
            fill(db, given.studies, given.ratings)
            for size in SIZES:
                make_study(db, f"size-{size}", size)
        with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as db:
            db.execute(text("VACUUM ANALYZE"))
        print(f"made in {time.perf_counter() - begun:.0f} s\n")
        print("| trials of the study | claim, median ms | p95 | to the smallest |\n|---|---|---|---|")
        show_claims(measure(engine, given.claims))
        show_sizes(engine)
        print(f"\nload on the machine: {os.getloadavg()[0]:.1f}")
        engine.dispose()
        server.stop()


def show_claims(found: dict[int, list[float]]) -> None:
    """Print a row per size, without the first claims, for which caches are filled."""
    warm = {size: times[5:] for size, times in found.items()}
    least = statistics.median(warm[SIZES[0]])
    for size, times in warm.items():
        middle, p95 = statistics.median(times), statistics.quantiles(times, n=20)[-1]
        print(f"| {size:,} | {middle:.1f} | {p95:.1f} | {middle / least:.2f} |")


def show_sizes(engine: Engine) -> None:
    """Print the largest tables."""
    print("\n| table | rows | MB with indexes | bytes per row |\n|---|---|---|---|")
    with engine.connect() as db:
        for row in db.execute(SIZE):
            print(f"| {row.relname} | {row.n:,} | {row.mb:.0f} | {1e6 * float(row.mb) / max(1, row.n):.0f} |")


if __name__ == "__main__":
    main()
