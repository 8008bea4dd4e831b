"""Rating sessions: which rater a cookie belongs to. Every request extends the lease."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from datetime import datetime
from typing import Any, Self

from sqlalchemy import Connection, text

from app.base.database.hot_statement import HotStatement
from app.base.database.keys import token_hash

# The study in a rater's address: identified by its token, or by its slug if someone typed that.
#
# The slug of a draft opens nothing, because slugs can be guessed: only members of the study can see that the draft
# exists. Its token, which only they can have passed on, is answered with "not open yet".

# Expects :slug, the part of the address after /s/.
STUDY_OF_ADDRESS = """
    (SELECT id FROM studies WHERE rater_token = :slug
     UNION ALL SELECT id FROM studies WHERE slug = :slug AND status <> 'draft' LIMIT 1)
"""


ENDED = frozenset({"finished", "screened_out", "failed_checks", "withdrawn"})

# The rating session of a cookie, :hash: of its first browser, or of one that arrived with an ID alone. The update
# extends the lease. It also locks the row, so that requests from two tabs or a double click run one after the other.
OF_COOKIE = f"""
    UPDATE rating_sessions AS s
    SET last_seen_at = now(), lease_expires_at = now() + make_interval(mins => s.lease_minutes)
    FROM studies st, protocols p
    WHERE st.id = {STUDY_OF_ADDRESS} AND s.study_id = st.id
      AND s.id = coalesce((SELECT o.id FROM rating_sessions o
                           WHERE o.study_id = {STUDY_OF_ADDRESS} AND o.token_hash = :hash),
                          (SELECT m.rating_session_id FROM session_moves m
                           WHERE m.study_id = {STUDY_OF_ADDRESS} AND m.token_hash = :hash))
      AND p.study_id = s.study_id AND p.version = s.protocol_version
    RETURNING
      s.study_id, s.id AS session_id, s.rater_id, s.state AS session_state, s.keys_off,
      s.begun_at IS NOT NULL AS has_begun, s.protocol_version, p.sha256, p.title, st.status, st.seed,
      coalesce(s.condition, '') AS condition,
      (SELECT pool FROM raters r WHERE r.study_id = s.study_id AND r.id = s.rater_id) AS pool,
      s.paused_at IS NOT NULL AS is_paused, s.finished_at,
      ARRAY(SELECT step FROM steps d WHERE d.study_id = s.study_id AND d.rating_session_id = s.id) AS passed,
      EXISTS (SELECT FROM rater_messages n
              WHERE n.study_id = s.study_id AND n.rater_id = s.rater_id AND n.read_at IS NULL) AS has_message,
      (SELECT m.id FROM session_moves m WHERE m.study_id = s.study_id AND m.token_hash = :hash) AS move_id
"""  # noqa: S608 - constants only
_OF_COOKIE = HotStatement(OF_COOKIE)
# Why an item was skipped that has to be written with another rater, as in assignments.csv.
NO_PARTNER = "no partner"
# Whether the rater of session `o` had no partner and rated nothing: they leave their place to another when they finish.
HAD_NO_PARTNER = f"""(
    SELECT coalesce(bool_or(a.skip_reason = '{NO_PARTNER}') AND NOT bool_or(a.state = 'done'), false)
    FROM assignments a WHERE a.study_id = o.study_id AND a.rating_session_id = o.id
)"""  # noqa: S608 - constants only
_FINISH = text(f"""
    WITH unrated AS (
      SELECT o.id FROM rating_sessions o WHERE o.study_id = :study AND o.id = :session AND {HAD_NO_PARTNER}
    ), released AS (
      UPDATE admission_seats SET rating_session_id = NULL
      WHERE study_id = :study AND rating_session_id IN (SELECT id FROM unrated)
    ), condition_released AS (
      UPDATE condition_seats SET rating_session_id = NULL
      WHERE study_id = :study AND rating_session_id IN (SELECT id FROM unrated)
    )
    UPDATE rating_sessions SET state = 'finished', finished_at = coalesce(finished_at, now())
    WHERE study_id = :study AND id = :session
""")  # noqa: S608 - constants only
# Raters who are no longer active release their seats.
_STATE = text("""
    WITH changed AS (
      UPDATE rating_sessions SET state = :state
      WHERE study_id = :study AND id = :session AND state IN ('arrived', 'active', 'expired', 'full') RETURNING id
    ), released AS (
      UPDATE admission_seats SET rating_session_id = NULL
      WHERE study_id = :study AND rating_session_id IN (SELECT id FROM changed) AND :state <> 'active'
    )
    UPDATE condition_seats SET rating_session_id = NULL
    WHERE study_id = :study AND rating_session_id IN (SELECT id FROM changed) AND :state <> 'active'
""")
_STEP = text("""
    INSERT INTO steps (study_id, rating_session_id, step, detail)
    VALUES (:study, :session, :step, CAST(:detail AS jsonb)) ON CONFLICT DO NOTHING
