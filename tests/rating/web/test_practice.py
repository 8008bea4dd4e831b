"""Practice: a page, feedback, another attempt, and the outcome; none of it is a rating."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import Engine

from app.base.database.engine import transactions
from app.rating.life_cycle import OpeningError
from app.rating.simulation.simulate import simulate
from app.studies.coverage import get_coverage
from app.studies.export import study_events, study_folder
from tests.kit.builder import EMPATHY, PREFERENCE
from tests.kit.database import rows
from tests.kit.rater_pages import FULL, Visitor, heading

TEXTS = [{"key": key} for key in ("item-0", "item-1", "try-1", "try-2")]
TRIALS = [
    {"item": "try-1", "expect": {"preference": "try-1:model"}, "feedback": "The model **names** the feeling."},
    {"item": "try-2", "responses": ["try-2:person"], "expect": {"empathy": [4, 5]}},
]
PRACTICE = {"trials": TRIALS, "text": "Two to practise.", "pass_share": 1, "attempts": 2, "on_fail": "end"}
CODES = {"code": "D0NE", "otherwise": {"failed_checks": {"code": "FA1L", "text": "Thank you for trying."}}}


@pytest.fixture
def opened(study: Callable[..., int]) -> Callable[..., int]:
    """Open the study with its practice, changed by the arguments."""

    def make(**change: object) -> int:
        flow = {"practice": {**PRACTICE, **change}}
        return study(texts=TEXTS, flow=flow, completion=CODES, design={"trials": "pairs"})

    return make


def side_of(page: Any, response: str) -> str:  # noqa: ANN401 - httpx's response
    """The side on which the page shows the response of a source."""
    return "left" if page.text.index(f"{response} on") < page.text.index(f"{other(response)} on") else "right"


def other(source: str) -> str:
    return {"model": "person", "person": "model"}[source]


def choose(visitor: Visitor, page: Any, source: str, number: int = 1) -> Any:  # noqa: ANN401
    return visitor.post(f"/s/study/practice/{number}", data={**FULL, "q0": side_of(page, source)})


def test_passed_practice_leads_to_trials_and_stores_no_ratings(
    engine: Engine, opened: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    study_id = opened()
    anna = visitor()
    page = anna.begin()
    assert (page.url.path, heading(page)) == ("/s/study/practice", "Practice 1 of 2")
    assert "Two to practise." in page.text
    page = choose(anna, page, "model")
    assert heading(page) == "Practice 1 of 2: feedback"
    assert "Matches our answer." in page.text
    assert "<strong>names</strong>" in page.text
    assert "model on try-1" in page.text
    page = anna.get("/s/study/rate")
    assert heading(page) == "Practice 2 of 2"
    assert "Two to practise." not in page.text
    page = anna.post("/s/study/practice/2", data={"q1r0": "4"})
    assert "2 of 2 practice answers match ours." in page.text
    assert heading(anna.get("/s/study/rate")) == "Item 1 of 2"
    assert rows(engine, "SELECT count(*) FROM ratings") == [(0,)]
    with engine.connect() as db:
        assert not len(study_folder(db, study_id).ratings)
        events = study_events(db, study_id)
    trials = list(events.loc[events["kind"] == "practice_trial", "detail"])
    assert [trial["answers"] for trial in trials] == [
        {"preference": ["try-1:model"], "empathy": trials[0]["answers"]["empathy"]},
        {"empathy": ["4"]},
    ]
    (step,) = events.loc[events["kind"] == "practice", "detail"]
    assert step == {"outcome": "passed", "n_attempts": 1}


def test_rater_failing_practice_twice_gets_its_code(
    engine: Engine, opened: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    study_id = opened()
    anna = visitor()
    anna.begin()
    for attempt, first in ((1, 1), (2, 3)):
        page = choose(anna, anna.get("/s/study/rate"), "person", first)
        assert "Differs from our answer." in page.text
        page = anna.post(f"/s/study/practice/{first + 1}", data={"q1r0": "1"})
        words = "Please try the practice again." if attempt == 1 else "This is not enough to take part."
        assert words in page.text
        assert ("FA1L" in page.text) is False
    page = anna.get("/s/study/rate")
    assert page.url.path == "/s/study/ended"
    assert "FA1L" in page.text
    assert "Thank you for trying." in page.text
    assert "D0NE" not in page.text
    assert rows(engine, "SELECT state FROM rating_sessions") == [("failed_checks",)]
    assert rows(engine, "SELECT count(*) FROM assignments") == [(0,)]
    assert rows(engine, "SELECT count(*) FROM seats WHERE assignment_id IS NOT NULL") == [(0,)]
    with engine.connect() as db:
        assert get_coverage(db, study_id).rating_sessions.n_failed_checks == 1
    again = anna.arrive()
    assert again.url.path == "/s/study/ended"


def test_failed_practice_may_continue(opened: Callable[..., int], visitor: Callable[[], Visitor]) -> None:
    opened(on_fail="go_on", attempts=1, trials=TRIALS[1:])
    anna = visitor()
    anna.begin()
    page = anna.post("/s/study/practice/1", data={"q1r0": "1"})
    assert "0 of 1 practice answer matches ours." in page.text
    assert "From now on, your answers count." in page.text
    assert heading(anna.get("/s/study/rate")) == "Item 1 of 3"


def test_page_promises_what_was_expected_only_where_something_is(
    opened: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    opened(trials=[TRIALS[0], {"item": "try-2"}], pass_share=0)
    anna = visitor()
    promise = "You will see afterwards what was expected."
    first = anna.begin()
    assert promise in first.text
    choose(anna, first, "model")
    second = anna.get("/s/study/practice")
    assert "your answers here do not count" in second.text
    assert promise not in second.text


def test_feedback_says_which_response_each_answer_is_about(
    opened: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    opened(trials=[{"item": "try-1", "expect": {"empathy": [4, 5]}}])
    anna = visitor()
    anna.begin()
    page = anna.post("/s/study/practice/1", data={**FULL, "q1r0": "2", "q1r1": "4"})
    answers = [re.sub("<[^>]+>", "", row) for row in re.findall("<dd.*?</dd>", page.text, re.DOTALL)]
    given = ["Response A: slightly", "Response B: empathetic"]
    assert answers == [*given, "empathetic", "very empathetic"]


def test_repeated_or_forged_practice_answer_changes_nothing(
    engine: Engine, opened: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    opened()
    anna = visitor()
    page = anna.begin()
    kept = "SELECT count(*) FROM events WHERE kind = 'practice_trial'"
    wrong = anna.post("/s/study/practice/1", data={"q0": "left", "q1r0": "9", "q9": "1"})
    assert wrong.status_code == 422
    assert "Choose one of the points of the scale." in wrong.text
    for number in (2, 99, 0):
        assert heading(anna.post(f"/s/study/practice/{number}", data=FULL)) == "Practice 1 of 2"
    assert rows(engine, kept) == [(0,)]
    first = choose(anna, page, "model")
    assert choose(anna, page, "person").text == first.text
    assert rows(engine, kept) == [(1,)]
    assert anna.get("/s/study/practice/many").status_code in {404, 422}


def test_practice_is_only_available_after_instructions(
    engine: Engine, opened: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    opened(trials=TRIALS[1:])
    anna = visitor()
    anna.arrive()
    assert heading(anna.post("/s/study/practice/1", data={"q1r0": "5"})) == "A study"
    anna.begin()
    anna.post("/s/study/practice/1", data={"q1r0": "5"})
    assert heading(anna.post("/s/study/practice/2", data={"q1r0": "5"})) == "Item 1 of 3"
    assert rows(engine, "SELECT count(*) FROM events") == [(1,)]


def test_simulated_raters_pass_practice(engine: Engine, opened: Callable[..., int]) -> None:
    opened()
    assert simulate(transactions(engine), "study", 3, seed=4).n_finished == 3
    assert rows(engine, "SELECT count(*) FROM events WHERE kind = 'practice_trial'") == [(6,)]
    assert rows(engine, "SELECT count(DISTINCT item_id) FROM ratings") == [(2,)]


@pytest.mark.parametrize(
    ("trial", "words"),
    [
        ({"item": "nowhere"}, "flow.practice.trials.1 names the item nowhere, which is not in items.csv."),
        ({"item": "try-1", "expect": {"empathy": 9}}, "expects 9 for empathy, which allows 1, 2, 3, 4 or 5"),
        ({"item": "try-1", "responses": ["try-1:who"]}, "names responses that try-1 does not have: try-1:who."),
    ],
)
def test_impossible_practice_trial_prevents_opening(
    opened: Callable[..., int], trial: dict[str, object], words: str
) -> None:
    with pytest.raises(OpeningError, match=words.replace(".", r"\.")):
        opened(trials=[trial])


def test_every_question_type_can_be_practised(
    engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    kinds = [
        {**PREFERENCE, "strength": True, "neither": True},
        {
            "key": "does",
            "target": "item",
            "type": "category",
            "text": "Does?",
            "codes": {"a": "Asks", "b": "Tells"},
            "multiple": True,
        },
        {"key": "warm", "target": "item", "type": "slider", "text": "Warm?"},
        EMPATHY,
    ]
    expect = {"preference": ["tie", "neither"], "does": ["a|b"], "warm": [50], "empathy": [1]}
    study(questions=kinds, texts=TEXTS, flow={"practice": {"trials": [{"item": "try-1", "expect": expect}]}})
    anna = visitor()
    anna.begin()
    data = {"q0": "tie", "q1": ["a", "b"], "q2": "49", "q3r0": "1", "q3r1": "1"}
    page = anna.post("/s/study/practice/1", data=data)
    assert "3 of 4 practice answers match ours." in page.text
    assert "About the same" in page.text
    assert "Asks, Tells" in page.text
    ((detail,),) = rows(engine, "SELECT detail FROM events WHERE kind = 'practice_trial'")
    assert detail["answers"] == {"preference": ["tie"], "does": ["a|b"], "warm": ["49"], "empathy": ["1", "1"]}
