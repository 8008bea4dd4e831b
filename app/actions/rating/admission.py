"""Whether a rater can start: limits on the number of raters, in total and by their attributes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from app.design.allocation.admission_limits import all_limits, limits_of
from app.storage.answers.rater_answers import list_rater_answers
from app.storage.raters.admission import (
    claim_admission,
    create_admission_seats,
    get_attributes,
    list_held,
    record_admission,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection

    from app.design.allocation.admission_limits import Limit
    from app.design.protocol.study import Protocol
    from app.storage.raters.admission import Held
    from app.storage.raters.rating_sessions import RatingSession

Turned = Literal["wait", "full"]


def make_admission_seats(db: Connection, study_id: int, protocol: Protocol) -> None:
    """Create the seats of a study that opens."""
    if limits := all_limits(protocol.design):
        create_admission_seats(db, study_id, limits)


def admit(db: Connection, session: RatingSession, protocol: Protocol) -> Turned | None:
    """Take a seat of each limit: None if the rater has them; otherwise whether one may become free.

    Active raters have theirs. Raters who left have released theirs, and need new ones when they return.
    """
    if session.session_state == "active" or not _is_limited(protocol):
        return None
    limits = _own_limits(db, session, protocol)
    if claim_admission(db, session, limits):
        return None
    return _turned(list_held(db, session, limits))


def keep_admission(db: Connection, session: RatingSession, protocol: Protocol) -> None:
    """Count a rater who has finished, also if their seats were given to another rater while they were away."""
    if _is_limited(protocol):
        record_admission(db, session, _own_limits(db, session, protocol))


def foreseen(db: Connection, session: RatingSession, protocol: Protocol) -> Turned | None:
    """Whether there is room, before a rater starts, as far as the answers are known by then.

    If a quota depends on a question that has not been asked yet, there is room as long as any of its values has room.
    """
    if not _is_limited(protocol):
        return None
    quotas = protocol.design.quotas
    answered = {str(answer["question"]) for answer in list_rater_answers(db, session)} if quotas else set()
    unknown = {key for key in quotas if protocol.question(key) and key not in answered}
    known = get_attributes(db, session, [key for key in quotas if key not in unknown])
    held = list_held(db, session, limits_of(protocol.design, known))
    if any(limit.is_taken for limit in held):
        return _turned(held)
    possible = [limit for limit in all_limits(protocol.design) if limit.attribute in unknown]
    by_question = list_held(db, session, possible) if possible else []
    for key in sorted(unknown):
        values = [limit for limit in by_question if limit.attribute == key]
        if all(limit.is_taken for limit in values):
            return "full" if all(limit.is_final for limit in values) else "wait"
    return None


def _turned(held: Sequence[Held]) -> Turned:
    return "full" if any(limit.is_final for limit in held) else "wait"


def _is_limited(protocol: Protocol) -> bool:
    return protocol.design.max_raters is not None or bool(protocol.design.quotas)


def _own_limits(db: Connection, session: RatingSession, protocol: Protocol) -> list[Limit]:
    quotas = list(protocol.design.quotas)
    return limits_of(protocol.design, get_attributes(db, session, quotas) if quotas else {})
