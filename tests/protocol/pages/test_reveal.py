"""Turn-by-turn reveal: each stage asks about its turn, and the last one about the whole dialogue."""

import pytest

from app.protocol.pages.page_slots import Shown, slots_of_trial
from app.protocol.pages.reveal import Stage, slots_now, stage_of
from app.protocol.study import Protocol
from tests.kit.protocols import WARM, protocol

NOW = {"key": "now", "type": "rating", "target": "turn", "text": "Now?", "scale": {1: "no", 2: "yes"}}
TURNS = Shown((4, 5), 2, (3, 2))


def study(**parts: object) -> Protocol:
    return protocol(questions=[NOW, WARM], **parts)


@pytest.mark.parametrize(
    ("parts", "shown", "expected"),
    [
        ({}, TURNS, Stage()),
        ({"design": {"reveal": "turns"}}, TURNS, Stage(3, 1)),
        ({"design": {"reveal": "turns"}}, Shown((4,), 2, (0,)), Stage(2, 1)),
        ({"design": {"reveal": "turns"}}, Shown((), 2), Stage(2, 1)),
        ({"design": {"reveal": "turns"}}, Shown((4,), 0, (0,)), Stage(0, 1)),
        ({"conditions": {"r": {"kind": "reveal"}}}, Shown((4, 5), 2, (3, 2), "r=turns"), Stage(3, 1)),
        ({"conditions": {"r": {"kind": "reveal"}}}, Shown((4, 5), 2, (3, 2), "r=whole"), Stage()),
    ],
)
def test_reveal_shows_turns_of_responses_or_situation(parts: dict[str, object], shown: Shown, expected: Stage) -> None:
    assert stage_of(study(**parts), shown, 1) == expected


def test_each_turn_is_asked_once_and_whole_dialogue_last() -> None:
    slots = slots_of_trial(study(), TURNS)
    asked = [[slot.name for slot in slots_now(slots, Stage(3, n_done))] for n_done in range(4)]
    assert asked == [["q0r0t1", "q0r1t1"], ["q0r0t2", "q0r1t2"], ["q0r0t3"], ["q1r0", "q1r1"]]
    assert slots_now(slots, Stage()) == slots
