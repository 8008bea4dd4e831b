"""What a page shows in each condition."""

from __future__ import annotations

import pytest

from app.design.presentation import Presentation, presentation, shown_labels
from tests.design.studies import DEBRIEF, LABEL, SOURCES, protocol

PERSON, AI = "Written by a person", "Written by an AI"


def test_without_conditions_the_design_says_what_is_shown() -> None:
    assert presentation(protocol(), "") == Presentation("", "none", True, None, False, False, None)
    plain = presentation(protocol(design={"blind": False, "profile": "hidden", "reveal": "turns"}), "")
    assert plain == Presentation("", "true", False, None, True, False, None)


def test_a_condition_goes_before_the_design() -> None:
    study = protocol(
        design={"profile": "hidden", "reveal": "turns"},
        conditions={
            "told": {"kind": "instruction", "levels": {"self": "Imagine it.", "other": "Think of them."}},
            "person": {"kind": "profile"},
            "screen": {"kind": "layout"},
            "way": {"kind": "reveal"},
            "scale": {"kind": "scale_direction"},
            "wrote": {"kind": "source", "levels": ["person", "model"]},
        },
    )
    shown = presentation(study, "told=self; person=shown; screen=side_by_side; way=whole; scale=turned; wrote=model")
    assert shown == Presentation("Imagine it.", "none", True, "side_by_side", False, True, "model")


@pytest.mark.parametrize(
    ("level", "labels"),
    [
        ("none", (None, None)),
        ("true", (PERSON, AI)),
        ("swapped", (AI, PERSON)),
        ("unknown", ("The author of this text is not shown.",) * 2),
    ],
)
def test_the_label_is_what_the_condition_says(level: str, labels: tuple[str | None, str | None]) -> None:
    study = protocol(conditions={"label": {"kind": "shown_label"}}, flow=DEBRIEF)
    assert shown_labels(study, f"label={level}", ["person", "model"]) == labels


def test_a_study_that_is_not_blind_tells_the_truth_in_the_words_of_the_lead() -> None:
    sources = {**SOURCES, "model": {"kind": "model", "shown_label": "Written by ChatGPT"}}
    study = protocol(sources=sources, design={"blind": False})
    assert shown_labels(study, "", ["model", "person"]) == ("Written by ChatGPT", PERSON)


def test_the_lead_says_whose_label_a_mixed_source_bears_when_it_is_swapped() -> None:
    sources = {**SOURCES, "both": {"kind": "human+model"}}
    study = protocol(
        sources=sources, conditions={"label": {**LABEL, "swaps": {"both": "model", "model": "both"}}}, flow=DEBRIEF
    )
    assert shown_labels(study, "label=swapped", ["both", "model", "person"]) == (
        AI,
        "Written by a person with the help of an AI",
        AI,
    )
