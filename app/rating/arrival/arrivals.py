"""Arrivals: from a link to a pseudonymous rater and their rating session."""

import hmac
import json
import secrets
import secrets as random_secrets
from base64 import b32encode, urlsafe_b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from sqlalchemy import Connection, text

from app.base.database.keys import installation_key, keyed, token_hash
from app.rating.sessions import STUDY_OF_ADDRESS, RatingSession

# Moves: rating sessions that continue in a browser that has only the platform's participant ID.
#
# An ID can be guessed or shared. Such a browser therefore gets a separate cookie, which continues at the next open
# trial; answers given elsewhere cannot be seen, changed or deleted there.

_FIND = text("""
    SELECT EXISTS (SELECT FROM session_moves
                   WHERE study_id = :study AND rating_session_id = :session AND token_hash = :hash)
""")
_RECORD = text("""
    WITH moved AS (
      INSERT INTO session_moves (study_id, rating_session_id, token_hash, parameters)
      VALUES (:study, :session, :hash, CAST(:parameters AS jsonb)) RETURNING study_id
    )
    INSERT INTO events (study_id, rater_id, kind) SELECT study_id, :rater, 'session_moved' FROM moved
""")
_TAKE_OVER = text("""
    UPDATE assignments SET move_id = :move, moved_at = CASE WHEN CAST(:move AS bigint) IS NULL THEN NULL ELSE now() END
    WHERE study_id = :study AND id = :assignment
""")


def record_move(
    db: Connection,
    study_id: int,
    session_id: int,
    rater_id: int,
    *,
    cookie: str | None,
    parameters: Mapping[str, str],
) -> str:
    """Continue a rating session in another browser; returns the token for its cookie, its current one if it has one.

    Args:
        db: the transaction.
        study_id: the study.
        session_id: the rating session.
        rater_id: the rater of the session.
        cookie: the cookie that the browser already has.
        parameters: parameters of its link other than the ID; those of the first browser are not changed.
    """
    values = {"study": study_id, "session": session_id}
    if cookie and db.execute(_FIND, {**values, "hash": token_hash(cookie)}).scalar_one():
        return cookie
    token = secrets.token_urlsafe(32)
    row = {"rater": rater_id, "hash": token_hash(token), "parameters": json.dumps(dict(parameters))}
    db.execute(_RECORD, {**values, **row})
    return token


def take_over(db: Connection, session: RatingSession, assignment_id: int) -> None:
    """Give an assignment to this browser; answers to it from another browser are no longer shown here.

    The first browser has full access, so it shows all answers again.
    """
    values = {"study": session.study_id, "assignment": assignment_id, "move": session.move_id}
    db.execute(_TAKE_OVER, values)


_DOOR = """
    SELECT s.id, s.slug, s.status, s.protocol_version, p.sha256, p.title
    FROM studies s JOIN protocols p ON p.study_id = s.id AND p.version = s.protocol_version
"""
_OF_ADDRESS = text(f"{_DOOR} WHERE s.id = {STUDY_OF_ADDRESS}")
_OF_SLUG = text(f"{_DOOR} WHERE s.slug = :slug")
# A conflict does not update the rater: the lock would block foreign-key checks from the rater's other tabs.
_LOCK = text("SELECT pg_advisory_xact_lock(:key)")
_NEW_RATER = text("""
    INSERT INTO raters (study_id, key, pool, is_simulated) VALUES (:study, :key, :pool, :simulated)
    ON CONFLICT DO NOTHING
""")
_RATER = text("SELECT id FROM raters WHERE study_id = :study AND key = :key")
_PLATFORM_ID = text("""
    INSERT INTO platform_ids (study_id, rater_id, platform, platform_id, parameters)
    VALUES (:study, :rater, :platform, :platform_id, CAST(:parameters AS jsonb))
    ON CONFLICT (study_id, platform, platform_id) DO UPDATE SET parameters = excluded.parameters
""")
_SESSION = text("""
    INSERT INTO rating_sessions (study_id, rater_id, token_hash, protocol_version, lease_minutes, lease_expires_at)
    VALUES (:study, :rater, :hash, :version, :lease, now() + make_interval(mins => :lease))
    ON CONFLICT (token_hash) DO UPDATE SET last_seen_at = now() RETURNING state
""")
# `is_just_begun`: the link was opened twice at once, and the browser does not have the first response's cookie yet.
_THERE = text("""
    SELECT s.id, s.rater_id, s.state,
           s.arrived_at > now() - interval '5 seconds' AND s.begun_at IS NULL AND NOT EXISTS (
             SELECT FROM steps d WHERE d.study_id = s.study_id AND d.rating_session_id = s.id) AS is_just_begun
    FROM rating_sessions s WHERE s.study_id = :study AND s.token_hash = :hash
""")
_DELETED = text("""
    SELECT EXISTS (SELECT FROM withdrawals WHERE study_id = :study AND token_hash = :hash AND deleted_at IS NOT NULL)
""")
_INVITE = text("""
    SELECT i.rater_id, r.key FROM invites i
    LEFT JOIN raters r ON r.study_id = i.study_id AND r.id = i.rater_id
    WHERE i.study_id = :study AND i.token_hash = :hash AND i.revoked_at IS NULL FOR UPDATE OF i
""")
_INVITED = text("UPDATE invites SET rater_id = :rater WHERE study_id = :study AND token_hash = :hash")
_NEW_INVITE = text("INSERT INTO invites (study_id, token_hash, rater_id) VALUES (:study, :hash, :rater)")
_KEY_NAME = "rater pseudonyms"


