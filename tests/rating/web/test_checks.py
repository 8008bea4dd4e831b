"""Checks: questions about the instructions until they are answered correctly, and an attention check between trials."""

from collections.abc import Callable, Sequence
from typing import Any

from sqlalchemy import Engine, text

from app.base.database.engine import transactions
from app.rating.simulation.simulate import simulate
from app.studies.data.stored_ratings import study_checks
from tests.kit.database import rows
from tests.kit.rater_pages import FULL, Visitor, form_address, heading

FOUR = {"a": "Never", "b": "Rarely", "c": "Often", "d": "Always"}
LOOK = {"key": "look", "text": "To show that you read this, please choose Often.", "codes": FOUR, "correct": "c"}
TASK: dict[str, Any] = {
    "key": "task",
    "text": "What do you judge?",
    "codes": {"p": "The person", "r": "The reply"},
    "correct": "r",
    "explanation": "Judge the reply, whatever you think of the person.",
}
WHEN = {
    "key": "when",
    "text": "How long have you got?",
    "codes": {"l": "As long as I like", "m": "A minute"},
    "correct": "l",
}
BETWEEN = "A quick question"
CLEAR = "Check your understanding"


def checks(engine: Engine) -> Sequence[Any]:
    return rows(engine, "SELECT detail ->> 'check', detail -> 'is_passed' FROM events WHERE kind = 'check' ORDER BY id")


