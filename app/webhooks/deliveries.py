"""Deliveries of a webhook that are due: claimed in one transaction, settled in another, with no lock while sending."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import Connection, text

from app.base.database.outages import SLACK_SQL
from app.webhooks.events import FAILING_FOR, MIN_FAILURES, TEST
from app.webhooks.subscriptions import secret_of

# Longer than an attempt can take: a delivery whose sender was killed is due again after it.
_LEASE_S = 120
# A delivery that was planned by a clock that was ahead is due: its wait, which began in the future, would last until
# that clock's time.
_IS_OPEN = f"""
    d.study_id = :study AND d.webhook_id = :webhook AND d.next_attempt_at IS NOT NULL
    AND (w.paused_at IS NULL OR d.event = '{TEST}')
"""
_CLAIM = text(f"""
    WITH due AS (
      SELECT d.study_id, d.id, w.address, w.salt
      FROM webhook_deliveries d JOIN webhooks w ON w.study_id = d.study_id AND w.id = d.webhook_id
      WHERE {_IS_OPEN}
        AND (d.next_attempt_at <= now() OR coalesce(d.attempted_at, d.created_at) > now() + {SLACK_SQL})
      ORDER BY d.next_attempt_at, d.id LIMIT 1 FOR UPDATE OF d SKIP LOCKED
    )
    UPDATE webhook_deliveries d
    SET n_attempts = d.n_attempts + 1, attempted_at = now(), next_attempt_at = now() + interval '{_LEASE_S} s'
    FROM due WHERE d.study_id = due.study_id AND d.id = due.id
    RETURNING d.study_id, d.id, d.webhook_id, d.event, d.message_id, d.body, d.n_attempts, due.address, due.salt
""")  # noqa: S608 - constants only
_WAIT = text(f"""
    SELECT greatest(min(d.next_attempt_at) - now(), interval '0')
    FROM webhook_deliveries d JOIN webhooks w ON w.study_id = d.study_id AND w.id = d.webhook_id
    WHERE {_IS_OPEN} HAVING count(*) > 0
""")  # noqa: S608 - constants only
# An attempt that another sender has repeated in the meantime does not count. Its end is stored with the next time: the
# clock may have been set while the request was under way, and both must be of the same clock.
_SETTLE = text("""
    UPDATE webhook_deliveries SET attempted_at = now(), next_attempt_at = now() + CAST(:wait AS interval),
           status = :status, answer = :answer, delivered_at = CASE WHEN :is_delivered THEN now() END
    WHERE study_id = :study AND id = :id AND n_attempts = :n_attempts AND delivered_at IS NULL
""")
_SUCCEEDED = text("""
    UPDATE webhooks SET n_failures = 0, failing_since = NULL WHERE study_id = :study AND id = :webhook
""")
_FAILED = text("""
    UPDATE webhooks SET n_failures = n_failures + 1, failing_since = least(failing_since, now())
    WHERE study_id = :study AND id = :webhook AND paused_at IS NULL
    RETURNING n_failures >= :least AND failing_since <= now() - CAST(:longest AS interval)
""")
_PAUSE = text("""
    UPDATE webhooks SET paused_at = now(), pause_reason = :reason
    WHERE study_id = :study AND id = :webhook AND paused_at IS NULL
    RETURNING address, (SELECT slug FROM studies s WHERE s.id = study_id)
""")
_LAST = text("""
    SELECT webhook_id, event, message_id, created_at, n_attempts, attempted_at, next_attempt_at, delivered_at,
           status, answer
    FROM webhook_deliveries WHERE study_id = :study ORDER BY id DESC LIMIT :n
""")


@dataclass(frozen=True, slots=True)
class DueDelivery:
    """A delivery that this process has claimed. `n_attempts` includes the attempt that is to be made now."""

    study_id: int
    id: int
    webhook_id: int
    event: str
    message_id: str
    body: str
    n_attempts: int
    address: str
    secret: str


@dataclass(frozen=True, slots=True)
class Delivery:
    """A delivery as its lead sees it."""

    webhook_id: int
    event: str
    message_id: str
    created_at: datetime
    n_attempts: int
    attempted_at: datetime | None
    next_attempt_at: datetime | None
    delivered_at: datetime | None
    status: int | None
    answer: str | None

    @property
    def state(self) -> str:
        """delivered, waiting (also for a further attempt) or given up."""
        if self.delivered_at is not None:
            return "delivered"
        return "given up" if self.next_attempt_at is None else "waiting"


def claim_due(db: Connection, study_id: int, webhook_id: int) -> DueDelivery | None:
    """Claim the delivery of a webhook that has been due longest, for the next two minutes; None if none is due."""
    row = db.execute(_CLAIM, {"study": study_id, "webhook": webhook_id}).mappings().one_or_none()
    if row is None:
        return None
    given = {name: value for name, value in row.items() if name != "salt"}
    return DueDelivery(**given, secret=secret_of(db, study_id, bytes(row["salt"])))


def get_wait(db: Connection, study_id: int, webhook_id: int) -> timedelta | None:
    """How long until the next delivery of a webhook is due; None if nothing waits, or the webhook is paused."""
    wait: timedelta | None = db.execute(_WAIT, {"study": study_id, "webhook": webhook_id}).scalar_one_or_none()
    return wait


def record_delivered(db: Connection, due: DueDelivery, status: int, answer: str) -> None:
    """Record that the receiver has accepted a delivery."""
    _settle(db, due, status, answer, None, is_delivered=True)
    db.execute(_SUCCEEDED, {"study": due.study_id, "webhook": due.webhook_id})


def record_failed(db: Connection, due: DueDelivery, status: int | None, answer: str, wait: timedelta | None) -> bool:
    """Record a failed attempt; without `wait` it was the last. Returns whether the webhook has failed for too long."""
    _settle(db, due, status, answer, wait)
    if due.event == TEST:
        return False
    values = {"study": due.study_id, "webhook": due.webhook_id, "least": MIN_FAILURES, "longest": FAILING_FOR}
    return bool(db.execute(_FAILED, values).scalar_one_or_none())


def pause_webhook(db: Connection, due: DueDelivery, reason: str) -> tuple[str, str] | None:
    """Pause the webhook of a delivery; returns its address and the study's slug, or None if it is paused already."""
    row = db.execute(_PAUSE, {"study": due.study_id, "webhook": due.webhook_id, "reason": reason}).one_or_none()
    return None if row is None else (row[0], row[1])


def list_deliveries(db: Connection, study_id: int, n: int) -> list[Delivery]:
    """The last n deliveries of a study, newest first."""
    return [Delivery(*row) for row in db.execute(_LAST, {"study": study_id, "n": n})]


def _settle(
    db: Connection,
    due: DueDelivery,
    status: int | None,
    answer: str,
    wait: timedelta | None,
    *,
    is_delivered: bool = False,
) -> None:
    values = {"study": due.study_id, "id": due.id, "n_attempts": due.n_attempts, "is_delivered": is_delivered}
    db.execute(_SETTLE, values | {"status": status, "answer": answer, "wait": wait})
