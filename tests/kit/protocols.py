"""Concise protocols and items for the tests of the design."""

from typing import Any

from app.protocol.allocation.trials import Candidate, PlannedItem
from app.protocol.study import Protocol

SOURCES = {"person": {"kind": "human"}, "model": {"kind": "model"}}
WARM = {"key": "warm", "type": "rating", "target": "response", "text": "Warm?", "scale": {1: "no", 2: "so", 3: "yes"}}
WHO = {"key": "who", "type": "category", "target": "response", "text": "Who?", "codes": {"human": "H", "ai": "A"}}
SURE = {"key": "sure", "type": "slider", "target": "response", "text": "How sure?"}
MOOD = {"key": "mood", "type": "slider", "target": "rater", "text": "Your mood?"}
AGE = {"key": "adult", "type": "category", "target": "rater", "text": "Are you 18?", "codes": ["yes", "no"]}
LABEL = {"kind": "shown_label", "levels": ["true", "swapped"]}
DEBRIEF = {"debrief": {"text": "Some labels were swapped."}}


def protocol(**parts: Any) -> Protocol:  # noqa: ANN401 - any part of study.yaml
    """Return a study with two sources and five questions, with the given parts replaced."""
    whole = {"attune": 1, "slug": "s", "title": "T", "sources": SOURCES, "questions": [WARM, WHO, SURE, MOOD, AGE]}
    return Protocol.model_validate({**whole, **parts})


def items(n: int, n_responses: int = 2, **settings: Any) -> list[PlannedItem]:  # noqa: ANN401 - fields of PlannedItem
    """Return n items with a response of each source."""
    sources = [*SOURCES, *(f"model{number}" for number in range(n_responses))][:n_responses]
    return [
        PlannedItem(
            f"i{item}",
            tuple(
                Candidate(item * n_responses + place, f"i{item}:{source}", source)
                for place, source in enumerate(sources)
            ),
            **settings,
        )
        for item in range(n)
    ]
