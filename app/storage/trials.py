"""Trials and their seats: made when a study opens, added to when it opens again."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

from sqlalchemy import text

from app.design.order import fraction
from app.design.plan import PlannedItem
from app.design.trials import Candidate

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlalchemy import Connection, Row

    from app.design.plan import PlannedTrial

_STUDY = text("SELECT id, slug, status, protocol_version, seed FROM studies WHERE slug = :slug FOR UPDATE")
_ITEMS = text("""
    SELECT i.id AS item_id, i.key AS item, i.attributes ->> 'rater' AS rater, i.attributes ->> 'pool' AS pool,
           coalesce(i.content_note, '') <> '' AS has_note, r.id AS response_id, r.key AS response, s.key AS source
    FROM items i
    LEFT JOIN responses r ON r.study_id = i.study_id AND r.item_id = i.id
    LEFT JOIN sources s ON s.study_id = r.study_id AND s.id = r.source_id
    WHERE i.study_id = :study ORDER BY i.position, i.id, r.position, r.id
""")
_TRIALS = text("""
    INSERT INTO trials (study_id, item_id, response_ids, condition, shuffle)
    SELECT :study, i.id, CAST(response_ids AS bigint[]), condition, shuffle
    FROM unnest(CAST(:items AS text[]), CAST(:responses AS text[]), CAST(:conditions AS text[]),
      CAST(:shuffles AS float8[])) AS new (item, response_ids, condition, shuffle)
    JOIN items i ON i.study_id = :study AND i.key = new.item
    ON CONFLICT DO NOTHING
""")
# Within each round of seats the first trial of every item comes before the second of any: a rater who takes the next
# free seats gets different items, and no item waits for another's every pair.
_SEATS = text("""
    INSERT INTO seats (study_id, trial_id, seat, shuffle)
    SELECT study_id, id, seat, row_number() OVER (PARTITION BY item_id, seat ORDER BY luck) - 1 + luck
    FROM (SELECT t.study_id, t.id, t.item_id, n AS seat,
                 abs(hashtextextended(t.shuffle::text, n) / 9223372036854775808.0) AS luck
          FROM trials t CROSS JOIN generate_series(1, CAST(:n_seats AS integer)) AS n
          WHERE t.study_id = :study) AS places
    ON CONFLICT DO NOTHING
""")
_NAMED = text("""
    SELECT pool, array_agg(key ORDER BY key) FROM raters
    WHERE study_id = :study AND kind = 'person' AND pool IS NOT NULL GROUP BY pool
""")
_YAML = text("SELECT yaml FROM protocols WHERE study_id = :study AND version = :version")
_ANALYZE = text("ANALYZE trials, seats, items, responses")
_STATUS = text("""
    UPDATE studies SET status = CAST(:status AS text),
        opened_at = CASE WHEN :status = 'open' THEN coalesce(opened_at, now()) ELSE opened_at END,
        closed_at = CASE WHEN :status = 'closed' THEN coalesce(closed_at, now()) END
    WHERE id = :study
""")


def get_study_for_update(db: Connection, slug: str) -> tuple[int, str, int, int] | None:
    """Id, status, protocol version and seed of a study, locked: two people may press *Open* at once."""
    row = db.execute(_STUDY, {"slug": slug}).one_or_none()
    return None if row is None else (row.id, row.status, row.protocol_version, row.seed)


def get_yaml(db: Connection, study_id: int, version: int) -> str:
    """The study.yaml of a version, as the lead wrote it."""
    return str(db.execute(_YAML, {"study": study_id, "version": version}).scalar_one())


def list_named_raters(db: Connection, study_id: int) -> dict[str, list[str]]:
    """The persons of raters.csv by pool."""
    return {row.pool: list(row[1]) for row in db.execute(_NAMED, {"study": study_id})}


def list_item_keys(db: Connection, study_id: int) -> dict[int, str]:
    """The key of every item by its id."""
    rows = db.execute(text("SELECT id, key FROM items WHERE study_id = :study"), {"study": study_id})
    return {row.id: row.key for row in rows}


def list_items(db: Connection, study_id: int) -> list[PlannedItem]:
    """Every item with its responses, in the study's order."""
    return list(_grouped(db.execute(_ITEMS, {"study": study_id}).all()))


def _grouped(rows: Sequence[Row[Any]]) -> Iterator[PlannedItem]:
    for _, group in groupby(rows, lambda row: row.item_id):
        first, *others = group
        responses = tuple(
            Candidate(row.response_id, row.response, row.source)
            for row in (first, *others)
            if row.response_id is not None
        )
        yield PlannedItem(first.item, responses, first.rater or None, first.pool or None, first.has_note)


def record_trials(db: Connection, study_id: int, seed: int, trials: Sequence[PlannedTrial], n_seats: int) -> None:
    """Store trials with `n_seats` seats each; those that are there already stay as they are."""
    new = {
        "items": [trial.item.key for trial in trials],
        "responses": ["{" + ",".join(str(r.response_id) for r in trial.responses) + "}" for trial in trials],
        "conditions": [trial.cell.text for trial in trials],
        "shuffles": [
            fraction(seed, trial.item.key, *(r.key for r in trial.responses), *trial.cell.levels) for trial in trials
        ],
    }
    db.execute(_TRIALS, {"study": study_id, **new})
    db.execute(_SEATS, {"study": study_id, "n_seats": n_seats})
    # The first raters come before autovacuum does; planned for empty tables, their claims read every seat there is.
    db.execute(_ANALYZE)


def record_status(db: Connection, study_id: int, status: str) -> None:
    """Draft, open, paused or closed, and when."""
    db.execute(_STATUS, {"study": study_id, "status": status})
