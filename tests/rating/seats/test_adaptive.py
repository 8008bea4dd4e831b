"""An adaptive design on a real database: the most informative pairs are assigned, and never more than their seats."""

from collections import Counter
from typing import Any

import pytest
from sqlalchemy import Engine, text

from app.base.database.engine import transactions
from app.rating.life_cycle import open_study
from app.rating.seats.source_preferences import get_information, list_source_pairs
from app.rating.simulation.simulate import simulate
from tests.kit.builder import PREFERENCE, build_study, protocol_of

SOURCES = {"person": {"kind": "human"}, **{name: {"kind": "model"} for name in ("model_a", "model_b", "model_c")}}
PAIRS = """
    SELECT least(a.key, b.key) || ' ' || greatest(a.key, b.key)
    FROM assignments x JOIN trials t ON t.study_id = x.study_id AND t.id = x.trial_id
    JOIN responses p ON p.id = t.response_ids[1] JOIN sources a ON a.id = p.source_id AND a.study_id = p.study_id
    JOIN responses q ON q.id = t.response_ids[2] JOIN sources b ON b.id = q.source_id AND b.study_id = q.study_id
"""


def opened(engine: Engine, **design: Any) -> int:  # noqa: ANN401 - parts of a design
    whole = {"trials": "pairs", "pairs": "all", "raters_per_trial": 1, "same_item": True, **design}
    with engine.begin() as db:
        study_id = build_study(
            db, protocol_of(sources=SOURCES, questions=[{**PREFERENCE, "tie": True}], design=whole), n_items=10
        )
        open_study(db, "study")
    return study_id


def n_by_pair(engine: Engine) -> Counter[str]:
    with engine.connect() as db:
        return Counter(db.execute(text(PAIRS)).scalars())


def settle(engine: Engine) -> None:
    """Always prefer the alphabetically first source, so that these pairs provide little more information."""
    with engine.begin() as db:
        db.execute(
            text("""
            UPDATE ratings SET outcome = 'response', chosen_response_id = (
              SELECT p.id FROM responses p JOIN sources s ON s.id = p.source_id AND s.study_id = p.study_id
              WHERE p.id IN (left_response_id, right_response_id) ORDER BY s.key LIMIT 1)
        """)
        )


def test_pairs_are_equally_frequent_before_any_answers(engine: Engine) -> None:
    opened(engine, adaptive="preference", trials_per_rater=12)
    simulate(transactions(engine), "study", 1, seed=1)
    assert set(n_by_pair(engine).values()) == {2}


def test_next_rater_gets_more_unsettled_pairs(engine: Engine) -> None:
    study_id = opened(engine, adaptive="preference", trials_per_rater=12)
    simulate(transactions(engine), "study", 2, seed=1)
    settle(engine)
    with engine.connect() as db:
        information, pairs = get_information(db, study_id, "preference"), list_source_pairs(db, study_id)
    gains = {pair: information.gain(*pair) for pair in pairs}
    assert len(pairs) == 6
    before = n_by_pair(engine)
    simulate(transactions(engine), "study", 1, seed=2)
    new = n_by_pair(engine) - before
    assert sum(new.values()) == 12
    assert max(gains.values()) > 1.2 * min(gains.values())
    assert max(new.values()) > min((new.get(pair, 0) for pair in before), default=0)


def test_adaptive_design_fills_every_seat_exactly(engine: Engine) -> None:
    opened(engine, adaptive="preference", trials_per_rater=12)
    outcome = simulate(transactions(engine), "study", 7, seed=3)
    assert outcome.n_assignments == 60
    assert set(n_by_pair(engine).values()) == {10}


@pytest.mark.parametrize("adaptive", ["preference", None])
def test_report_notes_adaptive_pair_selection(engine: Engine, adaptive: str | None) -> None:
    from app.analysis import analyze
    from app.results.data.frames import study_frames
    from app.studies.protocols import get_protocol

    study_id = opened(engine, trials_per_rater=12, **({"adaptive": adaptive} if adaptive else {}))
    simulate(transactions(engine), "study", 2, seed=1)
    with engine.connect() as db:
        report = analyze(study_frames(db, study_id), get_protocol(db, study_id, 1))
    assert any("selected adaptively" in note for note in report.notes) == (adaptive is not None)
