"""Looking back: questions that wait until the last trial is rated, and are then asked of each trial once more."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.design.page_slots import slots_of_trial

if TYPE_CHECKING:
    from app.design.page_slots import Shown
    from app.design.protocol.study import Protocol
    from app.design.questions.slot import Slot


def asked_at(protocol: Protocol, shown: Shown, *, is_revisit: bool) -> tuple[Slot, ...]:
    """What the page of a trial asks: at looking back what `flow.revisit` names, and before that everything else.

    A question on who wrote a response, asked at once, would tell raters what the ratings are about.
    """
    later = frozenset(protocol.flow.revisit)
    return tuple(slot for slot in slots_of_trial(protocol, shown) if (slot.question.key in later) == is_revisit)
