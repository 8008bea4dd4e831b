"""If no trial can be made, the setting that prevents it is named."""

from typing import Any

import pytest

from app.protocol.allocation.feasibility import why_no_trials
from app.protocol.allocation.trials import planned_trials
from tests.kit.protocols import items, protocol

PREFERENCE = {"key": "better", "type": "choice", "text": "Which?"}
THREE = {name: {"kind": "model"} for name in ("a", "b", "c")}
SOURCE = {"kind": "source", "levels": ["other"]}


@pytest.mark.parametrize(
    ("parts", "n_responses", "words"),
    [
        ({"flow": {"practice": {"trials": [{"item": "i0"}, {"item": "i1"}]}}}, 2, "flow.practice"),
        ({}, 0, "The items have no responses to rate."),
        ({"design": {"pools": {"owner": {"items": "own"}}}}, 2, "the column rater of items.csv"),
        ({"design": {"pools": {"ward": {"items": "pool"}}}}, 2, "items with ward in the column pool"),
        ({"design": {"listed": [["x:person", "x:model"]]}}, 2, "design.listed leaves nothing to rate"),
        ({"design": {"trials": "pairs"}}, 1, "design.trials leaves nothing to rate; without it, 2 trials could"),
        (
            {
                "design": {"trials": "pairs", "pairs": "reference"},
                "analysis": {"reference": "third"},
                "sources": {"person": {"kind": "human"}, "model": {"kind": "model"}, "third": {"kind": "model"}},
            },
            2,
            "design.pairs leaves nothing to rate; without it, 2 trials could be rated.",
        ),
    ],
)
def test_limiting_setting_is_named(parts: dict[str, Any], n_responses: int, words: str) -> None:
    study, some = protocol(**parts), items(2, n_responses)
    if n_responses == 0:
        study = protocol(design={"trials": "pairs"}, **parts)
    assert planned_trials(study, some) == []
    assert words in why_no_trials(study, some)


def test_conditions_excluding_every_response_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    study = protocol(conditions={"who": SOURCE | {"levels": ["person", "model"]}})
    found = planned_trials(protocol(), items(2))
    monkeypatch.setattr(
        "app.protocol.allocation.feasibility.planned_trials", lambda one, _: [] if one.conditions else found
    )
    assert why_no_trials(study, items(2)).startswith("conditions excludes every response; without it")


def test_jointly_limiting_settings_are_named_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.protocol.allocation.feasibility.planned_trials", lambda *_: [])
    assert why_no_trials(protocol(), items(2)).startswith("Together, design.trials")