""")
# When a session finished or completed a step, and in which browser.
_DONE_AT = text("""
    SELECT coalesce(d.done_at, s.finished_at) > now() - interval '10 minutes' AS is_fresh, d.detail ->> 'move' AS move
    FROM rating_sessions s LEFT JOIN steps d
      ON d.study_id = s.study_id AND d.rating_session_id = s.id AND d.step = :step
    WHERE s.study_id = :study AND s.id = :session
""")
_BEGIN = text("""
    UPDATE rating_sessions SET begun_at = coalesce(begun_at, now()) WHERE study_id = :study AND id = :session
""")
_KEYS = text("UPDATE rating_sessions SET keys_off = :off WHERE study_id = :study AND id = :session")
_RATER = text("SELECT key, pool FROM raters WHERE study_id = :study AND id = :rater")
_ORIGIN = text("""
    SELECT p.platform, coalesce(m.parameters, p.parameters) AS parameters
    FROM platform_ids p LEFT JOIN session_moves m ON m.study_id = p.study_id AND m.id = CAST(:move AS bigint)
    WHERE p.study_id = :study AND p.rater_id = :rater ORDER BY p.platform
""")


class NotHereError(PermissionError):
    """An ID alone is not enough to end a participation or to delete answers, because others may know it."""


@dataclass(frozen=True, slots=True)
class RatingSession:
    """One rater's rating session, as the request handlers need it."""

    study_id: int
    session_id: int
    rater_id: int
    session_state: str
    keys_off: bool
    has_begun: bool
    protocol_version: int
    sha256: str
    title: str
    status: str
    seed: int
    condition: str
    pool: str | None
    is_paused: bool
    passed: tuple[str, ...]
    move_id: int | None = None
    has_message: bool = False
    finished_at: datetime | None = None

    @classmethod
    def of(cls, row: Mapping[Any, Any]) -> Self:
        """Create from a row with OF_COOKIE's columns."""
        values = {name: row[name] for name in _FIELDS}
        return cls(**values | {"passed": tuple(values["passed"])})

    @property
    def is_moved(self) -> bool:
        """Whether this browser arrived with an ID alone, and so must not show answers given in another browser."""
        return self.move_id is not None

    @property
    def has_ended(self) -> bool:
        """Whether the rater is done and will not be asked anything more."""
        return self.session_state in ENDED


_FIELDS = tuple(field.name for field in fields(RatingSession))


def get_rating_session(db: Connection, slug: str, token: str) -> RatingSession | None:
    """The rating session of a cookie, with its lease extended; None if the cookie is not for this study."""
    row = _OF_COOKIE.one_or_none(db, {"slug": slug, "hash": token_hash(token)})
    return None if row is None else RatingSession.of(row)


def record_state(db: Connection, session: RatingSession, state: str) -> None:
    """Set the state: active, expired, full, or how the rating session ended. Ended sessions do not change."""
    db.execute(_STATE, {"study": session.study_id, "session": session.session_id, "state": state})


def record_step(
    db: Connection, session: RatingSession, step: str, detail: Mapping[str, object] | None = None
) -> RatingSession:
    """Record that a step is completed, for good; returns the updated session."""
    row = {"study": session.study_id, "session": session.session_id, "step": step}
    db.execute(_STEP, row | {"detail": json.dumps(detail or {}, ensure_ascii=False)})
    return replace(session, passed=(*session.passed, step))


def how_ended(db: Connection, session: RatingSession, step: str) -> tuple[bool, bool]:
    """Whether the rater completed a step just now, and whether in this browser, if the step records that.

    The session, if there is no such step.
    """
    row = db.execute(_DONE_AT, {"study": session.study_id, "session": session.session_id, "step": step}).one()
    return bool(row.is_fresh), row.move is not None and row.move == str(session.move_id)


def record_begin(db: Connection, session: RatingSession) -> None:
    """Record that the rater has read the instructions and started."""
    db.execute(_BEGIN, {"study": session.study_id, "session": session.session_id})


def record_finish(db: Connection, session: RatingSession) -> None:
    """Record that the rater has completed everything."""
    db.execute(_FINISH, {"study": session.study_id, "session": session.session_id})


def record_keys_off(db: Connection, session: RatingSession, *, off: bool) -> None:
    """Record whether this rater has switched off keyboard shortcuts."""
    db.execute(_KEYS, {"study": session.study_id, "session": session.session_id, "off": off})


def get_rater(db: Connection, session: RatingSession) -> tuple[str, str | None]:
    """The rater's pseudonym, which determines the order and sides of their trials, and their pool."""
    row = db.execute(_RATER, {"study": session.study_id, "rater": session.rater_id}).one()
    return row.key, row.pool


def get_origin(db: Connection, session: RatingSession) -> tuple[str | None, Mapping[str, str]]:
    """The platform from which the rater came, and the parameters of the link other than the ID."""
    values = {"study": session.study_id, "rater": session.rater_id, "move": session.move_id}
    row = db.execute(_ORIGIN, values).first()
    return (None, {}) if row is None else (row.platform, row.parameters)
