"""Conditions reach raters as declared: balanced between and within raters, and stored with every answer."""

from collections import Counter
from typing import Any

import pytest
from sqlalchemy import Connection, text

from app.rating.life_cycle import open_study
from tests.kit.builder import EMPATHY, build_study, protocol_of
from tests.kit.raters import rate_until_full

TOLD = {"kind": "instruction", "levels": {"near": "Feel along.", "far": "Stay outside."}}
LABEL = {"kind": "shown_label", "levels": ["none", "true", "unknown"]}
DESIGN = {"trials": "single", "raters_per_trial": 2}


def rated(db: Connection, n_items: int, conditions: dict[str, Any], **design: Any) -> int:  # noqa: ANN401
    """Rate a study with these conditions until it is full; returns the number of raters who finished."""
    whole = protocol_of(design={**DESIGN, **design}, conditions=conditions, questions=[EMPATHY])
    build_study(db, whole, n_items=n_items)
    open_study(db, "study")
    return rate_until_full(db, "study")


def assert_exact(db: Connection, n_trials: int, k: int = 2) -> None:
    found = text("""
        SELECT count(*) FROM assignments a WHERE state = 'done'
        GROUP BY trial_id HAVING count(*) = :k AND count(DISTINCT rater_id) = :k
    """)
    assert len(db.execute(found, {"k": k}).all()) == n_trials


def by_rater(db: Connection) -> dict[int, Counter[str]]:
    counts: dict[int, Counter[str]] = {}
    for rater, condition in db.execute(text("SELECT rater_id, condition FROM ratings")):
        counts.setdefault(rater, Counter())[condition] += 1
    return counts


def test_between_rater_conditions_are_balanced_one_per_rater(db: Connection) -> None:
    assert rated(db, 4, {"told": TOLD}) == 4
    assert_exact(db, 16)
    assert all(len(conditions) == 1 for conditions in by_rater(db).values())
    chosen = Counter(db.execute(text("SELECT condition FROM rating_sessions WHERE state = 'finished'")).scalars())
    assert chosen == {"told=near": 2, "told=far": 2}


@pytest.mark.parametrize("design", [{}, {"trials_per_rater": 4, "same_item": False}])
def test_within_rater_conditions_are_balanced_and_seats_filled(db: Connection, design: dict[str, Any]) -> None:
    rated(db, 4, {"told": {**TOLD, "assign": "within"}}, **design)
    assert_exact(db, 16)
    assert all(counts["told=near"] == counts["told=far"] for counts in by_rater(db).values())


def test_rater_never_sees_a_response_in_two_conditions(db: Connection) -> None:
    rated(db, 3, {"told": {**TOLD, "assign": "within"}})
    twice = text("SELECT count(*) FROM ratings GROUP BY rater_id, response_id HAVING count(*) > 1")
    assert db.execute(twice).all() == []


def test_shown_label_follows_condition_and_is_stored(db: Connection) -> None:
    rated(db, 3, {"label": LABEL})
    found = text("""
        SELECT DISTINCT r.condition, s.key, r.shown_label FROM ratings r JOIN responses p ON p.id = r.response_id
        JOIN sources s ON s.id = p.source_id
    """)
    assert {tuple(row) for row in db.execute(found)} == {
        ("label=none", "person", None),
        ("label=none", "model", None),
        ("label=true", "person", "Written by a person"),
        ("label=true", "model", "Written by an AI"),
        ("label=unknown", "person", "The author of this text is not shown."),
        ("label=unknown", "model", "The author of this text is not shown."),
    }


def test_capped_condition_refuses_further_raters(db: Connection) -> None:
    assert rated(db, 2, {"told": {**TOLD, "caps": {"near": 2, "far": 2}}}) == 4


def test_between_rater_source_limits_responses_to_one_source(db: Connection) -> None:
    rated(db, 3, {"wrote": {"kind": "source", "levels": ["person", "model"]}}, raters_per_trial=1)
    assert_exact(db, 6, k=1)
    found = text("""
        SELECT r.rater_id FROM ratings r JOIN responses p ON p.id = r.response_id
        GROUP BY r.rater_id HAVING count(DISTINCT p.source_id) > 1
    """)
    assert db.execute(found).all() == []
