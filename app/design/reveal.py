"""Turn by turn: a dialogue that unfolds, which questions each stage of it asks, and when the whole is there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.design.presentation import presentation

if TYPE_CHECKING:
    from collections.abc import Iterable

    from app.design.page_slots import Shown
    from app.design.protocol.study import Protocol
    from app.design.questions.slot import Slot


# The state of a page that is practised on: it is shown whole, and asks everything at once.
PRACTICE = "practice"


@dataclass(frozen=True, slots=True)
class Stage:
    """How far a dialogue is revealed: `n_turns` unfold, none where everything is shown at once; `n_done` are passed."""

    n_turns: int = 0
    n_done: int = 0

    @property
    def turn(self) -> int | None:
        """The turn that is shown last and asked about now, from 1; None where the whole is shown.

        >>> Stage(3, 0).turn, Stage(3, 2).turn, Stage(3, 3).turn, Stage().turn
        (1, 3, None, None)
        """
        return self.n_done + 1 if self.n_done < self.n_turns else None

    def asks(self, slot: Slot) -> bool:
        """Whether this stage asks it: a question about a turn at that turn, and never again; the others at the end."""
        return self.n_turns == 0 or slot.turn == self.turn


def stage_of(protocol: Protocol, shown: Shown, n_done: int) -> Stage:
    """How far the page of a trial is revealed.

    Args:
        protocol: the study.
        shown: what the page shows in the end. Responses that are dialogues unfold side by side; else the item does.
        n_done: how many turns the rater has passed.
    """
    if not presentation(protocol, shown.condition).turn_by_turn:
        return Stage()
    return Stage(max(shown.n_response_turns, default=0) or shown.n_item_turns, n_done)


def slots_now(slots: Iterable[Slot], stage: Stage) -> tuple[Slot, ...]:
    """What a page asks at this stage."""
    return tuple(slot for slot in slots if stage.asks(slot))
