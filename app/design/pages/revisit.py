"""Revisiting: questions that are asked after the last trial, when each trial is shown once more."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.design.pages.page_slots import slots_of_trial

if TYPE_CHECKING:
    from app.design.pages.page_slots import Shown
    from app.design.protocol.study import Protocol
    from app.design.questions.slot import Slot


def asked_at(protocol: Protocol, shown: Shown, *, is_revisit: bool) -> tuple[Slot, ...]:
    """The slots on the page of a trial: when revisiting, the questions in `flow.revisit`; before that, all others.

    Asking at once who wrote a response would reveal the purpose of the ratings.
    """
    later = frozenset(protocol.flow.revisit)
    return tuple(slot for slot in slots_of_trial(protocol, shown) if (slot.question.key in later) == is_revisit)
