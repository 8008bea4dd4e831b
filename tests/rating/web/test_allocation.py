"""Sharing points without scripts: one number per response, stored completely or rejected with a message."""

import re
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from sqlalchemy import Engine, text

from app.base.database.engine import transactions
from app.rating.simulation.simulate import simulate
from tests.kit.rater_pages import Visitor, form_address

THREE = {"person": {"kind": "human"}, "one": {"kind": "model"}, "two": {"kind": "model"}}
SHARES = {"key": "shares", "type": "allocation", "text": "Share the points.", "comment": True}
PARTS: dict[str, Any] = {"questions": [SHARES], "sources": THREE, "n_items": 2}
KEY = "00000000-0000-4000-8000-000000000001"


def points(engine: Engine) -> Sequence[Any]:
    with engine.connect() as db:
        rows = db.execute(text("SELECT number, comment FROM ratings ORDER BY number"))
        return [tuple(row) for row in rows]


def form(*given: str) -> dict[str, str]:
    return {f"q0.{place}": number for place, number in enumerate(given)}


def entered(page: Any) -> list[str]:  # noqa: ANN401 - httpx's response
    return re.findall(r'name="q0\.\d"\s+id="q0\.\d-1"[^>]*?\svalue="([\d.]*)"', page.text)


def test_points_are_stored_per_response_and_restored(
    engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    study(**PARTS)
    anna = visitor()
    address = form_address(anna.begin())
    anna.post(address, data=form("60", "15", "25") | {"q0.comment": "close"})
    assert points(engine) == [(15, None), (25, None), (60, "close")]
    assert entered(anna.get(address)) == ["60", "15", "25"]
    anna.post(address, data=form("0", "0", "100"))
    assert points(engine) == [(0, None), (0, None), (100, None)]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (("60", "40"), "Give every response its points; 0 is possible."),
        (("60", "30", "5"), "The points must add up to 100. Yours add up to 95."),
        (("60", "30", "11"), "The points must add up to 100. Yours add up to 101."),
        (("60", "30", "9.5"), "Give each response a whole number from 0 to 100."),
    ],
)
def test_invalid_allocation_stores_nothing_and_keeps_input(
    engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor], given: tuple[str, ...], words: str
) -> None:
    study(**PARTS)
    anna = visitor()
    page = anna.rate(anna.begin(), form(*given))
    assert page.status_code == 422
    assert words in page.text
    assert entered(page) == [*given, *[""] * (3 - len(given))]
    assert points(engine) == []


def test_save_of_a_wrong_sum_is_refused_with_the_reason(
    engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    study(**PARTS)
    anna = visitor()
    address = form_address(anna.begin())
    refused = anna.post(f"{address}/save", data={"slot": "q0", "q0.key": KEY, **form("60", "30", "5")})
    assert refused.status_code == 422
    assert "Yours add up to 95." in refused.text
    assert points(engine) == []


def test_simulated_raters_share_all_points(engine: Engine, study: Callable[..., int]) -> None:
    study(**PARTS, design={"raters_per_trial": 4})
    simulate(transactions(engine), "study", 3, 7)
    with engine.connect() as db:
        sums = db.execute(text("SELECT sum(number) FROM ratings GROUP BY rater_id, item_id")).scalars().all()
    assert sums
    assert set(sums) == {100}
