"""Gold trials: mixed into each rater's list, and compared with the expected answers. They only flag raters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.design.allocation.gold_trials import declared_gold, name_of_gold
from app.design.allocation.randomization import seeded
from app.design.allocation.special_trials import is_declared_as
from app.design.protocol.parts.checks import score_of
from app.storage.answers.gold_answers import get_gold, list_gold, list_gold_answers, record_gold
from app.storage.assignments.trial_lists import list_trials

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy import Connection

    from app.design.protocol.study import Protocol
    from app.design.questions.question import Given
    from app.design.questions.slot import Slot
    from app.storage.assignments.assignment_view import AssignmentView
    from app.storage.assignments.trial_lists import Trial
    from app.storage.raters.rating_sessions import RatingSession


def gold_for(
    db: Connection, session: RatingSession, protocol: Protocol, rater: str, conditions: Sequence[str]
) -> list[Trial]:
    """The gold trials of one rater, each in one of the rater's conditions."""
    if not protocol.checks.gold:
        return []
    stored = list_gold(db, session, conditions)
    chosen: list[int] = []
    for number, declared in enumerate(protocol.checks.gold):
        ways = [gold.trial_id for gold in stored if is_declared_as(declared, gold.item, gold.responses)]
        chosen += [seeded(session.seed, "gold", rater, number).choice(ways)] if ways else []
    return list_trials(db, session.study_id, chosen)


def check_gold(db: Connection, protocol: Protocol, view: AssignmentView, slots: Sequence[Slot]) -> None:
    """Record whether a completed gold trial was answered as expected.

    Args:
        db: the transaction.
        protocol: the rater's version of the protocol.
        view: the assignment of a gold trial.
        slots: all slots of the trial, at every turn.
    """
    stored = get_gold(db, view)
    declared = declared_gold(protocol, stored.item, stored.responses)
    if declared is None:
        return
    given, keys = list_gold_answers(db, view), dict(zip(stored.response_ids, stored.responses, strict=True))
    asked: dict[str, list[str]] = {}
    for slot in slots:
        asked.setdefault(slot.question.key, []).append(_cell(slot, given.get((slot.question.key, slot.turn), {}), keys))
    score = score_of(declared.expect, asked)
    record_gold(
        db,
        view,
        {
            "check": name_of_gold(protocol, declared),
            "is_passed": score.n_right == score.n_expected,
            "n_right": score.n_right,
            "n_expected": score.n_expected,
        },
    )


def _cell(slot: Slot, rows: Mapping[int | None, Given], keys: Mapping[int, str]) -> str:
    """The answer in a slot, written as in the protocol's expected answers; empty if there is none."""
    own = rows if slot.shown else {slot.response_id: rows[slot.response_id]} if slot.response_id in rows else {}
    return slot.question.cell(slot.question.from_rows(own), keys) if own else ""
