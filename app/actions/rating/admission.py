"""Whether a rater can start: limits on the number of raters, in total and by their attributes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from app.design.allocation.allocate import full_quota
from app.storage.answers.rater_answers import list_rater_answers
from app.storage.raters.admission import count_by_value, count_others, lock_study

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy import Connection

    from app.design.protocol.study import Protocol
    from app.design.protocol.study_design import Design
    from app.storage.raters.rating_sessions import RatingSession

Turned = Literal["wait", "full"]


def turned_away(db: Connection, session: RatingSession, protocol: Protocol) -> Turned | None:
    """None if there is room for this rater; otherwise whether a place may become free. Locks the study if limits apply.

    Active raters are already counted. Raters who left are replaced by later ones, and checked again when they return.
    """
    design = protocol.design
    if session.session_state == "active" or (design.max_raters is None and not design.quotas):
        return None
    lock_study(db, session.study_id)
    return _turned_away(db, session, design, design.quotas)


def foreseen(db: Connection, session: RatingSession, protocol: Protocol) -> Turned | None:
    """The same check before a rater starts, without a lock, as far as the answers are known by then.

    If a quota depends on a question that has not been asked yet, there is room as long as any of its values has room.
    """
    design = protocol.design
    if design.max_raters is None and not design.quotas:
        return None
    answered = {str(answer["question"]) for answer in list_rater_answers(db, session)} if design.quotas else set()
    open_questions = {key for key in design.quotas if protocol.question(key) and key not in answered}
    known = {key: values for key, values in design.quotas.items() if key not in open_questions}
    if turned := _turned_away(db, session, design, known):
        return turned
    if not open_questions:
        return None
    counts = count_by_value(db, session, list(design.quotas))
    for key in open_questions:
        values = design.quotas[key]
        if all(counts.n_finished[key, value] >= n for value, n in values.items()):
            return "full"
        if all(counts.n_finished[key, value] + counts.n_active[key, value] >= n for value, n in values.items()):
            return "wait"
    return None


def _turned_away(
    db: Connection, session: RatingSession, design: Design, quotas: Mapping[str, Mapping[str, int]]
) -> Turned | None:
    n_finished, n_active = count_others(db, session)
    if design.max_raters is not None and n_finished + n_active >= design.max_raters:
        return "full" if n_finished >= design.max_raters else "wait"
    counts = count_by_value(db, session, list(quotas))
    if full_quota(quotas, counts.own, counts.n_finished):
        return "full"
    return "wait" if full_quota(quotas, counts.own, counts.n_finished + counts.n_active) else None
