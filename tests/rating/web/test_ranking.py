"""Ranking responses without scripts: one row of ranks per response, stored completely or rejected with a message."""

import re
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from sqlalchemy import Engine, text

from app.base.database.engine import transactions
from app.rating.simulation.simulate import simulate
from app.results.data.frames import study_frames
from tests.kit.rater_pages import Visitor, form_address

THREE = {"person": {"kind": "human"}, "one": {"kind": "model"}, "two": {"kind": "model"}}
ORDER = {"key": "order", "type": "ranking", "text": "Rank the replies.", "comment": True}
PARTS: dict[str, Any] = {"questions": [ORDER], "sources": THREE, "n_items": 2}
KEY = "00000000-0000-4000-8000-000000000001"


def ranks(engine: Engine) -> Sequence[Any]:
    with engine.connect() as db:
        rows = db.execute(text("SELECT p.key, number, comment FROM ratings r JOIN responses p ON p.id = r.response_id"))
        return sorted((key.partition(":")[2], number, comment) for key, number, comment in rows)


def shown(page: Any) -> list[str]:  # noqa: ANN401 - httpx's response
    """The sources, in the order in which their responses are read."""
    places = {source: page.text.index(f"{source} on item") for source in THREE}
    return sorted(places, key=places.__getitem__)


def form(*given: str) -> dict[str, str]:
    return {f"q0.{place}": rank for place, rank in enumerate(given)}


def checked(page: Any) -> list[str]:  # noqa: ANN401
    return re.findall(r'name="q0\.\d"\s+id="q0\.\d-\d"\s+value="(\d)" checked', page.text)


def test_ranking_is_stored_per_response_and_restored(
    engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    study_id = study(**PARTS)
    anna = visitor()
    page = anna.begin()
    address, read = form_address(page), shown(page)
    assert [*re.findall(r"<legend[^>]*>(Response [A-Z])</legend>", page.text)] == [
        "Response A",
        "Response B",
        "Response C",
    ]
    anna.post(address, data=form("3", "1", "2") | {"q0.comment": "close"})
    stored = sorted(zip(read, (3.0, 1.0, 2.0), ("close", None, None), strict=True))
    assert ranks(engine) == stored
    assert checked(anna.get(address)) == ["3", "1", "2"]
    anna.post(address, data=form("1", "2", "3"))
    assert sorted(ranks(engine)) == sorted(zip(read, (1.0, 2.0, 3.0), (None, None, None), strict=True))
    with engine.connect() as db:
        frames = study_frames(db, study_id)
    assert frames.ratings[["question", "number"]].to_numpy().tolist() == [
        ["order", n] for n in frames.ratings["number"]
    ]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (("1", "2"), "Give every response a rank."),
        (("1", "1", "2"), "Give each rank to one response only."),
        (("1", "2", "9"), "Give each response a rank from 1 to 3."),
    ],
)
def test_invalid_ranking_stores_nothing_and_keeps_input(
    engine: Engine,
    study: Callable[..., int],
    visitor: Callable[[], Visitor],
    given: tuple[str, ...],
    words: str,
) -> None:
    study(**PARTS)
    anna = visitor()
    page = anna.rate(anna.begin(), form(*given))
    assert page.status_code == 422
    assert words in page.text
    assert checked(page) == [rank for rank in given if rank in "123"]
    assert ranks(engine) == []


def test_tied_ranks_leave_no_gap(engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor]) -> None:
    study(**{**PARTS, "questions": [{**ORDER, "ties": True}]})
    anna = visitor()
    page = anna.rate(anna.begin(), form("1", "1", "3"))
    assert "No response has rank 2." in page.text
    assert anna.rate(page, form("1", "1", "2")).status_code == 200
    assert sorted(number for _, number, _ in ranks(engine)) == [1, 1, 2]


def test_autosaved_ranking_is_stored_once(
    engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    study(**PARTS)
    anna = visitor()
    page = anna.begin()
    save = f"{form_address(page)}/save"
    unfinished = anna.post(save, data={"slot": "q0", "q0.key": KEY, **form("1")})
    assert (unfinished.status_code, ranks(engine)) == (200, [])
    for _ in range(2):
        assert anna.post(save, data={"slot": "q0", "q0.key": KEY, **form("1", "3", "2")}).status_code == 200
    assert sorted(number for _, number, _ in ranks(engine)) == [1, 2, 3]
    wrong = anna.post(save, data={"slot": "q0", "q0.key": KEY[:-1] + "2", **form("1", "1", "2")})
    assert wrong.status_code == 422
    assert sorted(number for _, number, _ in ranks(engine)) == [1, 2, 3]


def test_ranking_precedes_ratings_when_protocol_lists_it_first(
    study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    warm = {"key": "warm", "target": "response", "type": "rating", "text": "Warm?", "scale": {1: "no", 2: "yes"}}
    study(**{**PARTS, "questions": [ORDER, warm]})
    page = visitor().begin()
    assert page.text.index("Rank the replies.") < page.text.index("Warm?")


def test_simulated_raters_rank_and_pass_gold_trials(
    engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    order = "item-0:person > item-0:two > item-0:one"
    study(**PARTS, checks={"gold": [{"item": "item-0", "expect": {"order": order}}]}, design={"raters_per_trial": 4})
    simulate(transactions(engine), "study", 3, 7)
    with engine.connect() as db:
        checks = [*db.execute(text("SELECT detail ->> 'is_passed' FROM events WHERE kind = 'check'")).scalars()]
        n = db.execute(text("SELECT count(*), count(DISTINCT response_id) FROM ratings")).one()
    assert checks == ["true"] * 3
    assert tuple(n) == (18, 6)


def test_practice_shows_expected_ranking(study: Callable[..., int], visitor: Callable[[], Visitor]) -> None:
    order = "item-0:person > item-0:two > item-0:one"
    study(**PARTS, flow={"practice": {"trials": [{"item": "item-0", "expect": {"order": order}}]}})
    anna = visitor()
    page = anna.begin()
    read = shown(page)
    answered = anna.post("/s/study/practice/1", data=form("1", "2", "3"))
    names = {source: f"Response {'ABC'[place]}" for place, source in enumerate(read)}
    right = " &gt; ".join(names[source] for source in ("person", "two", "one"))
    assert right in answered.text
    assert "Response A &gt; Response B &gt; Response C" in answered.text
