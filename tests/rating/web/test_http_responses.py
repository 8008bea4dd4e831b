"""Answers: saved while rating, changed, submitted twice, incomplete."""

import uuid
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from sqlalchemy import Engine, text

from tests.kit.builder import EMPATHY, PREFERENCE
from tests.kit.database import rows
from tests.kit.rater_pages import FULL, Visitor, form_address, heading, n_checked

K1, K2 = (str(uuid.UUID(int=n)) for n in (1, 2))


def save(visitor: Visitor, page: Any, fields: Mapping[str, Any]) -> Any:  # noqa: ANN401
    return visitor.post(f"{form_address(page)}/save", json=fields)


def test_incomplete_page_keeps_answers_and_lists_missing_ones(
    engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    study()
    anna = visitor()
    page = anna.rate(anna.begin(), {"q0": "right", "q1r0": "3"})
    assert page.status_code == 422
    assert "<title>Error: Item 1 of 3" in page.text
    assert 'href="#q1r1-1"' in page.text
    assert 'id="q1r1-error"' in page.text
    assert n_checked(page) == 2
    assert heading(page) == "Item 1 of 3"
    assert rows(engine, "SELECT count(*) FROM ratings")[0][0] == 0


def test_value_off_scale_is_rejected_with_message(study: Callable[..., int], visitor: Callable[[], Visitor]) -> None:
    study()
    anna = visitor()
    page = anna.rate(anna.begin(), {**FULL, "q1r0": "6"})
    assert page.status_code == 422
    assert "Choose one of the points of the scale." in page.text


def test_saved_answer_survives_reload_and_counts_on_submit(
    engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    study(n_items=1)
    anna = visitor()
    page = anna.begin()
    answer = save(anna, page, {"slot": "q1r0", "q1r0": "3", "q1r0.key": K1})
    assert answer.json() == {"saved": ["q1r0"], "older": [], "refused": {}}
    again = anna.get("/s/study/rate")
    assert n_checked(again) == 1
    assert rows(engine, "SELECT number, exclude FROM ratings") == [(3.0, "not submitted")]
    assert rows(engine, "SELECT first_action_at IS NOT NULL FROM assignments") == [(True,)]
    anna.rate(again, {**FULL, "q1r0": "3"})
    assert rows(engine, "SELECT count(*) FROM ratings WHERE exclude IS NULL") == [(3,)]
    assert rows(engine, "SELECT count(*) FROM rating_history") == [(0,)]


def test_changed_answer_replaces_first_and_keeps_history(
    engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    study(n_items=2)
    anna = visitor()
    page = anna.begin()
    anna.rate(page)
    back = anna.get(form_address(page))
    assert heading(back) == "Item 1 of 2"
    assert n_checked(back) == 3
    following = anna.rate(back, {**FULL, "q0": "right"})
    assert heading(following) == "Item 2 of 2"
    chosen = """
        SELECT r.outcome, r.side, h.side, h.rated_at < r.rated_at
        FROM ratings r JOIN rating_history h ON h.rating_id = r.id
    """
    assert rows(engine, chosen) == [("response", "right", "left", True)]
    assert rows(engine, "SELECT count(*) FROM ratings") == [(3,)]


def test_second_submit_changes_nothing(
    engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    study(n_items=2)
    anna = visitor()
    page = anna.begin()
    assert heading(anna.rate(page)) == heading(anna.rate(page)) == "Item 2 of 2"
    assert rows(engine, "SELECT count(*) FROM ratings") == [(3,)]
    assert rows(engine, "SELECT count(*) FROM rating_history") == [(0,)]


def test_replayed_save_does_not_undo_later_answer(
    engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    study()
    anna = visitor()
    page = anna.begin()
    save(anna, page, {"slot": "q1r0", "q1r0": "3", "q1r0.key": K1})
    save(anna, page, {"slot": "q1r0", "q1r0": "5", "q1r0.key": K2})
    assert save(anna, page, {"slot": "q1r0", "q1r0": "3", "q1r0.key": K1}).status_code == 200
    assert rows(engine, "SELECT number, idempotency_key::text FROM ratings") == [(5.0, K2)]
    assert rows(engine, "SELECT number, idempotency_key::text FROM rating_history") == [(3.0, K1)]


def test_cleared_text_is_kept_in_history(
    engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    study(questions=[{"key": "why", "target": "item", "type": "text", "text": "Why?"}], design={"trials": "dialogue"})
    anna = visitor()
    page = anna.begin()
    save(anna, page, {"slot": "q0", "q0": ""})
    assert rows(engine, "SELECT count(*) FROM ratings") == [(0,)]
    save(anna, page, {"slot": "q0", "q0": "because"})
    save(anna, page, {"slot": "q0", "q0": ""})
    assert rows(engine, "SELECT r.text, h.text FROM ratings r JOIN rating_history h ON h.rating_id = r.id") == [
        ("", "because")
    ]


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({"slot": "q9", "q9": "1"}, 422),
        ({"slot": "q1r0", "q1r0": "9"}, 422),
        ({"slot": "q1r0", "q1r0": "3", "q1r0.key": "no uuid"}, 422),
        ({"slot": "q1r0"}, 200),
    ],
)
def test_invalid_save_is_rejected_and_not_stored(
    engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor], fields: dict[str, str], status: int
) -> None:
    study()
    anna = visitor()
    assert save(anna, anna.begin(), fields).status_code == status
    assert rows(engine, "SELECT count(*) FROM ratings") == [(0,)]


def test_answers_are_locked_after_completion(
    engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    study(n_items=1)
    anna = visitor()
    page = anna.begin()
    anna.rate(page)
    assert save(anna, page, {"slot": "q0", "q0": "right"}).status_code == 409
    assert heading(anna.rate(page, {**FULL, "q0": "right"})) == "You have finished. Thank you."
    assert rows(engine, "SELECT side FROM ratings WHERE question = 'preference'") == [("left",)]


def test_hidden_tab_time_is_excluded_from_active_time(
    engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    study(n_items=3)
    anna = visitor()
    page = anna.begin()
    with engine.begin() as db:
        db.execute(text("UPDATE assignments SET served_at = now() - interval '60 s' WHERE state = 'leased'"))
    page = anna.rate(page, {**FULL, "hidden_ms": "50000"})
    page = anna.rate(page, {**FULL, "hidden_ms": "99999999"})
    anna.rate(page, {**FULL, "hidden_ms": "-5"})
    active = [row[0] for row in rows(engine, "SELECT active_ms FROM assignments ORDER BY position")]
    assert 10_000 <= active[0] < 15_000
    assert active[1] == 0
    assert 0 <= active[2] < 5000
    same = "SELECT DISTINCT r.active_ms = a.active_ms FROM ratings r JOIN assignments a ON a.id = r.assignment_id"
    assert rows(engine, same) == [(True,)]


def test_special_answers_strength_and_comment_are_stored(
    engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    choice = {**PREFERENCE, "neither": True, "strength": True, "comment": True}
    study(n_items=3, questions=[choice, {**EMPATHY, "cannot_judge": True}])
    anna = visitor()
    page = anna.rate(anna.begin(), {"q0": "tie", "q1r0": "cannot_judge", "q1r1": "2", "q0.comment": "both cold"})
    page = anna.rate(page, {"q0": "neither", "q1r0": "1", "q1r1": "2"})
    anna.rate(page, {"q0": "right", "q0.strength": "2", "q1r0": "1", "q1r1": "2"})
    choices = "SELECT outcome, strength, comment, side FROM ratings WHERE question = 'preference' ORDER BY position"
    stored = rows(engine, choices)
    assert stored == [("tie", None, "both cold", None), ("neither", None, None, None), ("response", 2.0, None, "right")]
    assert rows(engine, "SELECT outcome, number FROM ratings WHERE outcome = 'cannot_judge'") == [
        ("cannot_judge", None)
    ]


def test_cross_site_form_is_refused(engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor]) -> None:
    study()
    anna = visitor()
    page = anna.begin()
    refused = anna.post(form_address(page), data=FULL, headers={"Origin": "https://elsewhere.example"})
    assert refused.status_code == 403
    assert rows(engine, "SELECT count(*) FROM ratings") == [(0,)]
