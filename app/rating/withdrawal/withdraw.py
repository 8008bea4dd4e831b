"""Withdrawal: raters can stop at any time, and have their answers deleted."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, text

from app.base.database.keys import token_hash
from app.base.database.process_locks import lock_until_commit
from app.protocol.pages.steps import AFTER_RATINGS
from app.rating.rater_path import current_step
from app.rating.seats.seats import RETURN_OPEN
from app.rating.sessions import STUDY_OF_ADDRESS, NotHereError, RatingSession

# Raters who withdraw: their open seats are released, and their answers are kept or deleted, as they choose.
#
# For raters whose answers were deleted, only a receipt, the time and the hash of their cookie are kept: without the
# hash, the same person could come back as a new rater.

_GET = text(f"""
    SELECT w.study_id, w.receipt, w.protocol_version, p.sha256, w.platform, w.outcome, w.withdrew_at, w.deleted_at
    FROM withdrawals w JOIN studies s ON s.id = w.study_id
    JOIN protocols p ON p.study_id = w.study_id AND p.version = w.protocol_version
    WHERE s.id = {STUDY_OF_ADDRESS} AND w.token_hash = :hash
""")  # noqa: S608 - a fixed text
N_DELETED_RATERS = "(SELECT count(deleted_at) FROM withdrawals WHERE study_id = :study)"
_COUNT_DELETED = text(f"SELECT {N_DELETED_RATERS}")
_LAST_DELETION = text("SELECT max(deleted_at) FROM withdrawals WHERE study_id = :study")
_RECORD = text("""
    INSERT INTO withdrawals (study_id, token_hash, receipt, protocol_version, platform, outcome)
    SELECT s.study_id, s.token_hash, :receipt, s.protocol_version, (
             SELECT platform FROM platform_ids WHERE study_id = s.study_id AND rater_id = s.rater_id
             ORDER BY platform LIMIT 1), :outcome
    FROM rating_sessions s WHERE s.study_id = :study AND s.id = :session
    ON CONFLICT (study_id, token_hash) DO UPDATE SET receipt = withdrawals.receipt RETURNING receipt
""")
_RELEASE_SEATS = text("""
    WITH their AS (SELECT id FROM rating_sessions WHERE study_id = :study AND rater_id = ANY(:raters)), admission AS (
      UPDATE admission_seats SET rating_session_id = NULL
      WHERE study_id = :study AND rating_session_id IN (SELECT id FROM their)
    )
    UPDATE condition_seats SET rating_session_id = NULL
    WHERE study_id = :study AND rating_session_id IN (SELECT id FROM their)
""")
_STOP = (
    _RELEASE_SEATS,
    RETURN_OPEN,
    text("""
        UPDATE rating_sessions SET state = 'withdrawn', finished_at = NULL
        WHERE study_id = :study AND id = :session AND state <> 'withdrawn'
    """),
    text("""
        INSERT INTO events (study_id, rater_id, kind, detail)
        VALUES (:study, :rater, 'withdrawal', jsonb_build_object('receipt', CAST(:receipt AS text)))
    """),
)
_RECORD_DELETION = (
    text("""
        UPDATE withdrawals SET deleted_at = clock_timestamp() WHERE study_id = :study AND token_hash = (
          SELECT token_hash FROM rating_sessions WHERE study_id = :study AND id = :session)
    """),
    text("""
        INSERT INTO events (study_id, kind, detail)
        VALUES (:study, 'deletion', jsonb_build_object('receipt', CAST(:receipt AS text)))
    """),
)
_MADE = ("kept_results", "made_files")
# What other studies show of what they wrote. Its ratings stay; an item of which no text is left is not shown again.
_REUSED = """
    SELECT c.study_id, c.response_id FROM reused_texts c
    JOIN responses o ON o.study_id = c.origin_study_id AND o.id = c.origin_id
    WHERE o.study_id = :study AND (o.rater_id = ANY(:raters) OR EXISTS (
      SELECT FROM dyads d JOIN dyad_members m ON m.study_id = d.study_id AND m.dyad_id = d.id
      WHERE d.study_id = :study AND d.response_id = o.id AND m.rater_id = ANY(:raters)))