def test_attention_check_follows_its_trial_and_rejects_no_one(
    engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    study_id = study(checks={"attention": [{**LOOK, "after": 2}]}, n_items=3)
    anna = visitor()
    page = anna.rate(anna.begin())
    assert heading(page) == "Item 2 of 3"
    page = anna.rate(page)
    assert (heading(page), page.url.path) == (BETWEEN, "/s/study/attention")
    assert heading(anna.get("/s/study/rate")) == BETWEEN
    assert heading(anna.get("/s/study/done")) == BETWEEN
    page = anna.post("/s/study/attention", data={"check": "look", "c1": "a"})
    assert heading(page) == "Item 3 of 3"
    assert heading(anna.get("/s/study/attention")) == "Item 3 of 3"
    assert heading(anna.rate(page)) == "You have finished. Thank you."
    assert checks(engine) == [("look", False)]
    with engine.connect() as db:
        found = study_checks(db, study_id)
    assert found is not None
    assert found[["check", "is_passed"]].to_numpy().tolist() == [["look", False]]
    assert rows(engine, "SELECT count(*) FROM ratings WHERE question = 'look'") == [(0,)]


def test_attention_checks_precede_break_and_end(study: Callable[..., int], visitor: Callable[[], Visitor]) -> None:
    both = [{**LOOK, "after": 1}, {**LOOK, "key": "again", "after": 3}]
    study(checks={"attention": both}, n_items=3, design={"blocks": {"size": 1}})
    anna = visitor()
    page = anna.rate(anna.begin())
    assert heading(page) == BETWEEN
    page = anna.post("/s/study/attention", data={"check": "look", "c1": "c"})
    assert heading(page) == "Time for a break"
    page = anna.rate(anna.rate(anna.get("/s/study/rate")))
    assert heading(page) == BETWEEN
    page = anna.post("/s/study/attention", data={"check": "again", "c1": "c"})
    assert heading(page) == "You have finished. Thank you."


def test_skipped_trial_counts_towards_attention_check_position(
    study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    study(checks={"attention": [{**LOOK, "after": 1}]}, flow={"skip_reasons": ["I know the person"]})
    anna = visitor()
    address = f"{form_address(anna.begin())}/skip"
    assert heading(anna.post(address, data={"reason": "I know the person"})) == BETWEEN


def test_imported_checks_count_as_first_attempt(
    engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    study(checks={"comprehension": [TASK]})
    anna = visitor()
    anna.begin()
    loaded = """
        INSERT INTO events (study_id, rater_id, kind, detail)
        SELECT study_id, id, 'check', '{"check": "task", "is_passed": false}' FROM raters
    """
    with engine.begin() as db:
        db.execute(text(loaded))
    assert "Some answers are not correct yet." in anna.get("/s/study/comprehension").text


def test_repeated_or_forged_attention_check_counts_once(
    engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    study(checks={"attention": [{**LOOK, "after": 1}]})
    anna = visitor()
    page = anna.begin()
    assert heading(anna.post("/s/study/attention", data={"check": "look", "c1": "c"})) == "Item 1 of 3"
    anna.rate(page)
    assert anna.post("/s/study/attention", data={"check": "look"}).status_code == 422
    wrong = anna.post("/s/study/attention", data={"check": "look", "c1": "z"})
    assert wrong.status_code == 422
    assert "Choose one of the answers." in wrong.text
    assert heading(anna.post("/s/study/attention", data={"check": "other", "c1": "c"})) == BETWEEN
    assert checks(engine) == []
    for code in ("c", "a"):
        assert heading(anna.post("/s/study/attention", data={"check": "look", "c1": code})) == "Item 2 of 3"
    assert checks(engine) == [("look", True)]


def test_study_without_attention_checks_sends_no_extra_statement(
    study: Callable[..., int], visitor: Callable[[], Visitor], statements: Callable[[], Any]
) -> None:
    study()
    anna = visitor()
    page = anna.begin()
    with statements() as sent:
        anna.rate(page)
    assert not [statement for statement in sent if "kind = 'check'" in statement]


def test_failed_comprehension_check_explains_and_allows_retry(
    engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    study(checks={"comprehension": [TASK, WHEN]}, instructions="Judge the **reply**.")
    anna = visitor()
    page = anna.begin()
    assert heading(page) == CLEAR
    assert TASK["explanation"] not in page.text
    assert "<strong>reply</strong>" in page.text
    page = anna.post("/s/study/comprehension/1", data={"c1": "p", "c2": "l"})
    assert "Some answers are not correct yet." in page.text
    assert TASK["explanation"] in page.text
    assert "How long have you got?" not in page.text
    page = anna.post("/s/study/comprehension/2", data={"c1": "r"})
    assert heading(page) == "Item 1 of 3"
    assert checks(engine) == [("task", False), ("when", True), ("task", True)]
    step = "SELECT detail -> 'n_attempts', detail -> 'is_passed' FROM steps WHERE step = 'comprehension'"
    assert rows(engine, step) == [(2, True)]


def test_last_comprehension_attempt_shows_correct_answers(
    engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    study(checks={"comprehension": [TASK], "comprehension_attempts": 2})
    anna = visitor()
    anna.begin()
    anna.post("/s/study/comprehension/1", data={"c1": "p"})
    page = anna.post("/s/study/comprehension/2", data={"c1": "p"})
    assert heading(page) == "The correct answers"
    assert "The reply" in page.text
    assert heading(anna.get("/s/study/rate")) == "The correct answers"
    assert heading(anna.post("/s/study/comprehension/3")) == "Item 1 of 3"
    assert rows(engine, "SELECT state FROM rating_sessions") == [("active",)]
    assert checks(engine) == [("task", False), ("task", False)]


def test_comprehension_check_submitted_twice_is_one_attempt(
    engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    study(checks={"comprehension": [TASK]})
    anna = visitor()
    anna.begin()
    assert anna.post("/s/study/comprehension/1").status_code == 422
    assert anna.post("/s/study/comprehension/1", data={"c1": "q"}).status_code == 422
    assert heading(anna.post("/s/study/comprehension/7", data={"c1": "r"})) == CLEAR
    assert checks(engine) == []
    for _ in range(2):
        assert "Some answers are not correct yet." in anna.post("/s/study/comprehension/1", data={"c1": "p"}).text
    assert checks(engine) == [("task", False)]
    anna.post("/s/study/comprehension/2", data={"c1": "r"})
    assert heading(anna.post("/s/study/comprehension/2", data={"c1": "r"})) == "Item 1 of 3"
    assert checks(engine) == [("task", False), ("task", True)]
    assert anna.rate(anna.get("/s/study/rate"), FULL).status_code == 200


def test_simulated_raters_pass_checks(engine: Engine, study: Callable[..., int]) -> None:
    study(checks={"comprehension": [TASK], "attention": [{**LOOK, "after": 1}]})
    assert simulate(transactions(engine), "study", 3, seed=5).n_finished == 3
    assert sorted(checks(engine)) == [("look", True)] * 3 + [("task", True)] * 3
