"""What a page shows in each condition."""

import pytest

from app.protocol.presentation import Presentation, presentation, shown_labels
from tests.kit.protocols import DEBRIEF, LABEL, SOURCES, protocol

PERSON, AI = "Written by a person", "Written by an AI"


def test_presentation_defaults_to_design() -> None:
    assert presentation(protocol(), "") == Presentation("", "none", True, None, False, False, None)
    plain = presentation(protocol(design={"blind": False, "profile": "hidden", "reveal": "turns"}), "")
    assert plain == Presentation("", "true", False, None, True, False, None)


def test_condition_overrides_design() -> None:
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
def test_shown_label_follows_condition(level: str, labels: tuple[str | None, str | None]) -> None:
    study = protocol(conditions={"label": {"kind": "shown_label"}}, flow=DEBRIEF)
    assert shown_labels(study, f"label={level}", ["person", "model"]) == labels


def test_unblinded_study_uses_lead_label() -> None:
    sources = {**SOURCES, "model": {"kind": "model", "shown_label": "Written by ChatGPT"}}
    study = protocol(sources=sources, design={"blind": False})
    assert shown_labels(study, "", ["model", "person"]) == ("Written by ChatGPT", PERSON)


def test_swapped_label_of_mixed_source_follows_declaration() -> None:
    sources = {**SOURCES, "both": {"kind": "human+model"}}
    study = protocol(
        sources=sources, conditions={"label": {**LABEL, "swaps": {"both": "model", "model": "both"}}}, flow=DEBRIEF
    )
    assert shown_labels(study, "label=swapped", ["both", "model", "person"]) == (
        AI,
        "Written by a person with the help of an AI",
        AI,
    )
