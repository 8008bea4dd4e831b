"""Ranks from forms and files: all responses ranked, no gaps, and no rank twice unless ties are allowed."""

from typing import Any

import pytest

from app.base.language.language import ENGLISH
from app.protocol.allocation.randomization import seeded
from app.protocol.pages.page_slots import Shown, slots_of_trial
from app.protocol.questions.form import Answers, read_answer, read_answers
from app.protocol.questions.question import AnswerError, Blank, Given
from app.protocol.questions.ranking import RankingQuestion, order_text
from app.protocol.study import Protocol
from tests.kit.builder import EMPATHY, protocol_of

SHOWN = (8, 5, 9)
KEYS = {8: "a", 5: "b", 9: "c"}
ORDER: dict[str, Any] = {"key": "order", "type": "ranking", "text": "Rank them."}


def question(**settings: Any) -> RankingQuestion:  # noqa: ANN401 - any value in study.yaml
    return RankingQuestion.model_validate({**ORDER, **settings})


def send(*ranks: str, **settings: Any) -> Answers:  # noqa: ANN401 - as above
    study = Protocol.model_validate(protocol_of(questions=[{**ORDER, **settings}]))
    form = {f"q0.{place}": [rank] for place, rank in enumerate(ranks)}
    return read_answers(slots_of_trial(study, Shown(SHOWN)), form, SHOWN)


def test_ranks_follow_responses_not_page_positions() -> None:
    (answer,) = send("2", " 1 ", "3").given
    assert answer.by_response == ((8, 2), (5, 1), (9, 3))
    assert question().cell(answer, KEYS) == "b > a > c"


def test_equal_responses_share_rank_if_ties_allowed() -> None:
    (answer,) = send("2", "1", "2", ties=True).given
    assert question(ties=True).cell(answer, KEYS) == "b > a = c"


@pytest.mark.parametrize(
    ("ranks", "ties", "words"),
    [
        (("1", "2", ""), False, "Give every response a rank."),
        (("", "", ""), False, "Give every response a rank."),
        ((), False, "Give every response a rank."),
        (("1", "1", "2"), False, "Give each rank to one response only."),
        (("1", "1", "3"), True, "No response has rank 2. Do not leave out a rank."),
        (("2", "2", "3"), True, "No response has rank 1. Do not leave out a rank."),
        (("1", "2", "4"), False, "Give each response a rank from 1 to 3."),
        (("0", "1", "2"), True, "Give each response a rank from 1 to 3."),
        (("1", "1.5", "2"), True, "Give each response a rank from 1 to 3."),
        (("1", "first", "2"), True, "Give each response a rank from 1 to 3."),
    ],
)
def test_invalid_ranking_is_rejected_with_message(ranks: tuple[str, ...], words: str, *, ties: bool) -> None:
    answers = send(*ranks, ties=ties)
    assert answers.given == ()
    assert {name: ENGLISH.say(wrong) for name, wrong in answers.wrong.items()} == {"q0": words}


def test_optional_ranking_must_be_complete_or_empty() -> None:
    assert send("", "", "", required=False) == Answers(())
    assert send("1", "", "", required=False).wrong.keys() == {"q0"}


def test_unfinished_ranking_is_no_answer() -> None:
    study = Protocol.model_validate(protocol_of(questions=[ORDER]))
    (slot,) = slots_of_trial(study, Shown(SHOWN))
    assert read_answer(slot, {"q0.0": ["1"]}, SHOWN) is None
    with pytest.raises(AnswerError, match="one response only"):
        read_answer(slot, {"q0.0": ["1"], "q0.1": ["1"], "q0.2": ["2"]}, SHOWN)


def test_two_responses_are_not_ranked() -> None:
    study = Protocol.model_validate(protocol_of(questions=[ORDER, EMPATHY]))
    assert [slot.question.key for slot in slots_of_trial(study, Shown((8, 5)))] == ["empathy", "empathy"]


def test_ranking_is_stored_as_one_row_per_response_and_read_back() -> None:
    given = Given(by_response=((8, 2), (5, 1), (9, 3)), comment="so")
    rows = question().rows(given, None)
    assert [(response, row.number, row.comment) for response, row in rows] == [(8, 2, "so"), (5, 1, None), (9, 3, None)]
    assert question().from_rows(dict(rows)) == given


@pytest.mark.parametrize(
    ("value", "is_possible"),
    [("b > a > c", True), ("b > a = c", False), ("b > a", False), ("b > a > d", False), ("b > a > c > c", False)],
)
def test_expected_order_names_each_shown_response_once(value: str, *, is_possible: bool) -> None:
    assert question().accepts(value, ["a", "b", "c"]) is is_possible


def test_expected_order_is_submitted_as_ranks() -> None:
    assert question(ties=True).accepts("b > a = c", ["a", "b", "c"])
    assert question().form_of("b > a = c", "q0", ["a", "b", "c"]) == {"q0.0": ["2"], "q0.1": ["1"], "q0.2": ["2"]}
    assert order_text({"a": 1}) == "a"


@pytest.mark.parametrize(("text", "rank"), [("2", 2), (" 3.0 ", 3), ("0", None), ("1.5", None), ("first", None)])
def test_ranking_cell_is_rank_of_one_response(text: str, rank: int | None) -> None:
    assert question().read_cell(text) == (None if rank is None else Given(number=rank))


class Decided:
    """A simulated rater with a fixed impression of each response."""

    rng = seeded(1)

    def impression(self, response_id: int | None, dimension: str) -> float:
        assert dimension == "order"
        return {8: 0.5, 5: 0.7, 9: -1.0}[response_id or 0]


def test_simulated_rater_ranks_by_impression_with_ties() -> None:
    blank = Blank("q0", SHOWN)
    assert question().simulate(blank, Decided()) == {"q0.0": ["2"], "q0.1": ["1"], "q0.2": ["3"]}
    assert question(ties=True).simulate(blank, Decided()) == {"q0.0": ["1"], "q0.1": ["1"], "q0.2": ["2"]}


def test_ranking_describes_allowed_answers() -> None:
    assert list(question().meanings()) == [("", question().allowed_words())]
    assert "each rank once" in question().allowed_words()
    assert "share a rank" in question(ties=True).allowed_words()
