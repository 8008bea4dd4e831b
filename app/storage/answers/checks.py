"""Answered checks: events of the kind `check`, which the report and checks.csv read."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from sqlalchemy import text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy import Connection

    from app.storage.raters.rating_sessions import RatingSession

_RECORD = text("""
    INSERT INTO events (study_id, rater_id, kind, detail) VALUES (:study, :rater, 'check', CAST(:detail AS jsonb))
""")
_LIST = text("""
    SELECT detail FROM events WHERE study_id = :study AND rater_id = :rater AND kind = 'check' ORDER BY id
""")
_PASSED = text("""
    SELECT count(*) FROM assignments
    WHERE study_id = :study AND rating_session_id = :session AND state IN ('done', 'skipped')
""")


def record_check(db: Connection, session: RatingSession, detail: Mapping[str, object]) -> None:
    """Store how a check was answered. `detail` contains `check` (its key) and `is_passed`."""
    words = json.dumps(detail, ensure_ascii=False)
    db.execute(_RECORD, {"study": session.study_id, "rater": session.rater_id, "detail": words})


def list_checks(db: Connection, session: RatingSession) -> list[dict[str, Any]]:
    """The checks that a rater has answered, in order."""
    return list(db.execute(_LIST, {"study": session.study_id, "rater": session.rater_id}).scalars())


def count_passed_trials(db: Connection, session: RatingSession) -> int:
    """Number of trials that a rating session has completed or skipped."""
    values = {"study": session.study_id, "session": session.session_id}
    return int(db.execute(_PASSED, values).scalar_one())
