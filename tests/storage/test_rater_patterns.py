"""Agreement with others and runs of equal answers: the database computes the numbers of the statistics rooms."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from sqlalchemy import text

from app.stats.raters.profiles import profiles
from app.stats.raters.response_patterns import habits, side_habits
from app.storage.results.rater_patterns import list_rater_patterns
from tests.builder import build_study, protocol_of

if TYPE_CHECKING:
    from sqlalchemy import Connection


@pytest.fixture
def answers(db: Connection) -> list[tuple[Any, ...]]:
    """Ratings and choices of four people about six items: rater, response, number, side, in order of answering."""
    study = build_study(db, protocol_of(), n_items=6)
    rng = np.random.default_rng(7)
    for name in "abcd":
        db.execute(text("INSERT INTO raters (study_id, key) VALUES (:s, :k)"), {"s": study, "k": name})
    raters = db.execute(text("SELECT id FROM raters ORDER BY id")).scalars().all()
    responses = db.execute(text("SELECT id, item_id FROM responses ORDER BY id")).all()
    given = []
    for rater in raters:
        for response, item in responses:
            number, side = int(rng.integers(1, 4)), str(rng.choice(["left", "right"]))
            values = {"s": study, "r": rater, "p": response, "i": item, "n": number, "side": side}
            db.execute(
                text(
                    "INSERT INTO ratings (study_id, rater_id, question, item_id, response_id, number)"
                    " VALUES (:s, :r, 'empathy', :i, :p, :n)"
                ),
                values,
            )
            db.execute(
                text(
                    "INSERT INTO ratings (study_id, rater_id, question, item_id, turn, outcome, chosen_response_id,"
                    " side) VALUES (:s, :r, 'preference', :i, :p, 'response', :p, :side)"
                ),
                values,
            )
            given.append((rater, response, float(number), side))
    return given


def test_patterns_are_those_of_the_statistics(db: Connection, answers: list[tuple[Any, ...]]) -> None:
    rater, response, number, side = (np.array(column) for column in zip(*answers, strict=True))
    found = list_rater_patterns(db, db.execute(text("SELECT id FROM studies")).scalar_one(), "empathy")
    for profile in profiles(number, unit=response, rater=rater, is_modelled=False):
        own = found[int(str(profile.rater))]
        assert own.n_compared == 12
        assert own.agreement == pytest.approx(profile.leave_one_out.estimate)
    for habit in habits(number, rater):
        assert found[int(str(habit.rater))].longest_run == habit.longest_run
    for one in side_habits((side == "left").astype(float), rater):
        assert found[int(str(one.rater))].longest_side_run == one.longest_run
