"""Questions about the rater that depend on earlier answers, without scripts: the server decides when a page is sent."""

from collections.abc import Callable
from typing import Any

from sqlalchemy import Engine, text

from app.base.database.engine import transactions
from app.rating.simulation.simulate import simulate
from tests.kit.builder import EMPATHY, PREFERENCE
from tests.kit.rater_pages import Visitor, heading

USES = {"key": "uses", "target": "rater", "type": "category", "text": "Do you use it?", "codes": ["yes", "no"]}
WHY = {"key": "why", "target": "rater", "type": "text", "text": "What for?", "required": False}
WHY_NOT = {**WHY, "key": "why_not", "text": "Why not?"}
QUESTIONS: list[dict[str, Any]] = [
    PREFERENCE,
    EMPATHY,
    USES,
    {**WHY, "show_if": {"question": "uses", "equals": "yes"}},
    {**WHY_NOT, "show_if": {"question": "uses", "equals": "no"}},
]
PAGES: dict[str, Any] = {"before": [{"title": "Use", "questions": ["uses", "why"]}, {"questions": ["why_not"]}]}
PAGE = "/s/study/questions/before-1"


def answers(engine: Engine) -> dict[str, str]:
    with engine.connect() as db:
        found = db.execute(text("SELECT question, coalesce(text, codes[1]) FROM ratings WHERE item_id IS NULL"))
        return {row[0]: row[1] for row in found}


def test_question_that_follows_is_asked_when_the_page_is_sent(
    engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    study(n_items=1, questions=QUESTIONS, flow=PAGES)
    anna = visitor()
    page = anna.arrive()
    assert page.text.count("hidden disabled") == 1
    assert "follows.js" in page.text
    page = anna.post(PAGE, data={"q2": "yes"})
    assert (page.status_code, page.text.count("hidden disabled")) == (422, 0)
    assert "it follows from your answers" in page.text
    page = anna.post(PAGE, data={"q2": "yes", "asked": "q3", "q3": "Work"})
    assert heading(page) == "A study"
    assert answers(engine) == {"uses": "yes", "why": "Work"}


def test_answers_of_hidden_questions_are_not_stored_and_the_other_page_asks(
    engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    study(n_items=1, questions=QUESTIONS, flow=PAGES)
    anna = visitor()
    anna.arrive()
    anna.post(f"{PAGE}/save", data={"slot": ["q2", "q3"], "q2": "yes", "q3": "Work"})
    assert answers(engine) == {"uses": "yes", "why": "Work"}
    anna.post(f"{PAGE}/save", data={"slot": ["q2"], "q2": "no"})
    assert answers(engine) == {"uses": "no"}
    page = anna.post(PAGE, data={"q2": "no", "asked": "q3", "q3": "Work"})
    assert page.url.path == "/s/study/questions/before-2"
    assert "Why not?" in page.text
    assert answers(engine) == {"uses": "no"}


def test_simulated_raters_answer_only_what_they_are_asked(engine: Engine, study: Callable[..., int]) -> None:
    chosen = [{**question, "type": "category", "codes": ["a", "b"]} for question in QUESTIONS[3:]]
    study(n_items=1, questions=[*QUESTIONS[:3], *chosen], flow=PAGES, design={"raters_per_trial": 8})
    simulate(transactions(engine), "study", n_raters=8, seed=3)
    given = "SELECT string_agg(question, ' ' ORDER BY question) FROM ratings WHERE item_id IS NULL GROUP BY rater_id"
    with engine.connect() as db:
        found = list(db.execute(text(given)).scalars())
    assert len(found) == 8
    assert set(found) <= {"uses why", "uses why_not", "uses"}
    assert set(found) & {"uses why", "uses why_not"}