"""
DELETED_TEXT = "[deleted by its writer]"
_ERASE_REUSED = (
    *(
        text(f"DELETE FROM {made} WHERE study_id IN (SELECT study_id FROM ({_REUSED}) AS c)")  # noqa: S608 - our tables
        for made in _MADE
    ),
    text(f"""
        WITH erased AS (
          UPDATE responses p SET text = '{DELETED_TEXT}', turns = NULL FROM ({_REUSED}) AS c
          WHERE p.study_id = c.study_id AND p.id = c.response_id RETURNING p.study_id, p.id, p.item_id
        )
        UPDATE items i SET retired_because = 'Its writer had the text deleted.' FROM erased e
        WHERE i.study_id = e.study_id AND i.id = e.item_id AND i.retired_because IS NULL AND NOT EXISTS (
          SELECT FROM responses p WHERE p.study_id = i.study_id AND p.item_id = i.id
          AND p.id NOT IN (SELECT id FROM erased WHERE study_id = i.study_id))
    """),  # noqa: S608 - a fixed text
)
# What they wrote with another rater, who stays: the other's words are kept, as theirs, to be reviewed once more.
_LEAVE_DYADS = text(f"""
    WITH gone AS (
      SELECT d.response_id, m.role, o.rater_id, r.key
      FROM dyad_members m
      JOIN dyads d ON d.study_id = m.study_id AND d.id = m.dyad_id
      JOIN dyad_members o ON o.study_id = m.study_id AND o.dyad_id = m.dyad_id AND o.rater_id <> ALL(:raters)
      JOIN raters r ON r.study_id = o.study_id AND r.id = o.rater_id
      WHERE m.study_id = :study AND m.rater_id = ANY(:raters)
    ), unreviewed AS (
      DELETE FROM text_reviews WHERE study_id = :study AND response_id IN (SELECT response_id FROM gone)
    )
    UPDATE responses p SET rater_id = gone.rater_id,
      turns = (SELECT jsonb_agg(CASE WHEN t ->> 'by' = gone.role THEN t || '{{"text": "{DELETED_TEXT}"}}' ELSE t END
                                ORDER BY n) FROM jsonb_array_elements(p.turns) WITH ORDINALITY AS e (t, n)),
      attributes = p.attributes - ARRAY['written_with', gone.role || '_messages', gone.role || '_words',
        gone.role || '_first_person_share'] || jsonb_build_object('written_by', gone.key)
    FROM gone WHERE p.study_id = :study AND p.id = gone.response_id
