"""Points from forms and files: every response has points, and those of an answer add up to the total."""

from typing import Any

import pytest
from pydantic import ValidationError

from app.base.language.language import ENGLISH, language_of
from app.protocol.allocation.randomization import seeded
from app.protocol.pages.page_slots import Shown, slots_of_trial
from app.protocol.primary_default import default_contrast
from app.protocol.questions.allocation import AllocationQuestion
from app.protocol.questions.display import Display
from app.protocol.questions.form import Answers, read_answers
from app.protocol.questions.of_set import Misfit
from app.protocol.questions.question import Blank, Given
from app.protocol.study import Protocol
from tests.kit.builder import protocol_of

SHOWN = (8, 5, 9)
KEYS = {8: "a", 5: "b", 9: "c"}
SHARES: dict[str, Any] = {"key": "shares", "type": "allocation", "text": "Share the points."}


def question(**settings: Any) -> AllocationQuestion:  # noqa: ANN401 - any value in study.yaml
    return AllocationQuestion.model_validate({**SHARES, **settings})


def send(*points: str, **settings: Any) -> Answers:  # noqa: ANN401 - as above
    study = Protocol.model_validate(protocol_of(questions=[{**SHARES, **settings}]))
    form = {f"q0.{place}": [number] for place, number in enumerate(points)}
    return read_answers(slots_of_trial(study, Shown(SHOWN)), form, SHOWN)


def test_points_follow_responses() -> None:
    (answer,) = send("60", " 40 ", "0").given
    assert answer.by_response == ((8, 60), (5, 40), (9, 0))
    assert question().cell(answer, KEYS) == "a = 60; b = 40; c = 0"


@pytest.mark.parametrize(
    ("points", "words"),
    [
        (("60", "40", ""), "Give every response its points; 0 is possible."),
        ((), "Give every response its points; 0 is possible."),
        (("60", "30", "0"), "The points must add up to 100. Yours add up to 90."),
        (("60", "40", "10"), "The points must add up to 100. Yours add up to 110."),
        (("101", "0", "0"), "Give each response a whole number from 0 to 100."),
        (("-1", "50", "51"), "Give each response a whole number from 0 to 100."),
        (("33.3", "33.3", "33.4"), "Give each response a whole number from 0 to 100."),
        (("all", "0", "0"), "Give each response a whole number from 0 to 100."),
    ],
)
def test_invalid_allocation_is_rejected_with_message(points: tuple[str, ...], words: str) -> None:
    answers = send(*points)
    assert answers.given == ()
    assert {name: ENGLISH.say(wrong) for name, wrong in answers.wrong.items()} == {"q0": words}


def test_total_can_be_set_within_limits() -> None:
    assert send("6", "4", "0", points=10).wrong == {}
    assert send("60", "40", "0", points=10).wrong
    for points in (1, 1001, 10.5):
        with pytest.raises(ValidationError):
            question(points=points)


def test_optional_allocation_must_be_complete_or_empty() -> None:
    assert send("", "", "", required=False) == Answers(())
    assert send("1", "", "", required=False).wrong.keys() == {"q0"}


def test_allocation_is_an_interval_scale_about_each_response() -> None:
    asked = question(points=4)
    assert [*asked.values] == [0, 1, 2, 3, 4]
    assert asked.measure == "scale"
    assert asked.level == "interval"
    assert not asked.reversed
    assert asked.rated == "response"
    contrast = default_contrast(Protocol.model_validate(protocol_of(questions=[SHARES])), "shares")
    assert contrast is not None
    assert contrast.test == "mean_difference"


def test_total_cannot_change_once_answered() -> None:
    assert question().takes_as_before(question(text="Share them."))
    assert not question().takes_as_before(question(points=10))


def test_cell_is_points_of_one_response_and_a_whole_answer_must_add_up() -> None:
    assert question().read_cell("60.0") == Given(number=60)
    assert question().read_cell("101") is None
    assert question().misfit([60, 40, 0]) is None
    assert question().misfit([60, 40, 1]) == Misfit(
        0, "points that add up to 100 over the responses; these add up to 101"
    )


@pytest.mark.parametrize(
    ("value", "is_possible"),
    [
        ("a = 60; b = 40; c = 0", True),
        ("b = 40; a = 60; c = 0", False),
        ("a = 60; b = 40", False),
        ("a = 60; b = 41; c = 0", False),
        ("a = 160; b = -60; c = 0", False),
        ("a > b > c", False),
    ],
)
def test_expected_allocation_names_each_shown_response(value: str, *, is_possible: bool) -> None:
    assert question().accepts(value, ["b", "a", "c"]) is is_possible


def test_expected_allocation_is_submitted_and_said_as_read() -> None:
    value = "a = 60; b = 40; c = 0"
    assert question().form_of(value, "q0", ["b", "a", "c"]) == {"q0.0": ["40"], "q0.1": ["60"], "q0.2": ["0"]}
    words = question().as_read(value, ["b", "a", "c"], Display(ENGLISH, 3))
    assert words == "Response A: 40; Response B: 60; Response C: 0"


class Decided:
    """A simulated rater with a fixed impression of each response."""

    rng = seeded(1)

    def impression(self, response_id: int | None, dimension: str) -> float:
        assert dimension == "shares"
        return {8: 0.5, 5: 1.5, 9: -1.0}[response_id or 0]


@pytest.mark.parametrize("points", [2, 7, 100, 1000])
def test_simulated_rater_gives_better_responses_more_points(points: int) -> None:
    asked = question(points=points)
    sent = asked.simulate(Blank("q0", SHOWN), Decided())
    first, best, last = (int(sent[f"q0.{place}"][0]) for place in range(3))
    assert first + best + last == points
    assert best > first >= last


def test_allocation_describes_allowed_answers_and_how_to_give_them() -> None:
    asked = question(points=10)
    assert [*asked.meanings()] == [("", asked.allowed_words())]
    assert "from 0 to 10" in asked.allowed_words()
    assert asked.in_words() == "10 points shared among the responses"
    assert [*asked.how_to_answer(Display(ENGLISH, 3))] == [
        "Share points among the responses so that they add up to 10.",
        "Response A; Response B; Response C",
    ]
    german = [*asked.how_to_answer(Display(language_of("de"), 3))]
    assert german[0] != "Share points among the responses so that they add up to 10."
    assert asked.options(Display(ENGLISH, 3)) == ()


def test_model_is_asked_for_a_number_per_response() -> None:
    fields = [*question(required=False).reply_fields(Display(ENGLISH, 3))]
    assert [(one.reply, one.name, one.part, one.is_required) for one in fields] == [
        ("number", "_A", ".0", False),
        ("number", "_B", ".1", False),
        ("number", "_C", ".2", False),
    ]
    assert fields[1].about == ": points of Response B, 100 in all"
