"""Declared contrasts refer to suitable scores and questions."""

from typing import Any

import pytest
from pydantic import ValidationError

from tests.kit.protocols import WARM, WHO, protocol

MOOD = {**WARM, "key": "mood_before", "target": "rater"}
LATER = {**MOOD, "key": "mood_after"}
TURN = {**WARM, "key": "felt", "target": "turn"}
OWN, THEIRS = {**TURN, "key": "own", "turns": "own"}, {**TURN, "key": "theirs", "turns": "partner"}
TALK: dict[str, Any] = {
    "sources": {"peer": {"kind": "human"}},
    "design": {"trials": "conversation", "raters_per_trial": 2, "pools": {"crowd": {}}},
    "conversation": {"partners": {"peer": {"replies": "person", "roles": {"a": {"label": "A"}, "b": {"label": "B"}}}}},
}
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


@pytest.mark.parametrize(
    ("declared", "words"),
    [
        ({"felt": "own"}, r"own turns in `felt` and one about the partner's in `perceived`, found own \(own\) and own"),
        ({"felt": "theirs", "perceived": "own"}, r"found theirs \(partner\) and own \(own\)"),
        ({"felt": "felt", "perceived": "theirs"}, r"found felt \(all\) and theirs \(partner\)"),
        ({"felt": "own", "perceived": "theirs", "pool": "crowd"}, "pool must not be set where raters are the targets"),
    ],
)
def test_raters_who_write_with_each_other_are_targets_of_their_own_turns(declared: dict[str, Any], words: str) -> None:
    asked = [TURN, OWN, THEIRS]
    with pytest.raises(ValidationError, match=words):
        protocol(**TALK, questions=asked, analysis={"empathic_accuracy": declared})
    fits = protocol(**TALK, questions=asked, analysis={"empathic_accuracy": {"felt": "own", "perceived": "theirs"}})
    assert fits.analysis.empathic_accuracy


def test_scores_of_turns_are_of_one_writer() -> None:
    with pytest.raises(ValidationError, match="about the turns of the same writer, found own and partner"):
        protocol(**TALK, questions=[OWN, THEIRS], analysis={"composites": {"both": ["own", "theirs"]}})
