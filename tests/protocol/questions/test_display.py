"""What each kind of question says about itself: on the page, as plain text, to models, in documents and to imports."""

from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from app.base.language.language import ENGLISH, language_of
from app.protocol.questions.display import Display, Offer, Option, offers_of
from app.protocol.questions.of_set import Misfit
from app.protocol.questions.ranking import RankingQuestion
from app.protocol.questions.registry import KINDS, AnyQuestion, Question

ARABIC = language_of("ar")
SCALE = {1: "low", 2: "", 3: "high"}
MADE: dict[str, dict[str, Any]] = {
    "rating": {"target": "response", "scale": SCALE, "cannot_judge": True},
    "slider": {"target": "response", "min": 0, "max": 10, "max_words": "much"},
    "choice": {"tie": True, "neither": True, "strength": True},
    "ranking": {"ties": True},
    "allocation": {},
    "category": {"target": "response", "codes": {"y": "Yes", "n": ""}},
    "text": {"target": "item", "min_length": 5},
    "highlight": {"target": "item", "correct_column": "key"},
}


def question(kind: str, **settings: Any) -> AnyQuestion:  # noqa: ANN401 - any value in study.yaml
    parts = {"key": kind, "type": kind, "text": "What?", **MADE[kind], **settings}
    return TypeAdapter[AnyQuestion](Question).validate_python(parts)


def test_every_kind_is_here() -> None:
    assert MADE.keys() == KINDS.keys()


@pytest.mark.parametrize(
    ("kind", "lines"),
    [
        ("rating", ["- 1: low", "- 2", "- 3: high", "- Cannot judge"]),
        ("slider", ["0 – much", "Number from 0 to 10"]),
        (
            "choice",
            [
                "- Response A",
                "- Response B",
                "- About the same",
                "- Neither",
                "How strong is your preference?",
                "- 1: slightly",
                "- 2: clearly",
                "- 3: strongly",
            ],
        ),
        (
            "ranking",
            [
                "Give each response a rank from 1 (first) to 3 (last).",
                "Responses you find equally good can share a rank.",
                "Response A; Response B; Response C",
            ],
        ),
        ("category", ["- Yes", "- n"]),
        ("text", []),
        ("highlight", ["Copy the words here from the text, one passage per line."]),
    ],
)
def test_plain_text_says_how_to_answer(kind: str, lines: list[str]) -> None:
    assert [*question(kind).how_to_answer(Display(ENGLISH, 3))] == lines


def test_turned_scales_are_read_from_the_other_end() -> None:
    turned = Display(ENGLISH, 1, is_turned=True)
    assert [option.value for option in question("rating").options(turned)] == ["3", "2", "1"]
    assert next(question("slider").how_to_answer(turned)) == "much – 0"


def test_fixed_total_and_no_ties_have_no_line_for_them() -> None:
    assert len([*question("ranking", ties=False).how_to_answer(Display(ENGLISH, 3))]) == 2
    assert len([*question("choice", strength=False).how_to_answer(Display(ENGLISH, 2))]) == 4


@pytest.mark.parametrize(
    ("kind", "replies"),
    [
        ("rating", [("one_of", ["1", "2", "3", "Cannot judge"], "", "")]),
        ("slider", [("number", [], "", "")]),
        (
            "choice",
            [
                ("one_of", ["Response A", "Response B", "About the same", "Neither"], "", ""),
                ("one_of", ["1", "2", "3"], "_strength", ".strength"),
            ],
        ),
        ("ranking", [("one_of", ["1", "2"], "_A", ".0"), ("one_of", ["1", "2"], "_B", ".1")]),
        ("category", [("one_of", ["Yes", "n"], "", "")]),
        ("text", [("text", [], "", "")]),
        ("highlight", [("passages", [], "", "")]),
    ],
)
def test_models_are_asked_for_one_field_per_answer(kind: str, replies: list[Any]) -> None:
    fields = question(kind).reply_fields(Display(ENGLISH, 2))
    assert [(one.reply, [*one.values], one.name, one.part) for one in fields] == replies


def test_several_codes_are_asked_as_a_list() -> None:
    (field,) = question("category", multiple=True).reply_fields(Display())
    assert field.reply == "several_of"
    (only,) = question("choice", strength=False).reply_fields(Display())
    assert only.part == ""