@dataclass(frozen=True, slots=True)
class ArrivalStudy:
    """What an arriving rater needs to know about a study."""

    id: int
    slug: str
    status: str
    protocol_version: int
    sha256: str
    title: str


@dataclass(frozen=True, slots=True)
class Identity:
    """What a link says about the rater. `platform` is `invite` for personal links.

    `cookie`: the cookie that the browser has for this study.
    """

    platform: str
    platform_id: str
    parameters: Mapping[str, str] = field(default_factory=dict)
    cookie: str | None = None


@dataclass(frozen=True, slots=True)
class OpenedSession:
    """The rating session of an arriving rater: the token for the cookie, and the state of the session.

    After a deletion `rater_id` is None, and the token is empty in a browser that only has a participant ID.
    `is_just_moved`: this browser arrived with an ID alone, within seconds of the first one.
    """

    token: str
    state: str
    study_id: int
    rater_id: int | None
    is_just_moved: bool = False


def get_arrival_study(db: Connection, slug: str) -> ArrivalStudy | None:
    """The study of a rater's address, or None; see `STUDY_OF_ADDRESS`."""
    row = db.execute(_OF_ADDRESS, {"slug": slug}).one_or_none()
    return None if row is None else ArrivalStudy(*row)


def get_own_arrival_study(db: Connection, slug: str) -> ArrivalStudy | None:
    """The study with this slug, even if it is a draft, for people of the study; or None."""
    row = db.execute(_OF_SLUG, {"slug": slug}).one_or_none()
    return None if row is None else ArrivalStudy(*row)


def record_arrival(
    db: Connection,
    study: ArrivalStudy,
    who: Identity,
    *,
    lease_minutes: int,
    pool: str | None = None,
    is_simulated: bool = False,
) -> OpenedSession:
    """Record an arrival; the same ID leads to the same rater and rating session on any device.

    The token of the first browser's cookie is derived from the installation's key and the rater; only its hash is
    stored. Another browser that has the ID but not this token gets a separate token with less access.

    Args:
        db: the transaction.
        study: the study.
        who: what the link and the browser provide.
        lease_minutes: how long the rater's seats are kept.
        pool: the pool of a new rater.
        is_simulated: whether the rater is simulated.
    """
    key = installation_key(db, _KEY_NAME)
    pseudonym = who.platform_id if is_simulated else _pseudonym(key, study.id, who.platform, who.platform_id)
    token = _token(key, study, pseudonym)
    is_known = is_simulated or who.platform == "invite" or hmac.compare_digest(token, _ascii(who.cookie))
    if gone := _gone(db, study, token):
        return gone if is_known else replace(gone, token="")
    # If two requests arrive at once, the second waits here until the first has a rating session.
    db.execute(_LOCK, {"key": int.from_bytes(token_hash(token)[:8], signed=True)})
    if not is_known and (moved := _move(db, study, token, who)):
        return moved
    db.execute(_NEW_RATER, {"study": study.id, "key": pseudonym, "pool": pool, "simulated": is_simulated})
    rater_id = db.execute(_RATER, {"study": study.id, "key": pseudonym}).scalar_one()
    if who.platform != "invite" and not is_simulated:
        parameters = json.dumps(dict(who.parameters))
        row = {"platform": who.platform, "platform_id": who.platform_id, "parameters": parameters}
        db.execute(_PLATFORM_ID, {"study": study.id, "rater": rater_id, **row})
    return _get_or_start_session(db, study, rater_id, token, lease_minutes)


def has_arrived(db: Connection, study: ArrivalStudy, platform: str, platform_id: str) -> bool:
    """Whether somebody has arrived with this ID of a platform before."""
    key = installation_key(db, _KEY_NAME)
    token = _token(key, study, _pseudonym(key, study.id, platform, platform_id))
    there = db.execute(_THERE, {"study": study.id, "hash": token_hash(token)}).one_or_none()
    return there is not None or _gone(db, study, token) is not None


