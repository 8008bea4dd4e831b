"""Plans of the statements that claim seats: made once per connection, they read a few seats of a study in order."""

import re

import pytest
from sqlalchemy import Engine, text

from app.base.database.hot_statement import HotStatement
from app.rating.life_cycle import open_study
from app.rating.seats import seats
from tests.kit.builder import build_study, protocol_of

pytestmark = pytest.mark.slow
TOLD = {"kind": "instruction", "levels": {"near": "Feel along.", "far": "Stay outside."}, "assign": "within"}


@pytest.mark.parametrize(
    "statement",
    [seats._ANY, seats._BY_TURN, seats._OF_PAIR, seats._LOOK],
    ids=["any", "by turn", "of a pair", "without locks"],
)
@pytest.mark.parametrize("is_analyzed", [True, False])
def test_free_seats_are_read_in_order_and_not_sorted(
    unused_engine: Engine, statement: HotStatement, *, is_analyzed: bool
) -> None:
    with unused_engine.begin() as db:
        build_study(db, protocol_of(design={"raters_per_trial": 5}, conditions={"told": TOLD}), n_items=600)
        open_study(db, "study")
        if is_analyzed:
            db.execute(text("ANALYZE seats, trials, items, responses, sources"))
        plan = "\n".join(db.exec_driver_sql("EXPLAIN (GENERIC_PLAN) " + statement.sql.replace("%", "%%")).scalars())
    assert "Index Scan using ix_seats_free on seats" in plan
    assert not re.search(r"Sort Key: s\.|Seq Scan on (?!sources)", plan), plan