def test_offers_of_equal_words_are_numbered() -> None:
    same = question("category", codes={"a": "Yes", "b": "No"}).offers(Display())
    assert same == (Offer("Yes", "Yes", "a"), Offer("No", "No", "b"))
    assert offers_of([Option("a", "Same"), Option("b", "Same")]) == (Offer("1", "Same", "a"), Offer("2", "Same", "b"))


@pytest.mark.parametrize(
    ("kind", "settings", "layout"),
    [
        ("rating", {}, "scale"),
        ("rating", {"orientation": "column"}, "column"),
        ("choice", {}, "choice"),
        ("ranking", {}, "scale"),
        ("category", {}, "chips"),
        ("category", {"codes": {"a": "Very good", "b": "Not good"}}, "few"),
        ("category", {"codes": {"a": "Immeasurably", "b": "Incomprehensibly so"}}, "list"),
        ("text", {}, "chips"),
    ],
)
def test_layout_follows_kind_and_words(kind: str, settings: dict[str, Any], layout: str) -> None:
    asked = question(kind, **settings)
    assert asked.layout(asked.options(Display(ENGLISH, 3))) == layout


@pytest.mark.parametrize(
    ("scale", "settings", "words", "labelled"),
    [
        ({1: "Low", 2: "Mid", 3: "High"}, {}, "1 Low, 2 Mid, 3 High", "all"),
        ({-1: "Low", 0: "Mid", 1: "High"}, {"labels_shown": "ends"}, "-1 Low, 0, 1 High", "ends"),
        ({1: "Low", 2: "", 3: "High"}, {}, "1 Low, 2, 3 High", "ends"),
        ({1: "Low", 2: "", 3: ""}, {}, "1 Low, 2, 3", "some"),
        ({1: "Low", 2: "", 3: "Mid", 4: "High"}, {}, "1 Low, 2, 3 Mid, 4 High", "some"),
        ({1: "", 2: ""}, {}, "1, 2", "none"),
        ({1: "No", 2: "Yes"}, {"labels_shown": "ends"}, "1 No, 2 Yes", "all"),
    ],
)
def test_raters_read_the_words_that_the_study_shows(
    scale: dict[int, str], settings: dict[str, Any], words: str, labelled: str
) -> None:
    asked = question("rating", scale=scale, **settings)
    options = asked.options(Display())
    assert ", ".join(f"{one.sign} {one.words if one.has_words else ''}".strip() for one in options) == words
    assert asked.labelled() == labelled
    assert question("text").labelled() is None


@pytest.mark.parametrize(
    ("kind", "definitions", "words"),
    [
        ("rating", {9: "Far."}, "definitions must be of points of the scale, found 9"),
        ("rating", {"high": "Far."}, "definitions must be of points of the scale, found high"),
        ("rating", ["Far."], "valid dictionary"),
        ("category", {"sings": "A song."}, "definitions must be of codes of the question, found sings"),
    ],
)
def test_definition_of_no_answer_is_refused(kind: str, definitions: object, words: str) -> None:
    with pytest.raises(ValidationError, match=words):
        question(kind, definitions=definitions)


def test_options_have_their_definitions() -> None:
    scale = {1: "Low", 2: "High"}
    low, high = question("rating", scale=scale, definitions={"1.0": "To anybody."}).options(Display())
    assert (low.definition, high.definition) == ("To anybody.", "")
    asks, _ = question("category", codes={"a": "Asks", "t": "Tells"}, definitions={"a": "Curious."}).options(Display())
    assert asks.definition == "Curious."


def test_lettered_codes_have_their_letter_as_key() -> None:
    assert [one.key for one in question("category", codes=["a", "b"]).options(Display())] == ["A", "B"]
    many = question("category", codes=[f"code {n}" for n in range(12)]).options(Display())
    assert [one.key for one in many][8:] == ["9", "0", "", ""]


