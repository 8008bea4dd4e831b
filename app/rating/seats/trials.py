"""Trials and their seats: created when a study opens, extended when it opens again."""

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from sqlalchemy import Connection, Row, text

from app.base.database.bulk_copy import copy_rows
from app.protocol.allocation.randomization import fraction
from app.protocol.allocation.trials import Candidate, PlannedItem, PlannedTrial, SpecialTrial

_STUDY = text("SELECT id, slug, status, protocol_version, seed FROM studies WHERE slug = :slug FOR UPDATE")
_ITEMS = text("""
    SELECT i.id AS item_id, i.key AS item, i.attributes,
           coalesce(i.content_note, '') <> '' AS has_note, coalesce(t.purposes, '{}') AS made_for,
           r.id AS response_id, r.key AS response, s.key AS source
    FROM items i
    LEFT JOIN (SELECT item_id, array_agg(DISTINCT purpose) AS purposes FROM trials WHERE study_id = :study
               GROUP BY item_id) t ON t.item_id = i.id
    LEFT JOIN responses r ON r.study_id = i.study_id AND r.item_id = i.id
    LEFT JOIN sources s ON s.study_id = r.study_id AND s.id = r.source_id
    WHERE i.study_id = :study ORDER BY i.position, i.id, r.position, r.id
""")
# The plan is copied in by COPY and moved to its tables by two statements, however many trials there are.
_PLANNED = text("""
    CREATE TEMPORARY TABLE planned_seats (
      number integer, item_id bigint, response_ids bigint[], condition text, shuffle float8,
      pool text, n integer, rater text
    ) ON COMMIT DROP
""")
_TRIALS = text("""
    INSERT INTO trials (study_id, item_id, response_ids, condition, shuffle)
    SELECT :study, item_id, response_ids, condition, min(shuffle) FROM planned_seats
    GROUP BY item_id, response_ids, condition ORDER BY min(number)
    ON CONFLICT DO NOTHING
""")
# Within each round of seats, the first trials of all items come before any second trial: a rater who takes the next
# free seats gets different items, and no item has to wait until all pairs of another one are covered.
_SEATS = text("""
    INSERT INTO seats (study_id, trial_id, pool, seat, rater_id, shuffle)
    SELECT :study, id, pool, seat, rater_id,
           row_number() OVER (PARTITION BY item_id, pool, seat ORDER BY luck) - 1 + luck
    FROM (SELECT t.id, t.item_id, p.pool, seat, r.id AS rater_id,
                 abs(hashtextextended(t.shuffle::text, seat) / 9223372036854775808.0) AS luck
          FROM planned_seats p
          JOIN trials t ON t.study_id = :study AND t.item_id = p.item_id AND t.response_ids = p.response_ids
            AND t.condition = p.condition
          CROSS JOIN LATERAL generate_series(1, p.n) AS seat
          LEFT JOIN raters r ON r.study_id = :study AND r.key = p.rater) AS seats
    ORDER BY seat, luck
    ON CONFLICT DO NOTHING
""")
_ITEM_CELLS = text("""
    UPDATE items SET attributes = attributes || CAST(:cells AS jsonb) WHERE study_id = :study AND key = :item
""")
_SPECIAL = text("""
    INSERT INTO trials (study_id, item_id, response_ids, condition, shuffle, purpose)
    VALUES (:study, :item, CAST(:responses AS bigint[]), :condition, 0, :purpose) ON CONFLICT DO NOTHING
""")
_NO_LONGER_PLANNED = text("DROP TABLE planned_seats")
_NAMED = text("""
    SELECT pool, array_agg(key ORDER BY key) AS named FROM raters
    WHERE study_id = :study AND kind = 'person' AND NOT is_imported AND pool IS NOT NULL GROUP BY pool
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
    """ID, status, protocol version and seed of a study, locked because two people may open it at the same time."""
    row = db.execute(_STUDY, {"slug": slug}).one_or_none()
    return None if row is None else (row.id, row.status, row.protocol_version, row.seed)


def get_yaml(db: Connection, study_id: int, version: int) -> str:
    """The study.yaml of a version, as the lead wrote it."""
    return str(db.execute(_YAML, {"study": study_id, "version": version}).scalar_one())


def list_named_raters(db: Connection, study_id: int) -> dict[str, list[str]]:
    """The keys of the people listed in raters.csv, by pool."""
    return {row.pool: list(row.named) for row in db.execute(_NAMED, {"study": study_id})}


def list_item_keys(db: Connection, study_id: int) -> dict[int, str]:
    """The key of every item, by its ID."""
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
        yield PlannedItem(first.item, responses, first.has_note, first.item_id, first.attributes, first.made_for)


def record_trials(db: Connection, study_id: int, seed: int, trials: Sequence[PlannedTrial]) -> None:
    """Store trials with their seats; existing ones are not changed."""
    db.execute(_PLANNED)
    copy_rows(db, "planned_seats", (row for number, trial in enumerate(trials) for row in _rows(number, trial, seed)))
    db.execute(_TRIALS, {"study": study_id})
    db.execute(_SEATS, {"study": study_id})
    db.execute(_NO_LONGER_PLANNED)
    # The first raters may arrive before autovacuum runs; with statistics of empty tables, claims would read every seat.
    db.execute(_ANALYZE)


def record_item_cells(db: Connection, study_id: int, cells: Mapping[str, Mapping[str, str]]) -> None:
    """Store further cells of items, by the items' keys."""
    if cells:
        rows = [{"study": study_id, "item": item, "cells": json.dumps(own)} for item, own in cells.items()]
        db.execute(_ITEM_CELLS, rows)


def record_special_trials(db: Connection, study_id: int, trials: Sequence[SpecialTrial]) -> None:
    """Store practice and gold trials; they have no seats, so they are never claimed."""
    if trials:
        db.execute(
            _SPECIAL,
            [
                {
                    "study": study_id,
                    "item": trial.item.item_id,
                    "condition": trial.cell.text,
                    "purpose": trial.purpose,
                    "responses": [response.response_id for response in trial.responses],
                }
                for trial in trials
            ],
        )


def _rows(number: int, trial: PlannedTrial, seed: int) -> Iterator[tuple[object, ...]]:
    shuffle = fraction(seed, trial.item.key, *(r.key for r in trial.responses), *trial.cell.levels)
    responses = [response.response_id for response in trial.responses]
    for seats in trial.seats:
        yield (
            number,
            trial.item.item_id,
            responses,
            trial.cell.text,
            shuffle,
            seats.pool or "",
            seats.n,
            seats.rater,
        )


def record_status(db: Connection, study_id: int, status: str) -> None:
    """Set the status (draft, open, paused or closed) and its time."""
    db.execute(_STATUS, {"study": study_id, "status": status})
