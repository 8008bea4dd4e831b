"""Raters who do anything at any time, and a lead who retires items and brings them back.

After each step, all served trials are accounted for, no seat is exceeded, and no retired item waits for a rater.
"""

from collections import Counter
from typing import Any

import pytest
from sqlalchemy import Connection, Engine, text

from app.protocol.allocation.requirements import all_limits
from app.protocol.questions.form import read_page_ms
from app.protocol.study_design import Design
from app.rating.answers.skips import skip
from app.rating.life_cycle import open_study
from app.rating.seats.assignment_view import AssignmentView, get_own_assignment
from app.studies.coverage import get_coverage
from app.studies.export import study_rating_sessions
from tests.kit.builder import build_study, protocol_of
from tests.kit.stored_raters import Rater
from tests.rating.random_walk import ACTIONS, Walk, delete, fill_up, stay_away, stop

K = 2
SEEDS = [1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (2, 3))]
TOLD = {"kind": "instruction", "levels": {"near": "Feel along.", "far": "Stay outside."}, "assign": "between"}
FLOW = {"skip_reasons": ["No"], "exposure_cap": 2}
DESIGN = {"raters_per_trial": K, "trials_per_rater": 4, "repeats": {"n": 1, "min_distance": 1}}
QUOTAS = {"quotas": {"site": {"north": 2, "south": 3}}, "max_raters": 4}
ITEMS = [{"key": f"item-{n}", "content_note": "A death." if n >= 2 else None} for n in range(6)]
# A seat is taken by exactly one valid assignment, and each valid assignment has exactly one seat. Raters who have left
# hold no open seats.
ASTRAY = """
    SELECT (SELECT count(*) FROM seats s LEFT JOIN assignments a ON a.id = s.assignment_id
            WHERE s.assignment_id IS NOT NULL
              AND (a.id IS NULL OR a.repeat > 0 OR a.state NOT IN ('planned', 'leased', 'done')
                   OR a.trial_id <> s.trial_id))
         + (SELECT count(*) FROM assignments a WHERE a.repeat = 0 AND a.state IN ('planned', 'leased', 'done')
              AND (SELECT count(*) FROM seats s WHERE s.assignment_id = a.id) <> 1)
         + (SELECT count(*) FROM assignments WHERE state = 'planned' AND served_at IS NOT NULL)
         + (SELECT count(*) FROM assignments a JOIN rating_sessions s ON s.id = a.rating_session_id
            WHERE s.state IN ('withdrawn', 'expired', 'finished') AND a.state IN ('planned', 'leased'))
         + (SELECT count(*) FROM assignments a JOIN trials t ON t.id = a.trial_id JOIN items i ON i.id = t.item_id
            WHERE a.state = 'planned' AND i.retired_because IS NOT NULL)
"""
# Raters who are active or have finished have one seat in their condition, and no one else has any.
UNSEATED = """
    SELECT count(*) FROM rating_sessions s
    LEFT JOIN condition_seats c ON c.study_id = s.study_id AND c.rating_session_id = s.id
    WHERE (s.condition IS NOT NULL AND s.state IN ('active', 'finished')) <> (c.number IS NOT NULL)
      OR c.condition <> s.condition
"""
# The same for the limits on raters: one seat per limit, whose value is that of the rater's link.
UNADMITTED = """
    SELECT count(*) FROM rating_sessions s CROSS JOIN unnest(CAST(:attributes AS text[])) AS w (attribute)
    LEFT JOIN admission_seats c ON c.rating_session_id = s.id AND c.attribute = w.attribute
    LEFT JOIN platform_ids p ON p.rater_id = s.rater_id
    WHERE (s.state IN ('active', 'finished')) <> (c.number IS NOT NULL)
      OR c.value <> CASE w.attribute WHEN '' THEN '' ELSE p.parameters ->> w.attribute END
"""
HELD = "SELECT attribute, value, count(rating_session_id) FROM admission_seats GROUP BY attribute, value"
FINISHED = "SELECT count(*) FROM rating_sessions WHERE state = 'finished'"
MAX_PER_TRIAL = """
    SELECT coalesce(max(n), 0) FROM (
      SELECT count(*) AS n FROM assignments WHERE repeat = 0 AND state IN ('planned', 'leased', 'done')
      GROUP BY trial_id
    ) AS per_trial
"""
NOTED = """
    SELECT coalesce(max(n), 0) FROM (
      SELECT count(*) AS n FROM assignments a JOIN trials t ON t.id = a.trial_id JOIN items i ON i.id = t.item_id
      WHERE a.repeat = 0 AND a.state <> 'returned' AND i.content_note IS NOT NULL GROUP BY a.rater_id
    ) AS per_rater
"""