""")  # noqa: S608 - a fixed text
# In this order, so that references are deleted before their targets. The history of a rating is deleted with it.
# Kept results and made files are deleted, because they may show the deleted answers.
_DELETE = (
    text("""
        UPDATE seats SET assignment_id = NULL WHERE study_id = :study AND assignment_id IN (
          SELECT id FROM assignments WHERE study_id = :study AND rater_id = ANY(:raters))
    """),
    _RELEASE_SEATS,
    text("DELETE FROM rater_messages WHERE study_id = :study AND rater_id = ANY(:raters)"),
    text("DELETE FROM reported_problems WHERE study_id = :study AND rater_id = ANY(:raters)"),
    text("DELETE FROM webhook_deliveries WHERE study_id = :study AND rater_id = ANY(:raters)"),
    text("DELETE FROM ratings WHERE study_id = :study AND rater_id = ANY(:raters)"),
    text("DELETE FROM events WHERE study_id = :study AND rater_id = ANY(:raters)"),
    *_ERASE_REUSED,
    _LEAVE_DYADS,
    text("DELETE FROM assignments WHERE study_id = :study AND rater_id = ANY(:raters)"),
    text("DELETE FROM responses WHERE study_id = :study AND rater_id = ANY(:raters)"),
    text("DELETE FROM platform_ids WHERE study_id = :study AND rater_id = ANY(:raters)"),
    # A rater whom the lead listed existed before the rating session and is kept. Personal links can be used again.
    text("""
        WITH came AS (
          SELECT r.id FROM raters r JOIN rating_sessions s ON s.study_id = r.study_id AND s.rater_id = r.id
          WHERE r.study_id = :study AND r.id = ANY(:raters) AND r.created_at = s.arrived_at
        ), freed AS (
          UPDATE invites SET rater_id = NULL WHERE study_id = :study AND rater_id IN (SELECT id FROM came)
        )
        DELETE FROM raters WHERE study_id = :study AND id IN (SELECT id FROM came)
    """),
    text("UPDATE raters SET is_simulated = false WHERE study_id = :study AND id = ANY(:raters)"),
    text("DELETE FROM rating_sessions WHERE study_id = :study AND rater_id = ANY(:raters)"),
    *(text(f"DELETE FROM {made} WHERE study_id = :study") for made in _MADE),  # noqa: S608 - our own tables
)


@dataclass(frozen=True, slots=True)
class Withdrawal:
    """What is stored about a withdrawal. `outcome` determines the code; `deleted_at` is None if answers were kept."""

    study_id: int
    receipt: str
    protocol_version: int
    sha256: str
    platform: str | None
    outcome: str
    withdrew_at: datetime
    deleted_at: datetime | None


def get_withdrawal(db: Connection, slug: str, token: str) -> Withdrawal | None:
    """The withdrawal of the rater with this cookie, or None."""
    row = db.execute(_GET, {"slug": slug, "hash": token_hash(token)}).one_or_none()
    return None if row is None else Withdrawal(*row)


def get_last_deletion(db: Connection, study_id: int) -> datetime | None:
    """When the answers of a rater in the study were last deleted, or None."""
    found: datetime | None = db.execute(_LAST_DELETION, {"study": study_id}).scalar_one()
    return found


def count_deleted_raters(db: Connection, study_id: int) -> int:
    """Of how many raters the answers were deleted; it never falls.

    To be counted before answers are read: results of the answers of a rater who is deleted later have a lower number
    than the study, also if the answers were read a moment before the deletion was committed.
    """
    return int(db.execute(_COUNT_DELETED, {"study": study_id}).scalar_one())


def lock_deletions(db: Connection, study_id: int) -> None:
    """Wait until deletions of the study's raters are committed, and let others wait until this transaction is.

    Results are kept before a deletion, which then deletes them, or after it, when it is counted. Snapshots are saved
    before `deleted_at`, or after it.
    """
    lock_until_commit(db, "deletions", study_id)


def record_withdrawal(db: Connection, session: RatingSession, receipt: str, outcome: str) -> str:
    """End a rating session for good and release its open seats; completed ratings are kept.

    A second call changes nothing.

    Args:
        db: the transaction.
        session: the rating session.
        receipt: a new receipt, used if there is none yet.
        outcome: determines which completion code the rater gets.

    Returns:
        The receipt.
    """
    who = {
        "study": session.study_id,
        "session": session.session_id,
        "rater": session.rater_id,
        "raters": [session.rater_id],
    }
    values = {**who, "receipt": receipt, "outcome": outcome}
    given = str(db.execute(_RECORD, values).scalar_one())
    if given == receipt:
        for statement in _STOP:
            db.execute(statement, {**who, "receipt": given})
    return given


def delete_answers(db: Connection, session: RatingSession, receipt: str) -> None:
    """Delete everything stored about a rater who has withdrawn: answers with their history, events and identity.

    A rater whom the lead listed stays listed, and so do the items that belong to them.
    """
    delete_rows(db, session.study_id, session.session_id, session.rater_id, receipt)


def delete_rows(db: Connection, study_id: int, session_id: int, rater_id: int, receipt: str) -> None:
    """Delete the rows of a rater whose withdrawal is recorded."""
    lock_deletions(db, study_id)
    for statement in _RECORD_DELETION:
        db.execute(statement, {"study": study_id, "session": session_id, "receipt": receipt})
    _delete_raters(db, study_id, [rater_id])


def delete_simulated(db: Connection, study_id: int) -> int:
    """Delete all simulated raters and their answers, so that people get their seats; returns how many there were.

    Raters whom the lead listed stay listed, and can now rate themselves.
    """
    lock_deletions(db, study_id)
    found = db.execute(text("SELECT id FROM raters WHERE study_id = :study AND is_simulated"), {"study": study_id})
    raters = list(found.scalars())
    _delete_raters(db, study_id, raters)
    return len(raters)


def _delete_raters(db: Connection, study_id: int, raters: Sequence[int]) -> None:
    for statement in _DELETE:
        db.execute(statement, {"study": study_id, "raters": list(raters)})


# Without letters and digits that are easily confused when a receipt is copied by hand.
_LETTERS = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"
# Raters whose session had already ended keep the code for that ending.
_OUTCOMES = {"screened_out": "screened_out", "failed_checks": "failed_checks", "full": "full"}


def withdraw(db: Connection, session: RatingSession, *, is_deletion: bool) -> str:
    """End a rater's participation, with their answers deleted or kept. Repeated calls return the same receipt.

    Raises:
        NotHereError: the browser only has an ID.
    """
    if session.is_moved:
        raise NotHereError
    receipt = record_withdrawal(db, session, new_receipt(), outcome_of(db, session))
    if is_deletion:
        delete_answers(db, session, receipt)
    return receipt


def outcome_of(db: Connection, session: RatingSession) -> str:
    """The outcome that determines the code: withdrawing after the last answer still counts as completed."""
    if session.session_state in _OUTCOMES:
        return _OUTCOMES[session.session_state]
    return "completed" if current_step(db, session) in AFTER_RATINGS else "withdrew"


def new_receipt() -> str:
    """A receipt of eight letters and digits that is easy to copy."""
    letters = "".join(secrets.choice(_LETTERS) for _ in range(8))
    return f"{letters[:4]}-{letters[4:]}"
