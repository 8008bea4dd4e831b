"""Turn by turn: dialogues that are revealed in stages, and which questions each stage asks."""

from collections.abc import Iterable
from dataclasses import dataclass

from app.protocol.pages.page_slots import Shown
from app.protocol.presentation import presentation
from app.protocol.questions.slot import Slot
from app.protocol.study import Protocol

# The state of a practice page: it is shown whole and asks all questions at once.
PRACTICE = "practice"


@dataclass(frozen=True, slots=True)
class Stage:
    """How far a dialogue is revealed: `n_turns` in total (0 if it is shown whole), of which `n_done` are completed."""

    n_turns: int = 0
    n_done: int = 0

    @property
    def turn(self) -> int | None:
        """The last turn shown, which is asked about now, from 1; None if the whole dialogue is shown.

        >>> Stage(3, 0).turn, Stage(3, 2).turn, Stage(3, 3).turn, Stage().turn
        (1, 3, None, None)
        """
        return self.n_done + 1 if self.n_done < self.n_turns else None

    def asks(self, slot: Slot) -> bool:
        """Whether this stage includes the slot: questions about a turn only at that turn, all others at the end."""
        return self.n_turns == 0 or slot.turn == self.turn


def stage_of(protocol: Protocol, shown: Shown, n_done: int) -> Stage:
    """How far the page of a trial is revealed.

    Args:
        protocol: the study.
        shown: the full content of the page. Responses that are dialogues are revealed side by side; otherwise the item
            is.
        n_done: number of turns that the rater has completed.
    """
    if not presentation(protocol, shown.condition).turn_by_turn:
        return Stage()
    return Stage(max(shown.n_response_turns, default=0) or shown.n_item_turns, n_done)


def slots_now(slots: Iterable[Slot], stage: Stage) -> tuple[Slot, ...]:
    """The slots of a page at this stage."""
    return tuple(slot for slot in slots if stage.asks(slot))
