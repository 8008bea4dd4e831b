"""Several answers in one save: valid and invalid ones together, in any order of arrival."""

import time
import uuid
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from fastapi import FastAPI
from sqlalchemy import Engine, text

from app.rating.life_cycle import pause_study
from tests.kit.database import rows
from tests.kit.rater_pages import FULL, Visitor, form_address, heading

K1, K2, K3 = (str(uuid.UUID(int=n)) for n in (1, 2, 3))
NUMBERS = "SELECT number FROM ratings WHERE number IS NOT NULL ORDER BY side"


def save(visitor: Visitor, page: Any, fields: Mapping[str, Any]) -> Any:  # noqa: ANN401
    return visitor.post(f"{form_address(page)}/save", json=fields)


def ms(seconds_ago: float = 0) -> str:
    return str(int((time.time() - seconds_ago) * 1000))


def served_an_hour_ago(engine: Engine) -> None:
    with engine.begin() as db:
        db.execute(text("UPDATE assignments SET served_at = now() - interval '1 hour' WHERE served_at IS NOT NULL"))


def test_valid_answers_are_stored_and_invalid_ones_named(
    engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    study()
    anna = visitor()
    page = anna.begin()
    answer = save(
        anna,
        page,
        {
            "slot": ["q0", "q9", "q1r0", "q1r1"],
            "q0": "left",
            "q9": "1",
            "q1r0": "4",
            "q1r1": "77",
            "q0.key": K1,
            "q1r0.key": K2,
            "q1r1.key": K3,
        },
    )
    assert answer.status_code == 200
    assert answer.json() == {
        "saved": ["q0", "q1r0"],
        "older": [],
        "refused": {
            "q9": "This page has no such question.",
            "q1r1": "Choose one of the points of the scale.",
        },
    }
    assert rows(engine, "SELECT question, idempotency_key::text FROM ratings ORDER BY 2") == [
        ("preference", K1),
        ("empathy", K2),
    ]


def test_save_without_any_valid_answer_names_the_reason_of_each(
    study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    study()
    anna = visitor()
    answer = save(anna, anna.begin(), {"slot": ["q1r0", "q9"], "q1r0": "77"})
    reasons = {"q1r0": "Choose one of the points of the scale.", "q9": "This page has no such question."}
    assert (answer.status_code, answer.json()["refused"]) == (422, reasons)


def test_saving_many_answers_takes_as_many_statements_as_one(
    study: Callable[..., int], visitor: Callable[[], Visitor], statements: Callable[[], Any]
) -> None:
    study()
    anna = visitor()
    page = anna.begin()
    save(anna, page, {"slot": "q0", "q0": "right"})
    with statements() as for_one:
        save(anna, page, {"slot": "q0", "q0": "left"})
    with statements() as for_three:
        save(anna, page, {"slot": ["q0", "q1r0", "q1r1"], **FULL})
    assert (len(for_one), len(for_three)) == (2, 2)  # what is known of the page, and the save


def test_each_answer_stores_its_own_time(
    engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    study()
    anna = visitor()
    page = anna.begin()
    served_an_hour_ago(engine)
    fields = {"slot": ["q0", "q1r0", "q1r1"], **FULL, "q0.at": ms(60), "q1r0.at": ms(7200), "q1r1.at": ms(-900)}
    save(anna, page, fields)
    ago = "SELECT round(extract(epoch FROM now() - rated_at) / 60) FROM ratings ORDER BY rated_at"
    assert [int(row[0]) for row in rows(engine, ago)] == [60, 1, 0]


def test_later_answer_wins_in_any_arrival_order(
    engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    study()
    anna = visitor()
    page = anna.begin()
    served_an_hour_ago(engine)
    save(anna, page, {"slot": "q1r0", "q1r0": "5", "q1r0.key": K2, "q1r0.at": ms(10)})
    late = save(anna, page, {"slot": "q1r0", "q1r0": "1", "q1r0.key": K1, "q1r0.at": ms(20)})
    assert late.json() == {"saved": [], "older": ["q1r0"], "refused": {}}
    assert rows(engine, NUMBERS) == [(5.0,)]
    save(anna, page, {"slot": "q1r0", "q1r0": "2", "q1r0.key": K3, "q1r0.at": ms(5)})
    assert rows(engine, NUMBERS) == [(2.0,)]


def test_save_older_than_submission_is_ignored(
    engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    study()
    anna = visitor()
    page = anna.begin()
    served_an_hour_ago(engine)
    anna.rate(page)
    late = save(anna, page, {"slot": ["q0", "q1r0"], "q0": "right", "q1r0": "1", "q0.at": ms(9), "q1r0.at": ms(9)})
    assert late.json()["older"] == ["q0", "q1r0"]
    assert rows(engine, "SELECT side, number FROM ratings ORDER BY number NULLS FIRST") == [
        ("left", None),
        ("right", 2.0),
        ("left", 4.0),
    ]
    changed = save(anna, page, {"slot": "q1r0", "q1r0": "1", "q1r0.at": ms(-5)})
    assert changed.json()["saved"] == ["q1r0"]


def test_answer_changed_after_the_clock_was_set_back_is_saved(
    engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    study()
    anna = visitor()
    page = anna.begin()
    save(anna, page, {"slot": "q1r0", "q1r0": "1", "q1r0.at": ms()})
    with engine.begin() as db:
        for table, column in (("assignments", "served_at"), ("ratings", "rated_at")):
            db.execute(text(f"UPDATE {table} SET {column} = now() + interval '2 hours' WHERE {column} IS NOT NULL"))  # noqa: S608 - constants
    answer = save(anna, page, {"slot": "q1r0", "q1r0": "4", "q1r0.at": ms()})
    assert (answer.json()["saved"], answer.json()["older"]) == (["q1r0"], [])
    assert rows(engine, NUMBERS) == [(4.0,)]


def test_answer_in_both_submit_and_late_save_counts_once(
    engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    study()
    anna = visitor()
    page = anna.begin()
    served_an_hour_ago(engine)
    own = {"q1r0.key": K1, "q1r0.at": ms(30)}
    assert heading(anna.rate(page, {**FULL, **own})) == "Item 2 of 3"
    assert save(anna, page, {"slot": "q1r0", "q1r0": "4", **own}).json()["saved"] == ["q1r0"]
    assert rows(engine, "SELECT count(*) FROM rating_history") == [(0,)]
    stored = "SELECT round(extract(epoch FROM now() - rated_at) / 30) FROM ratings WHERE idempotency_key IS NOT NULL"
    assert [int(row[0]) for row in rows(engine, stored)] == [1]


def test_invalid_answer_time_is_ignored(
    engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    study()
    anna = visitor()
    page = anna.begin()
    for value, at in (("1", "-1"), ("2", "9" * 400), ("3", "soon"), ("4", "9999999999999")):
        assert save(anna, page, {"slot": "q1r0", "q1r0": value, "q1r0.at": at}).status_code == 200
    assert rows(engine, NUMBERS) == [(4.0,)]


def test_a_hundred_saves_in_a_row_end_with_the_last(
    engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    study()
    anna = visitor()
    page = anna.begin()
    served_an_hour_ago(engine)
    for n in range(100):
        save(anna, page, {"slot": "q1r0", "q1r0": str(n % 5 + 1), "q1r0.key": str(uuid.uuid4()), "q1r0.at": ms()})
    assert rows(engine, NUMBERS) == [(5.0,)]
    assert rows(engine, "SELECT count(*) FROM rating_history") == [(99,)]


def test_rater_can_submit_after_study_is_paused(
    engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    study(n_items=1)
    anna = visitor()
    page = anna.begin()
    save(anna, page, {"slot": "q0", "q0": "left"})
    with engine.begin() as db:
        pause_study(db, "study")
    assert save(anna, page, {"slot": "q1r0", "q1r0": "4"}).status_code == 200
    assert heading(anna.rate(page, {**FULL, "at": ms()})) == "You have finished. Thank you."


def test_exclusive_code_cannot_be_combined(
    engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    does = {
        "key": "does",
        "target": "item",
        "type": "category",
        "text": "What does it do?",
        "multiple": True,
        "codes": {"asks": "Asks", "none": "None of these"},
        "exclusive": ["none"],
    }
    study(questions=[does], design={"trials": "dialogue"})
    anna = visitor()
    page = anna.rate(anna.begin(), {"q0": ["asks", "none"]})
    assert page.status_code == 422
    assert "“None of these” cannot be combined with other answers." in page.text
    assert heading(anna.rate(page, {"q0": ["none"]})) == "Item 2 of 3"


def test_save_does_not_wait_for_other_pages(
    app: FastAPI, study: Callable[..., int], visitor: Callable[[], Visitor], monkeypatch: pytest.MonkeyPatch
) -> None:
    study()
    anna = visitor()
    page = anna.begin()
    monkeypatch.setattr(app.state.turns, "_value", 0)
    assert save(anna, page, {"slot": ["q0"], "q0": "left", "q0.key": K1, "q0.at": ms()}).json()["saved"] == ["q0"]
