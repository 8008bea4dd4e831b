"""Declared contrasts refer to suitable scores and questions."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from tests.kit.protocols import WARM, WHO, protocol

MOOD = {**WARM, "key": "mood_before", "target": "rater"}
LATER = {**MOOD, "key": "mood_after"}
TURN = {**WARM, "key": "felt", "target": "turn"}
ASKED: list[Any] = [WARM, WHO, MOOD, LATER, TURN]


@pytest.mark.parametrize(
    ("analysis", "words"),
    [
        ({"changes": [{"before": "mood_before", "after": "mood_before"}]}, "found mood_before twice"),
        ({"changes": [{"before": "mood_before", "after": "warm"}]}, "about the rater, found warm"),
        ({"changes": [{"before": "nothing", "after": "mood_after"}]}, "about the rater, found nothing"),
        ({"changes": [{"before": "mood_before", "after": "both"}], "composites": {"both": ["warm"]}}, "found both"),
        ({"empathic_accuracy": {"felt": "who"}}, "about a turn, an item or a response, found who"),
        ({"empathic_accuracy": {"felt": "felt", "perceived": "mood_after"}}, "found mood_after"),
        ({"empathic_accuracy": {"felt": "felt", "perceived": "warm"}}, "the same target, found felt and warm"),
        ({"empathic_accuracy": {"felt": "felt", "pool": "crowd"}}, "one of design.pools, found crowd"),
    ],
)
def test_unsuitable_score_is_rejected_with_message(analysis: dict[str, Any], words: str) -> None:
    with pytest.raises(ValidationError, match=words):
        protocol(questions=ASKED, analysis=analysis)


def test_suitable_scores_are_accepted() -> None:
    analysis = {
        "composites": {"early": ["mood_before"], "late": ["mood_after"]},
        "changes": [{"before": "mood_before", "after": "mood_after"}, {"before": "early", "after": "late"}],
        "empathic_accuracy": {"felt": "felt"},
    }
    study = protocol(questions=ASKED, analysis=analysis)
    assert study.analysis.empathic_accuracy
    assert study.analysis.empathic_accuracy.answered == "felt"