def assert_accounted(db: Connection, study: int) -> None:
    coverage = get_coverage(db, study)
    counted, retired = coverage.reconciliation, coverage.retired
    assert coverage.n_seats + retired.n_not_needed == db.execute(text("SELECT count(*) FROM seats")).scalar_one()
    assert coverage.n_rated <= coverage.n_seats
    assert retired.n_items == db.execute(text("SELECT count(retired_because) FROM items")).scalar_one()
    assert (counted.n_unaccounted, counted.n_lost, counted.n_double) == (0, 0, 0)
    assert db.execute(text(ASTRAY)).scalar_one() == 0
    assert db.execute(text(UNSEATED)).scalar_one() == 0
    assert db.execute(text(MAX_PER_TRIAL)).scalar_one() <= K
    assert db.execute(text(NOTED)).scalar_one() <= FLOW["exposure_cap"]


def assert_exported(db: Connection, study: int) -> None:
    """The counts of each session in the files add up. What is counted nowhere stays so for some steps."""
    rating_sessions = study_rating_sessions(db, study)["rating_sessions"].to_dict("records")
    for row in rating_sessions:
        assert row["n_served"] == row["n_answered"] + row["n_skipped"] + row["n_returned"] + row["n_open"], row
    assert sum(row["n_served"] for row in rating_sessions) == get_coverage(db, study).reconciliation.n_served


def assert_admitted(db: Connection, walk: Walk, design: dict[str, Any]) -> None:
    """Raters beyond a limit are at most those who finish after their place was given away."""
    limits = all_limits(Design.model_validate(design))
    attributes = sorted({limit.attribute for limit in limits})
    assert db.execute(text(UNADMITTED), {"attributes": attributes}).scalar_one() == 0
    held = Counter({(attribute, value): n for attribute, value, n in db.execute(text(HELD))})
    n_finished = db.execute(text(FINISHED)).scalar_one()
    for limit in limits:
        key = limit.attribute, limit.value
        assert held[key] <= max(limit.n, walk.held[key] + n_finished - walk.n_finished), limit
    walk.held, walk.n_finished = held, n_finished


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    ("limits", "conditions"),
    [({}, {}), ({"max_raters": 6}, {}), ({}, {"told": TOLD}), (QUOTAS, {})],
    ids=["anybody", "at most six", "two conditions", "at most two or three per site"],
)
def test_random_rater_actions_never_lose_or_overfill_trials(
    engine: Engine, seed: int, limits: dict[str, Any], conditions: dict[str, Any]
) -> None:
    with engine.begin() as db:
        whole = protocol_of(design={**DESIGN, **limits}, flow=FLOW, conditions=conditions)
        study = build_study(db, whole, texts=ITEMS)
        open_study(db, "study")
    walk = Walk(engine, seed)
    for number in range(90):
        walk.step()
        with engine.connect() as db:
            assert_accounted(db, study)
            assert_admitted(db, walk, limits)
            if number % 10 == 9:
                assert_exported(db, study)
    assert len(walk.done) == len(ACTIONS)
    if not limits:
        fill_up(walk)
        with engine.connect() as db:
            assert_accounted(db, study)
            assert_exported(db, study)
            assert get_coverage(db, study).distribution == [(K, len(ITEMS) * max(1, 2 * len(conditions)))]


@pytest.mark.parametrize("seed", SEEDS)
def test_conditions_are_balanced_among_finishers(engine: Engine, seed: int) -> None:
    design = {"raters_per_trial": 30, "trials_per_rater": 2}
    with engine.begin() as db:
        build_study(db, protocol_of(design=design, flow=FLOW, conditions={"told": TOLD}), texts=ITEMS)
        open_study(db, "study")
    walk, leavers = Walk(engine, seed), (stay_away, stop, delete)
    for number in range(24):
        rater = Rater(engine, f"rater-{number}")
        rater.begin()
        if number < 16 and walk.rng.random() < 0.5:
            walk.rng.choice(leavers)(walk, rater)
        else:
            assert rater.go_all_the_way() == 2
    with engine.connect() as db:
        assert [db.execute(text(query)).scalar_one() for query in (ASTRAY, UNSEATED)] == [0, 0]
        finished = "SELECT condition, count(*) FROM rating_sessions WHERE state = 'finished' GROUP BY condition"
        counts = [row[1] for row in db.execute(text(finished))]
    assert len(counts) == 2
    assert max(counts) - min(counts) <= 1


def test_capped_condition_admits_no_one_despite_free_seats(engine: Engine) -> None:
    """Raters wait for active ones, and are told that the study is full once these have finished."""
    capped = {**TOLD, "caps": {"near": 1, "far": 1}}
    with engine.begin() as db:
        design = {"raters_per_trial": 1}
        build_study(db, protocol_of(design=design, flow=FLOW, conditions={"told": capped}), n_items=2)
        open_study(db, "study")
    first, second, third = (Rater(engine, name) for name in ("first", "second", "third"))
    page = first.begin()
    assert isinstance(page, AssignmentView)
    second.begin()
    with engine.begin() as db:
        own = get_own_assignment(db, "study", first.token, page.token)
        assert own
        skip(db, *own, "No", read_page_ms({}))
        assert db.execute(text("SELECT count(*) FROM seats WHERE assignment_id IS NULL")).scalar_one() == 1
    assert third.look() == "wait"
    assert (first.go_all_the_way(), second.go_all_the_way()) == (1, 2)
    assert third.look() == "full"
