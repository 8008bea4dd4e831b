"""Revisits: the questions in `flow.revisit` are asked after the last trial, once more for each trial."""

from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import Engine

from app.base.database.engine import transactions
from app.rating.simulation.simulate import simulate
from tests.kit.builder import EMPATHY
from tests.kit.database import rows
from tests.kit.rater_pages import Visitor, form_address, heading

WHO = {"key": "who", "target": "response", "type": "category", "text": "Who wrote it?", "codes": {"p": "P", "ai": "AI"}}
FLOW = {"revisit": ["who"], "skip_reasons": ["I know the person"], "debrief": {"text": "The truth."}}
LABEL = {"label": {"kind": "shown_label", "levels": [True, "swapped"], "assign": "within"}}
RATED, BELIEVED = {"q0r0": "4"}, {"q1r0": "ai"}


@pytest.fixture
def anna(study: Callable[..., int], visitor: Callable[[], Visitor]) -> Visitor:
    """A rater at the last of three trials, the second of which they skipped."""
    design = {"trials": "single", "same_item": False, "repeats": {"n": 1, "min_distance": 2}}
    study(n_items=3, questions=[EMPATHY, WHO], flow=FLOW, conditions=LABEL, design=design)
    return visitor()


def rate_all(anna: Visitor) -> tuple[Any, int]:
    """Rate everything but the second page, which is skipped; returns the first revisit and the number of revisits."""
    page, number = anna.begin(), 0
    while heading(page).startswith("Item"):
        number += 1
        address = form_address(page)
        if number == 2:
            page = anna.post(f"{address}/skip", data={"reason": "I know the person"})
        else:
            assert "Who wrote it?" not in page.text
            page = anna.rate(page, RATED)
    return page, number


def test_revisit_asks_deferred_questions_for_each_rated_trial(engine: Engine, anna: Visitor) -> None:
    page, _ = rate_all(anna)
    n_rated = rows(engine, "SELECT count(*) FROM assignments WHERE state = 'done' AND repeat = 0")[0][0]
    assert n_rated == 2
    seen = []
    while heading(page).startswith("Looking back"):
        seen.append(heading(page))
        assert "How empathetic is it?" not in page.text
        assert "Skip this item" not in page.text
        assert "Written by" in page.text
        page = anna.rate(page, BELIEVED)
    assert seen == ["Looking back: item 1 of 2", "Looking back: item 2 of 2"]
    assert heading(page) == "What this study was about"
    found = rows(
        engine,
        """
        SELECT q.codes, q.position = e.position, q.shown_label = e.shown_label, q.condition = e.condition,
               q.served_at > e.served_at, q.exclude
        FROM ratings q JOIN ratings e ON e.assignment_id = q.assignment_id AND e.question = 'empathy'
        WHERE q.question = 'who'
    """,
    )
    assert found == [(["ai"], True, True, True, True, None)] * 2


def test_revisit_rejects_ratings_and_reports_missing_answers(engine: Engine, anna: Visitor) -> None:
    page, _ = rate_all(anna)
    before = rows(engine, "SELECT number FROM ratings WHERE question = 'empathy' ORDER BY id")
    wrong = anna.rate(page, {"q0r0": "1"})
    assert wrong.status_code == 422
    assert anna.post(f"{form_address(page)}/save", json={"slot": "q0r0", "q0r0": "1"}).status_code == 422
    assert rows(engine, "SELECT number FROM ratings WHERE question = 'empathy' ORDER BY id") == before


def test_revisit_answer_autosaves_and_can_be_changed(engine: Engine, anna: Visitor) -> None:
    page, _ = rate_all(anna)
    address = form_address(page)
    assert anna.post(f"{address}/save", json={"slot": "q1r0", "q1r0": "p"}).json()["saved"] == ["q1r0"]
    who = "SELECT codes, exclude, active_ms IS NULL FROM ratings WHERE question = 'who' ORDER BY id"
    assert rows(engine, who) == [(["p"], "not submitted", True)]
    again = anna.get("/s/study/rate")
    assert heading(again) == heading(page)
    following = anna.rate(again, BELIEVED)
    assert f'href="{address}"' in following.text
    assert rows(engine, who) == [(["ai"], None, False)]
    again = anna.get(address)
    assert heading(again) == heading(page)
    assert heading(anna.rate(again, {"q1r0": "p"})) == heading(following)
    assert rows(engine, who) == [(["p"], None, False)]


def test_skipped_trials_and_repeats_are_not_revisited(engine: Engine, anna: Visitor) -> None:
    rate_all(anna)
    other = rows(
        engine, "SELECT token FROM assignments WHERE (state = 'skipped' OR repeat > 0) AND state <> 'returned'"
    )
    assert other
    for (token,) in other:
        assert heading(anna.get(f"/s/study/rate/{token}")) == "Looking back: item 1 of 2"
        assert heading(anna.post(f"/s/study/rate/{token}", data=BELIEVED)) == "Looking back: item 1 of 2"


def test_rater_who_skipped_everything_has_no_revisit(study: Callable[..., int], visitor: Callable[[], Visitor]) -> None:
    study(n_items=1, questions=[EMPATHY, WHO], flow=FLOW, design={"trials": "single", "same_item": False})
    anna = visitor()
    page = anna.post(f"{form_address(anna.begin())}/skip", data={"reason": "I know the person"})
    assert heading(page) == "What this study was about"


def test_simulated_raters_complete_revisits(engine: Engine, study: Callable[..., int]) -> None:
    design = {"trials": "single", "same_item": False, "raters_per_trial": 1}
    study(n_items=2, questions=[EMPATHY, WHO], flow=FLOW, conditions=LABEL, design=design)
    simulate(transactions(engine), "study", 2, 7)
    counts = dict(rows(engine, "SELECT question, count(*) FROM ratings GROUP BY question"))
    assert counts["who"] == counts["empathy"] > 0
