"""A dialogue turn by turn: later turns are not on the page, earlier ones stay, and the whole comes last."""

import re
from collections.abc import Callable

from sqlalchemy import Engine, text

from tests.kit.builder import EMPATHY
from tests.kit.rater_pages import Visitor, form_address, heading

NOW = {"key": "now", "type": "rating", "target": "turn", "text": "How is it now?", "scale": {1: "bad", 2: "good"}}
SAID = [{"speaker": who, "text": f"{who} says {word}"} for who, word in (("A", "one"), ("B", "two"), ("A", "three"))]
ITEM = [{"key": "item-0", "responses": {"person": SAID}}]
UNFOLDING = [{"key": "item-0", "turns": SAID, "responses": {"person": "The reply."}}]
PARTS = {"questions": [NOW, EMPATHY], "design": {"trials": "single", "reveal": "turns"}, "texts": ITEM}


def words(page: object) -> list[str]:
    return re.findall(r"says (\w+)", page.text)  # type: ignore[attr-defined]


def test_turns_appear_one_by_one_before_whole_dialogue(
    engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    study(**PARTS)
    anna = visitor()
    seen = []
    page = anna.begin()
    for form in ({"q0r0t1": "1"}, {"q0r0t2": "2"}, {"q0r0t3": "2"}, {"q1r0": "4"}):
        seen.append((words(page), re.findall(r'type="radio"\s+name="(\w+)"', page.text)[0]))
        page = anna.rate(page, form)
    assert seen == [
        (["one"], "q0r0t1"),
        (["one", "two"], "q0r0t2"),
        (["one", "two", "three"], "q0r0t3"),
        (["one", "two", "three"], "q1r0"),
    ]
    assert heading(page) == "You have finished. Thank you."
    with engine.connect() as db:
        stored = db.execute(text("SELECT question, turn, number, exclude FROM ratings ORDER BY question, turn")).all()
    assert [tuple(row) for row in stored] == [
        ("empathy", None, 4, None),
        ("now", 1, 1, None),
        ("now", 2, 2, None),
        ("now", 3, 2, None),
    ]


def test_single_speaker_is_headed_situation(study: Callable[..., int], visitor: Callable[[], Visitor]) -> None:
    story = [{"speaker": "Ann", "text": said} for said in ("It rained.", "Then it stopped.")]
    study(questions=[NOW], design={"trials": "dialogue", "reveal": "turns"}, texts=[{"key": "item-0", "turns": story}])
    assert '<h2 id="situation-heading">Situation</h2>' in visitor().begin().text


def test_two_speakers_are_headed_conversation(study: Callable[..., int], visitor: Callable[[], Visitor]) -> None:
    study(questions=[NOW], design={"trials": "dialogue", "reveal": "turns"}, texts=[{"key": "item-0", "turns": SAID}])
    assert '<h2 id="situation-heading">Conversation</h2>' in visitor().begin().text


def test_turn_answers_count_only_after_dialogue_is_submitted(
    engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    study(**PARTS)
    anna = visitor()
    anna.rate(anna.begin(), {"q0r0t1": "1"})
    with engine.connect() as db:
        assert db.execute(text("SELECT exclude FROM ratings")).scalar_one() == "not submitted"


def test_unanswered_turn_stays_with_error(study: Callable[..., int], visitor: Callable[[], Visitor]) -> None:
    study(**PARTS)
    anna = visitor()
    page = anna.rate(anna.begin(), {})
    assert (page.status_code, words(page)) == (422, ["one"])


def test_second_click_neither_skips_nor_changes_a_turn(
    engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    study(**PARTS)
    anna = visitor()
    page = anna.begin()
    first = {"turn": "1", "q0r0t1": "1"}
    assert words(anna.rate(page, first)) == ["one", "two"]
    assert words(anna.rate(page, {**first, "q0r0t1": "2"})) == ["one", "two"]
    assert words(anna.get("/s/study/rate")) == ["one", "two"]
    with engine.connect() as db:
        assert db.execute(text("SELECT turn, number FROM ratings")).all() == [(1, 1)]


def test_future_and_past_turns_reject_answers(study: Callable[..., int], visitor: Callable[[], Visitor]) -> None:
    study(**PARTS)
    anna = visitor()
    page = anna.begin()
    save = f"{form_address(page)}/save"
    anna.rate(page, {"q0r0t1": "1"})
    asked = {
        name: anna.post(save, data={"slot": name, name: "2"}).status_code
        for name in ("q0r0t1", "q0r0t2", "q0r0t3", "q1r0")
    }
    assert asked == {"q0r0t1": 422, "q0r0t2": 200, "q0r0t3": 422, "q1r0": 422}


def test_response_follows_last_turn_of_situation(study: Callable[..., int], visitor: Callable[[], Visitor]) -> None:
    study(**{**PARTS, "texts": UNFOLDING})
    anna = visitor()
    page = anna.begin()
    for turn in ("1", "2", "3"):
        assert "The reply." not in page.text
        page = anna.rate(page, {f"q0t{turn}": "1"})
    assert "The reply." in page.text


def test_whole_dialogue_condition_asks_all_turns_on_one_page(
    study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    study(**{**PARTS, "design": {"trials": "single"}, "conditions": {"shown": {"kind": "reveal"}}})
    pages = [visitor().begin(who) for who in ("anna", "ben")]
    assert sorted(len(words(page)) for page in pages) == [1, 3]
