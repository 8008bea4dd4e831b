"""Raters who do anything at any time, and a lead who retires items and brings them back.

After each step, all served trials are accounted for, no seat is exceeded, and no retired item waits for a rater.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import text

from app.actions.rating.skip import skip
from app.actions.rating.withdraw import withdraw
from app.actions.studies.life_cycle import open_study
from app.design.allocation.admission_limits import all_limits
from app.design.allocation.randomization import seeded
from app.design.protocol.parts.study_design import Design
from app.storage.assignments.assignment_view import AssignmentView, get_own_assignment
from app.storage.items.retirement import bring_back_item, list_retired, retire_item
from app.storage.raters.pauses import record_pause, resume
from app.storage.results.coverage import get_coverage
from app.storage.studies.export_sessions import study_rating_sessions
from tests.builder import build_study, protocol_of
from tests.storage.raters import Rater

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy import Connection, Engine

K = 2
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


class Walk:
    """A study and its raters."""

    def __init__(self, engine: Engine, seed: int) -> None:
        """Start without any raters."""
        self.engine, self.rng = engine, seeded(seed, "walk")
        self.raters: list[Rater] = []
        self.gone: set[str] = set()
        self.done: Counter[str] = Counter()
        self.held: Counter[tuple[str, str]] = Counter()
        self.n_finished = 0

    def step(self) -> None:
        """Let one rater do something."""
        if not self.raters or (len(self.raters) < 14 and self.rng.random() < 0.12):
            number = len(self.raters)
            self.raters.append(Rater(self.engine, f"rater-{number}", site=("north", "south")[number % 2]))
        here = [rater for rater in self.raters if rater.token not in self.gone]
        rater = self.rng.choice(here or self.raters[-1:])
        untried = [action for action in ACTIONS if action.__name__ not in self.done]
        is_new = untried and self.rng.random() < 0.1
        action = self.rng.choice(untried) if is_new else self.rng.choices(list(ACTIONS), list(ACTIONS.values()))[0]
        if rater.token in self.gone:
            return
        self.done[action.__name__] += 1
        action(self, rater)

    def look(self, rater: Rater) -> AssignmentView | str:
        """Open the page, after pressing *Begin* if required."""
        page = rater.look()
        return rater.begin() if page == "instructions" else page


def answer(walk: Walk, rater: Rater) -> None:
    page = walk.look(rater)
    if isinstance(page, AssignmentView):
        rater.submit(page)
        if walk.rng.random() < 0.3:
            rater.submit(page)
    elif page == "done":
        rater.finish()


def look(walk: Walk, rater: Rater) -> None:
    walk.look(rater)


def pass_by(walk: Walk, rater: Rater) -> None:
    page = walk.look(rater)
    if isinstance(page, AssignmentView):
        with walk.engine.begin() as db:
            own = get_own_assignment(db, rater.slug, rater.token, page.token)
            assert own
            skip(db, *own, "No")


def answer_again(walk: Walk, rater: Rater) -> None:
    """Submit any earlier page of this rater: one that is done, skipped, or was reassigned."""
    tokens = "SELECT token FROM assignments WHERE rater_id = :id AND served_at IS NOT NULL ORDER BY id"
    with walk.engine.begin() as db:
        session = rater.session(db)
        found = db.execute(text(tokens), {"id": rater.rater_id}).scalars().all()
        own = get_own_assignment(db, rater.slug, rater.token, walk.rng.choice(found)) if found else None
    if own and not session.has_ended:
        rater.submit(own[1])


def stay_away(walk: Walk, rater: Rater) -> None:
    with walk.engine.begin() as db:
        late = "UPDATE rating_sessions SET lease_expires_at = now() - interval '1 minute' WHERE rater_id = :id"
        db.execute(text(late), {"id": rater.rater_id})


def pause(walk: Walk, rater: Rater) -> None:
    with walk.engine.begin() as db:
        record_pause(db, rater.session(db))
    with walk.engine.begin() as db:
        resume(db, rater.session(db))


def stop(walk: Walk, rater: Rater) -> None:
    with walk.engine.begin() as db:
        session = rater.session(db)
        if not session.has_ended:
            withdraw(db, session, is_deletion=False)


def delete(walk: Walk, rater: Rater) -> None:
    with walk.engine.begin() as db:
        withdraw(db, rater.session(db), is_deletion=True)
    walk.gone.add(rater.token)


def retire(walk: Walk, _: Rater) -> None:
    with walk.engine.begin() as db:
        items = db.execute(text("SELECT study_id, id FROM items WHERE retired_because IS NULL ORDER BY id")).all()
        if len(items) > 2:
            study, item = walk.rng.choice(items)
            retire_item(db, study, item, "Names its source")


def bring_back(walk: Walk, _: Rater) -> None:
    with walk.engine.begin() as db:
        items = db.execute(text("SELECT study_id, id FROM items WHERE retired_because IS NOT NULL ORDER BY id")).all()
        if items:
            study, item = walk.rng.choice(items)
            bring_back_item(db, study, item)


ACTIONS: dict[Callable[[Walk, Rater], None], float] = {
    answer: 12,
    look: 3,
    pass_by: 3,
    answer_again: 3,
    stay_away: 2,
    pause: 1,
    stop: 1.5,
    delete: 1,
    retire: 0.7,
    bring_back: 0.7,
}


def assert_accounted(db: Connection, study: int) -> None:
    coverage = get_coverage(db, study)
    counted, retired = coverage.reconciliation, coverage.retired
    assert coverage.n_seats + retired.n_not_needed == db.execute(text("SELECT count(*) FROM seats")).scalar_one()
    assert coverage.n_rated <= coverage.n_seats
    assert retired.n_items == len(list_retired(db, study))
    assert (counted.n_unaccounted, counted.n_lost, counted.n_double) == (0, 0, 0)
    rating_sessions = study_rating_sessions(db, study)["rating_sessions"].to_dict("records")
    for row in rating_sessions:
        assert row["n_served"] == row["n_answered"] + row["n_skipped"] + row["n_returned"] + row["n_open"], row
    assert sum(row["n_served"] for row in rating_sessions) == counted.n_served
    assert db.execute(text(ASTRAY)).scalar_one() == 0
    assert db.execute(text(UNSEATED)).scalar_one() == 0
    assert db.execute(text(MAX_PER_TRIAL)).scalar_one() <= K
    assert db.execute(text(NOTED)).scalar_one() <= FLOW["exposure_cap"]


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


@pytest.mark.parametrize("seed", [1, 2, 3])
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
    for _ in range(90):
        walk.step()
        with engine.connect() as db:
            assert_accounted(db, study)
            assert_admitted(db, walk, limits)
    assert len(walk.done) == len(ACTIONS)
    if not limits:
        fill_up(walk)
        with engine.connect() as db:
            assert_accounted(db, study)
            assert get_coverage(db, study).distribution == [(K, len(ITEMS) * max(1, 2 * len(conditions)))]


@pytest.mark.parametrize("seed", [1, 2, 3])
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
        skip(db, *own, "No")
        assert db.execute(text("SELECT count(*) FROM seats WHERE assignment_id IS NULL")).scalar_one() == 1
    assert third.look() == "wait"
    assert (first.go_all_the_way(), second.go_all_the_way()) == (1, 2)
    assert third.look() == "full"


def fill_up(walk: Walk) -> None:
    """Bring back all items, let all raters finish or leave for good, and let others rate whatever is left."""
    with walk.engine.begin() as db:
        study = db.execute(text("SELECT id FROM studies")).scalar_one()
        for item_id in list_retired(db, study):
            bring_back_item(db, study, item_id)
    for rater in walk.raters:
        if rater.token not in walk.gone:
            stay_away(walk, rater)
    for number in range(12):
        Rater(walk.engine, f"late-{number}").go_all_the_way(n_patience=20, pause=lambda _: None)