def _ascii(cookie: str | None) -> str:
    """The cookie if it is ASCII, as `compare_digest` requires; otherwise empty, because our tokens are ASCII."""
    return cookie if cookie and cookie.isascii() else ""


def _move(db: Connection, study: ArrivalStudy, token: str, who: Identity) -> OpenedSession | None:
    """The rating session for a browser that has only the ID; None if no one has arrived with this ID."""
    there = db.execute(_THERE, {"study": study.id, "hash": token_hash(token)}).one_or_none()
    if there is None:
        return None
    own = record_move(db, study.id, there.id, there.rater_id, cookie=who.cookie, parameters=who.parameters)
    is_just_moved = there.is_just_begun and own != who.cookie
    return OpenedSession(own, there.state, study.id, there.rater_id, is_just_moved=is_just_moved)


def _token(key: bytes, study: ArrivalStudy, rater: str) -> str:
    return urlsafe_b64encode(keyed(key, "session", study.id, rater)).decode().rstrip("=")


def _gone(db: Connection, study: ArrivalStudy, token: str) -> OpenedSession | None:
    """The rating session of a rater whose answers were deleted: they cannot start again."""
    is_gone = db.execute(_DELETED, {"study": study.id, "hash": token_hash(token)}).scalar_one()
    return OpenedSession(token, "withdrawn", study.id, None) if is_gone else None


def _get_or_start_session(
    db: Connection, study: ArrivalStudy, rater_id: int, token: str, lease_minutes: int
) -> OpenedSession:
    """The rater's only rating session, either new or existing."""
    session = {"hash": token_hash(token), "version": study.protocol_version, "lease": lease_minutes}
    state = db.execute(_SESSION, {"study": study.id, "rater": rater_id, **session}).scalar_one()
    return OpenedSession(token, state, study.id, rater_id)


def record_invited_arrival(
    db: Connection, study: ArrivalStudy, invite: str, *, lease_minutes: int
) -> OpenedSession | None:
    """Record the arrival of a rater with a personal link: the rater it was made for or, if none, a new one.

    None if the link is unknown or revoked.
    """
    hashed = token_hash(invite)
    found = db.execute(_INVITE, {"study": study.id, "hash": hashed}).one_or_none()
    if found is None:
        return None
    if found.rater_id is not None:
        token = _token(installation_key(db, _KEY_NAME), study, found.key)
        return _gone(db, study, token) or _get_or_start_session(db, study, found.rater_id, token, lease_minutes)
    rating_session = record_arrival(db, study, Identity("invite", hashed.hex()), lease_minutes=lease_minutes)
    if rating_session.rater_id is not None:
        db.execute(_INVITED, {"study": study.id, "hash": hashed, "rater": rating_session.rater_id})
    return rating_session


def record_invite(db: Connection, study_id: int, rater_id: int | None = None) -> str:
    """Create a personal link, for one rater or for anyone. Its token is shown once and stored as a hash."""
    token = random_secrets.token_urlsafe(32)
    db.execute(_NEW_INVITE, {"study": study_id, "hash": token_hash(token), "rater": rater_id})
    return token


def _pseudonym(key: bytes, study_id: int, platform: str, platform_id: str) -> str:
    """A pseudonym that cannot be reversed without the key and that differs between studies."""
    return "r-" + b32encode(keyed(key, "rater", study_id, platform, platform_id)).decode().lower()[:16]


# Raters who do not consent: no data about them are kept.

_REFUSE = (
    text("DELETE FROM platform_ids WHERE study_id = :study AND rater_id = :rater"),
    # A rater whom the lead listed existed before the rating session and is kept. Personal links can be used again.
    text("""
        WITH came AS (
          SELECT r.id FROM raters r JOIN rating_sessions s ON s.study_id = r.study_id AND s.rater_id = r.id
          WHERE r.study_id = :study AND r.id = :rater AND s.id = :session AND r.created_at = s.arrived_at
        ), freed AS (
          UPDATE invites SET rater_id = NULL WHERE study_id = :study AND rater_id IN (SELECT id FROM came)
        )
        DELETE FROM raters WHERE study_id = :study AND id IN (SELECT id FROM came)
    """),
    text("DELETE FROM rating_sessions WHERE study_id = :study AND id = :session"),
    text("UPDATE studies SET n_refused = n_refused + 1 WHERE id = :study"),
)


def record_refusal(db: Connection, session: RatingSession) -> None:
    """Delete the rater, and count one more refusal of consent."""
    who = {"study": session.study_id, "rater": session.rater_id, "session": session.session_id}
    for statement in _REFUSE:
        db.execute(statement, who)
