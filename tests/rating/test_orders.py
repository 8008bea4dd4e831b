"""A rater's trials are in the order that the design declares, with its blocks."""

from itertools import groupby, pairwise
from typing import Any

from sqlalchemy import Connection, text

from app.rating.life_cycle import open_study
from tests.kit.builder import EMPATHY, build_study, protocol_of
from tests.kit.raters import rate_as


def orders(db: Connection, n_raters: int, topics: str = "", **design: Any) -> list[list[str]]:  # noqa: ANN401
    """The items of each rater in the order in which they were shown."""
    build_study(db, protocol_of(design={"raters_per_trial": n_raters, **design}, questions=[EMPATHY]), n_items=6)
    for place, topic in enumerate(topics):
        db.execute(
            text("UPDATE items SET attributes = jsonb_build_object('topic', CAST(:topic AS text)) WHERE key = :key"),
            {"topic": topic, "key": f"item-{place}"},
        )
    open_study(db, "study")
    assert all(rate_as(db, "study", f"rater-{n}", 1) for n in range(n_raters))
    found = db.execute(
        text("""
        SELECT array_agg(i.key ORDER BY a.position) FROM assignments a JOIN trials t ON t.id = a.trial_id
        JOIN items i ON i.id = t.item_id GROUP BY a.rater_id ORDER BY a.rater_id
    """)
    )
    return [row[0] for row in found]


def test_fixed_order_follows_items(db: Connection) -> None:
    assert orders(db, 3, trials="pairs", order="fixed") == [[f"item-{n}" for n in range(6)]] * 3


def test_latin_square_balances_positions_and_carry_over(db: Connection) -> None:
    shown = orders(db, 6, trials="pairs", order="latin_square")
    assert all(len(set(column)) == 6 for column in zip(*shown, strict=True))
    after = [pair for order in shown for pair in pairwise(order)]
    assert len(after) == len(set(after)) == 30


def test_column_blocks_stay_together_and_rotate_across_raters(db: Connection) -> None:
    shown = orders(db, 2, topics="ababab", trials="pairs", blocks={"column": "topic"})
    topic = {f"item-{place}": letter for place, letter in enumerate("ababab")}
    blocks = [[letter for letter, _ in groupby(order, lambda item: topic[item])] for order in shown]
    assert sorted(blocks) == [["a", "b"], ["b", "a"]]