def test_first_response_that_is_read_is_a_in_every_direction() -> None:
    assert [(one.value, one.key) for one in question("choice").options(Display(ARABIC, 2))][:2] == [
        ("right", "A"),
        ("left", "B"),
    ]
    assert question("rating").strength_options(Display()) == ()
    assert [one.key for one in question("rating", scale=dict.fromkeys(range(9, 12), "")).options(Display())] == [
        "9",
        "",
        "",
    ]


@pytest.mark.parametrize(
    ("kind", "value", "words"),
    [
        ("choice", "x", "Response A"),
        ("choice", "tie", "About the same"),
        ("category", "y", "Yes"),
        ("rating", "3", "high"),
        ("ranking", "y > x", "Response B > Response A"),
        ("text", "so", "so"),
    ],
)
def test_answers_are_said_in_words_of_the_page(kind: str, value: str, words: str) -> None:
    assert (
        question(kind).as_read(value, ["x", "y"] if kind in {"choice", "ranking"} else [], Display(ENGLISH, 2)) == words
    )


@pytest.mark.parametrize(
    ("kind", "settings", "words"),
    [
        ("rating", {"reversed": True}, "1 low, 2, 3 high (ordinal); high values are undesirable"),
        ("slider", {}, "slider from 0 to 10 (much)"),
        (
            "choice",
            {},
            (
                "one of the two responses, about the same or neither; "
                "strength of preference: 1 slightly, 2 clearly, 3 strongly"
            ),
        ),
        ("choice", {"tie": False, "neither": False, "strength": False}, "one of the two responses (no ties)"),
        ("ranking", {}, "the order of the responses"),
        ("category", {"multiple": True}, "Yes, n (several possible)"),
        ("category", {}, "Yes, n"),
        ("text", {}, "free text"),
        ("highlight", {}, "marked words"),
    ],
)
def test_documents_name_the_possible_answers(kind: str, settings: dict[str, Any], words: str) -> None:
    assert question(kind, **settings).in_words() == words


def test_spreadsheets_may_contain_words_for_values() -> None:
    assert question("rating").other_words() == {"1": ["low"], "2": [""], "3": ["high"], "cannot_judge": []}
    assert question("slider").other_words() == {}
    assert question("choice").other_words() == {"tie": [], "neither": []}
    assert question("category").other_words() == {"y": ["Yes"], "n": [""]}
    assert question("text").other_words() == {}
    assert question("rating").allowed_in_file().endswith(", or cannot_judge")
    assert question("slider").allowed_in_file() == "0 to 10 in steps of 1"
    assert question("text").allowed_in_file() == "any text"


def test_answer_keys_are_known_to_the_question() -> None:
    assert [kind for kind in MADE if question(kind).has_key()] == ["highlight"]
    assert question("category", correct="y").has_key()
    assert question("category", correct_column="right").key_column() == "right"
    assert question("category").code_words() == {"y": "Yes", "n": ""}
    assert question("text").code_words() == {}
    assert question("highlight").key_column() == "key"
    assert not question("highlight", correct_column=None).has_key()


def test_only_scales_of_points_have_points() -> None:
    assert [kind for kind in MADE if question(kind).has_points] == ["rating"]


def test_minimum_length_is_said() -> None:
    note = question("text").note()
    assert note is not None
    assert ENGLISH.say(note) == "At least 5 characters."
    assert question("text", min_length=0).note() is None
    assert question("rating").note() is None


def test_answers_may_grow_but_scales_may_not_change() -> None:
    codes = question("category")
    assert codes.takes_as_before(question("category", codes={"y": "Yes", "n": "", "m": ""}))
    assert not question("rating").takes_as_before(question("rating", scale={**SCALE, 4: ""}))
    assert not question("slider").takes_as_before(question("slider", max=11))
    assert question("choice").fixed_answers() == {"tie", "neither", 1.0, 2.0, 3.0}
    assert question("text").takes_as_before(question("text", min_length=9))


def test_ranks_in_a_file_must_fit_each_other() -> None:
    strict, with_ties = (RankingQuestion(key="o", type="ranking", text="Rank.", ties=ties) for ties in (False, True))
    assert strict.misfit([1, 1, 2]) is not None
    assert with_ties.misfit([1, 1, 3]) == Misfit(2, "ranks without gaps: no response has rank 2")
    assert with_ties.misfit([1, 1, 2]) is None
