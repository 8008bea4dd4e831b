"""Matrices: which questions become the statements of one, and how wide the labels of a scale are."""

from typing import Any

import pytest

from app.base.language.language import ENGLISH
from app.protocol.questions.slot import Slot
from app.rating.page.fields import Field, fields_of, in_matrices
from tests.kit.protocols import protocol

OFTEN = {1: "Never", 2: "Rarely", 3: "Often", 4: "Always"}
RARE = {1: "Never", 2: "Always"}


def asked(*changes: dict[str, Any]) -> list[tuple[Field, ...]]:
    """The fields of questions about the rater on one scale, each with its own changes."""
    base = {"type": "rating", "target": "rater", "text": "I cry.", "scale": OFTEN}
    study = protocol(questions=[{**base, "key": f"q{n}", **change} for n, change in enumerate(changes)])
    return [(field,) for field in fields_of([Slot(f"q{n}", q) for n, q in enumerate(study.questions)], ENGLISH)]


def sizes(*changes: dict[str, Any]) -> list[int]:
    return [len(part) for part in in_matrices(asked(*changes), "matrix")]


def test_three_consecutive_questions_with_one_scale_are_a_matrix() -> None:
    assert sizes({}, {}, {}) == [3]
    assert sizes({}, {}) == [1, 1]
    assert sizes({}, {}, {}, {"scale": RARE}, {}, {}) == [3, 1, 1, 1]
    assert [len(part) for part in in_matrices(asked({}, {}, {}), "separate")] == [1, 1, 1]


@pytest.mark.parametrize(
    "change",
    [
        {"scale": RARE},
        {"orientation": "column"},
        {"help": "At home."},
        {"comment": True},
        {"cannot_judge": True},
        {"show_if": {"question": "q0", "at_least": 3}},
    ],
    ids=str,
)
def test_question_that_needs_more_than_a_line_stands_alone(change: dict[str, Any]) -> None:
    assert sizes({}, {}, {}, change) == [3, 1]


def test_questions_about_several_responses_are_no_statements() -> None:
    rows = [tuple(field for (field,) in asked({}, {})) for _ in range(3)]
    assert [len(part) for part in in_matrices(rows, "matrix")] == [2, 2, 2]


@pytest.mark.parametrize(
    ("words", "share", "classes"),
    [
        (["no", "a little", "yes"], 1, ""),
        (["Not at all", "Slightly", "Moderately", "Very", "Extremely"], 1, ""),
        (["Not at all", "Slightly", "Moderately", "Very", "Extremely"], 0.5, " labels-64"),
        (["", "", "", "", "", "", ""], 1, " is-long points-7"),
        (["Disagree", "ja", "Somewhat disagree", "ja", "ja", "ja", "ja"], 1, " is-long points-7 labels-36"),
        (["Außerordentlich zutreffend"] + ["ja"] * 6, 1, " is-long points-7 labels-64"),
        ([""] * 13, 1, " is-long points-many takes-two-rows"),
        (["strongly", "ja", "somewhat", "ja", "ja", "ja", "ja"], 0.5, " is-long points-7 labels-80"),
    ],
)
def test_width_of_the_longest_word_decides_when_labels_take_two_lines(
    words: list[str], share: float, classes: str
) -> None:
    # Each point needs its own words.
    scale = {n: f"{word}{n if word == 'ja' else ''}" for n, word in enumerate(words, start=1)}
    ((field,),) = asked({"scale": scale})
    assert field.scale_classes(share) == classes
