"""Messages of leads to raters: sent to those with an open session, and read before their next page."""

from dataclasses import dataclass
from datetime import datetime
from uuid import uuid4

from sqlalchemy import Connection, text

from app.accounts.leads import Lead
from app.base.words import typed
from app.protocol.opening import sources_named
from app.rating.sessions import RatingSession
from app.studies.audit import record_act
from app.studies.protocols import get_protocol
from app.studies.studies import StudyRow

# Raters who have not ended. Those whose lease has expired can come back, so they get messages too.
OPEN_STATES = ("arrived", "active", "expired", "full")
_SEND = text("""
    INSERT INTO rater_messages (study_id, rater_id, batch, text, lead_id)
    SELECT DISTINCT s.study_id, s.rater_id, CAST(:batch AS uuid), :text, CAST(:lead AS bigint) FROM rating_sessions s
    JOIN raters r ON r.study_id = s.study_id AND r.id = s.rater_id
    WHERE s.study_id = :study AND s.state = ANY (CAST(:open AS text[])) AND NOT r.is_simulated
      AND (CAST(:key AS text) IS NULL OR r.key = :key)
""")
_COUNT = text("""
    SELECT count(DISTINCT s.rater_id) FROM rating_sessions s
    JOIN raters r ON r.study_id = s.study_id AND r.id = s.rater_id
    WHERE s.study_id = :study AND s.state = ANY (CAST(:open AS text[])) AND NOT r.is_simulated
""")
_UNREAD = text("""
    SELECT id, text, sent_at FROM rater_messages
    WHERE study_id = :study AND rater_id = :rater AND read_at IS NULL ORDER BY id
""")
_READ = text("""
    UPDATE rater_messages SET read_at = now()
    WHERE study_id = :study AND rater_id = :rater AND read_at IS NULL AND id <= :last
""")
_SENT = text("""
    SELECT m.text, min(m.sent_at) AS sent_at, min(l.email) AS lead, count(*) AS n_raters, count(m.read_at) AS n_read,
           CASE WHEN count(*) = 1 THEN min(r.key) END AS rater
    FROM rater_messages m JOIN raters r ON r.study_id = m.study_id AND r.id = m.rater_id
    LEFT JOIN leads l ON l.id = m.lead_id
    WHERE m.study_id = :study GROUP BY m.batch, m.text ORDER BY min(m.id) DESC LIMIT :n
""")


@dataclass(frozen=True, slots=True)
class UnreadMessage:
    """A message that its rater has not confirmed yet."""

    id: int
    text: str
    sent_at: datetime


@dataclass(frozen=True, slots=True)
class SentMessage:
    """A message as its lead sees it. `rater` is the pseudonym if it went to one rater only."""

    text: str
    sent_at: datetime
    lead: str | None
    n_raters: int
    n_read: int
    rater: str | None


def record_message(db: Connection, study_id: int, words: str, *, lead_id: int, rater: str | None) -> int:
    """Send a message to one rater, by pseudonym, or to all whose session is open; returns to how many."""
    who = {"study": study_id, "open": list(OPEN_STATES), "key": rater}
    return db.execute(_SEND, {**who, "text": words, "lead": lead_id, "batch": str(uuid4())}).rowcount


def count_open_raters(db: Connection, study_id: int) -> int:
    """How many raters have an open session."""
    return int(db.execute(_COUNT, {"study": study_id, "open": list(OPEN_STATES)}).scalar_one())


def list_unread(db: Connection, session: RatingSession) -> list[UnreadMessage]:
    """The messages that a rater has not confirmed yet, oldest first."""
    values = {"study": session.study_id, "rater": session.rater_id}
    return [UnreadMessage(*row) for row in db.execute(_UNREAD, values)]


def record_read(db: Connection, session: RatingSession, last_id: int) -> None:
    """Record that a rater has read all messages up to this one, which was the last on their page."""
    db.execute(_READ, {"study": session.study_id, "rater": session.rater_id, "last": last_id})


def list_sent(db: Connection, study_id: int, n: int) -> list[SentMessage]:
    """The last n messages to raters of a study, newest first."""
    return [SentMessage(*row) for row in db.execute(_SENT, {"study": study_id, "n": n})]


# A lead writes to raters: plain text that names no source of a blind study, noted in the audit log.

LONGEST_MESSAGE = 2000


class MessageError(ValueError):
    """The message cannot be sent; the sentence says why."""


def send_message(db: Connection, study: StudyRow, lead: Lead, words: str, *, rater: str = "") -> int:
    """Send a message to one rater, by pseudonym, or to all with an open session; returns to how many.

    Raises:
        MessageError: no usable text, a text that names a model of a blind study, or no rater to send it to.
    """
    words = typed(words)
    if not words or len(words) > LONGEST_MESSAGE or not all(one.isprintable() or one in "\n\t" for one in words):
        raise MessageError(f"Write a message of 1 to {LONGEST_MESSAGE:,} characters of plain text.")
    if named := sources_named(get_protocol(db, study.id, study.protocol_version), words):
        raise MessageError(f"The message names {', '.join(named)}. This study is blind: remove what reveals a source.")
    n_raters = record_message(db, study.id, words, lead_id=lead.id, rater=rater.strip() or None)
    if not n_raters:
        raise MessageError(
            f"No rater {rater.strip()} has an open session. Only raters who have not finished can receive messages."
            if rater.strip()
            else "No rater has an open session at the moment."
        )
    # Without the words: they may be about a person, and the log outlives the deletion of that person's data.
    record_act(db, lead, study, "message to raters sent", rater=rater.strip(), n_raters=n_raters)
    return n_raters
