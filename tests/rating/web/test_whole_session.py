"""A rater's whole path, without scripts."""

from collections.abc import Callable
from typing import Any

from sqlalchemy import Engine, text

from tests.kit.rater_pages import FULL, Visitor, form_address, heading

COMPLETION = {"code": "C0DE42"}


def test_three_pairs_lead_from_arrival_to_completion_code(
    engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    study(completion=COMPLETION)
    anna = visitor()
    page = anna.begin()
    seen = [heading(page)]
    for _ in range(3):
        assert "C0DE42" not in page.text
        page = anna.rate(page)
        seen.append(heading(page))
    assert seen == ["Item 1 of 3", "Item 2 of 3", "Item 3 of 3", "You have finished. Thank you."]
    assert "https://app.prolific.com/submissions/complete?cc=C0DE42" in page.text
    with engine.connect() as db:
        states = db.execute(text("SELECT state, count(*) FROM assignments GROUP BY state")).all()
        assert [tuple(row) for row in states] == [("done", 3)]
        assert db.execute(text("SELECT count(*) FROM ratings WHERE exclude IS NULL")).scalar() == 9
        assert db.execute(text("SELECT state FROM rating_sessions")).scalar() == "finished"


def test_answer_stores_response_side_position_and_times(
    engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    study(n_items=1)
    anna = visitor()
    anna.rate(anna.begin(), {**FULL, "hidden_ms": "0"})
    with engine.connect() as db:
        rows = db.execute(text("SELECT * FROM ratings ORDER BY question, side")).mappings().all()
        assignment = db.execute(text("SELECT * FROM assignments")).mappings().one()
    left, right = assignment["response_ids"]
    for row in rows:
        assert (row["left_response_id"], row["right_response_id"]) == (left, right)
        assert (row["position"], row["assignment_id"], row["repeat"]) == (1, assignment["id"], 0)
        assert row["served_at"] == assignment["served_at"] <= row["rated_at"]
        assert row["active_ms"] == assignment["active_ms"] >= 0
    empathy_left, empathy_right, preference = rows
    assert (empathy_left["response_id"], empathy_left["number"], empathy_left["side"]) == (left, 4, "left")
    assert (empathy_right["response_id"], empathy_right["number"], empathy_right["side"]) == (right, 2, "right")
    assert (preference["outcome"], preference["chosen_response_id"], preference["side"]) == ("response", left, "left")


def test_submit_uses_at_most_three_statements(
    study: Callable[..., int], visitor: Callable[[], Visitor], statements: Callable[[], Any]
) -> None:
    study(n_items=4)
    anna = visitor()
    page = anna.rate(anna.begin())
    with statements() as seen:
        answer = anna.post(form_address(page), data=FULL, headers={"HX-Request": "true"})
    assert heading(answer) == "Item 3 of 4"
    assert len(seen) <= 3, seen
    with statements() as seen:
        anna.post(f"{form_address(page)}/save", data={"slot": "q0", "q0": "right"})
    assert len(seen) <= 2, seen


def test_same_id_on_another_device_resumes_at_same_item(
    study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    study(n_items=5)
    phone, laptop = visitor(), visitor()
    page = phone.rate(phone.begin())
    again = laptop.arrive()
    assert heading(again) == "Item 2 of 5"
    assert form_address(again) == form_address(page)
    assert heading(laptop.rate(again)) == "Item 3 of 5"
    assert heading(phone.get("/s/study/rate")) == "Item 3 of 5"
