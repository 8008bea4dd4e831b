"""Events are put into the outbox in the transaction in which they happen, once for each webhook that asks for them."""

from datetime import timedelta

from sqlalchemy import Connection, TextClause, text

from app.base.jobs.queue import Kind, defer
from app.webhooks.events import SESSION_FINISHED, STUDY_FULL, TEST

# Sends what is due for one webhook.
SENDING = Kind("webhook", lane="short")
_TIME = "to_char({} AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')"
_INSERT = f"""
    INSERT INTO webhook_deliveries (study_id, webhook_id, rater_id, event, occurrence, message_id, body,
                                    next_attempt_at)
    SELECT w.study_id, w.id, {{rater}}, CAST(:event AS text), {{occurrence}},
           'msg_' || replace(CAST(gen_random_uuid() AS text), '-', ''),
           CAST(jsonb_build_object('type', CAST(:event AS text), 'timestamp', {_TIME.format("now()")},
                                   'data', jsonb_build_object('study', s.slug) || {{data}}) AS text),
           now()
    FROM webhooks w JOIN studies s ON s.id = w.study_id
"""  # noqa: S608 - constants only
_FINISHED = text(
    _INSERT.format(
        rater="r.id",
        occurrence="'session ' || rs.id",
        data=f"jsonb_build_object('rater', r.key, 'finished_at', {_TIME.format('rs.finished_at')})",
    )
    + """
    JOIN rating_sessions rs ON rs.study_id = w.study_id AND rs.id = :session
    JOIN raters r ON r.study_id = rs.study_id AND r.id = rs.rater_id
    WHERE w.study_id = :study AND :event = ANY(w.events) AND NOT r.is_simulated
    ON CONFLICT DO NOTHING RETURNING webhook_id
    """
)
# The occurrence changes when items are added and when answers are deleted: the study can then become full again.
_ALL_RATED = """
    JOIN LATERAL (
      SELECT count(*) AS seats FROM seats x
      JOIN assignments a ON a.study_id = x.study_id AND a.id = x.assignment_id WHERE x.study_id = w.study_id
      HAVING count(*) > 0 AND bool_and(a.state = 'done')
    ) AS n ON true
    WHERE w.study_id = :study AND :event = ANY(w.events)
    ON CONFLICT DO NOTHING RETURNING webhook_id
"""
_N_DELETED = "(SELECT count(*) FROM withdrawals d WHERE d.study_id = w.study_id AND d.deleted_at IS NOT NULL)"
_FULL = text(
    _INSERT.format(
        rater="NULL",
        occurrence=f"n.seats || ' ratings, ' || {_N_DELETED} || ' deleted'",
        data="jsonb_build_object('n_ratings', n.seats)",
    )
    + _ALL_RATED
)
_HAS = text("SELECT EXISTS (SELECT FROM webhooks WHERE study_id = :study AND :event = ANY(events))")
# Looked for first: a study that is not full has one at the beginning of a small index.
_FREE = text("""
    SELECT EXISTS (
      SELECT FROM seats x JOIN trials t ON t.study_id = x.study_id AND t.id = x.trial_id
      JOIN items i ON i.study_id = t.study_id AND i.id = t.item_id
      WHERE x.study_id = :study AND x.assignment_id IS NULL AND i.retired_because IS NULL)
""")
_OF_ONE = (
    " WHERE w.study_id = :study AND w.id = :webhook RETURNING (SELECT address FROM webhooks WHERE id = webhook_id)"
)
_TEST = text(
    _INSERT.format(rater="NULL", occurrence="NULL", data="jsonb_build_object('message', CAST(:message AS text))")
    + _OF_ONE
)


def enqueue_finished(db: Connection, study_id: int, session_id: int) -> None:
    """Tell the webhooks of a study that a rater has finished. Simulated raters are not mentioned."""
    _enqueue(db, study_id, SESSION_FINISHED, _FINISHED, session=session_id)


def enqueue_full(db: Connection, study_id: int) -> None:
    """Tell the webhooks of a study that all its seats are rated, if they are; each time that this happens, once."""
    values = {"study": study_id, "event": STUDY_FULL}
    if db.execute(_HAS, values).scalar_one() and not db.execute(_FREE, values).scalar_one():
        _enqueue(db, study_id, STUDY_FULL, _FULL)


def enqueue_test(db: Connection, study_id: int, webhook_id: int) -> str | None:
    """Send a test to a webhook, even a paused one; returns its address, or None if there is none."""
    message = "A test. Nothing happened in the study."
    values = {"study": study_id, "webhook": webhook_id, "event": TEST, "message": message}
    address: str | None = db.execute(_TEST, values).scalar_one_or_none()
    if address is not None:
        send_soon(db, study_id, webhook_id)
    return address


def send_soon(db: Connection, study_id: int, webhook_id: int, *, wait: timedelta | None = None) -> None:
    """Send what is due for a webhook once this transaction is committed, or later."""
    defer(db, SENDING, str(webhook_id), wait=wait, study=study_id, webhook=webhook_id)


def _enqueue(db: Connection, study_id: int, event: str, statement: TextClause, **values: int) -> None:
    found = db.execute(statement, {"study": study_id, "event": event, **values}).scalars()
    # In one order, because two transactions that wait for each other's jobs would both fail.
    for webhook_id in sorted(found):
        send_soon(db, study_id, webhook_id)
