"""The webhooks of a study. Their secrets are derived, not stored."""

import secrets
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import Connection, text

from app.accounts.leads import Lead
from app.base.database.keys import installation_key, keyed
from app.base.database.process_locks import lock_until_commit
from app.studies.audit import record_act
from app.studies.studies import StudyRow
from app.webhooks.addresses import Networks, WebhookAddressError, parse_target
from app.webhooks.events import EVENTS, MAX_WEBHOOKS
from app.webhooks.outbox import enqueue_test, send_soon

# Receivers tell by it that a text is the secret of a webhook. The convention is that of Standard Webhooks.
PREFIX = "whsec_"
_KEY_NAME = "webhook secrets"
_NEW = text("""
    INSERT INTO webhooks (study_id, address, events, salt, lead_id)
    VALUES (:study, :address, :events, :salt, :lead) RETURNING id
""")
_LIST = text("""
    SELECT id, address, events, created_at, n_failures, failing_since, paused_at, pause_reason
    FROM webhooks WHERE study_id = :study ORDER BY id
""")
_NEW_SALT = text("UPDATE webhooks SET salt = :salt WHERE study_id = :study AND id = :webhook RETURNING address")
_DELETE = text("DELETE FROM webhooks WHERE study_id = :study AND id = :webhook RETURNING address")
_RESUME = text("""
    WITH due AS (
      UPDATE webhook_deliveries SET next_attempt_at = now()
      WHERE study_id = :study AND webhook_id = :webhook AND next_attempt_at > now()
    )
    UPDATE webhooks SET paused_at = NULL, pause_reason = NULL, n_failures = 0, failing_since = NULL
    WHERE study_id = :study AND id = :webhook RETURNING address
""")


@dataclass(frozen=True, slots=True)
class Webhook:
    """An address that is told about events of a study."""

    id: int
    address: str
    events: Sequence[str]
    created_at: datetime
    n_failures: int
    failing_since: datetime | None
    paused_at: datetime | None
    pause_reason: str | None


def record_webhook(
    db: Connection, study_id: int, *, address: str, events: Sequence[str], lead_id: int
) -> tuple[int, str]:
    """Add a webhook; returns its ID and its secret."""
    salt = secrets.token_bytes(16)
    values = {"study": study_id, "address": address, "events": list(events), "salt": salt, "lead": lead_id}
    return int(db.execute(_NEW, values).scalar_one()), secret_of(db, study_id, salt)


def list_webhooks(db: Connection, study_id: int) -> list[Webhook]:
    """All webhooks of a study, oldest first."""
    return [Webhook(*row) for row in db.execute(_LIST, {"study": study_id})]


def renew_secret(db: Connection, study_id: int, webhook_id: int) -> tuple[str, str] | None:
    """The address of a webhook and its new secret; the earlier one ends. None if there is no such webhook."""
    salt = secrets.token_bytes(16)
    values = {"study": study_id, "webhook": webhook_id, "salt": salt}
    address = db.execute(_NEW_SALT, values).scalar_one_or_none()
    return None if address is None else (address, secret_of(db, study_id, salt))


def delete_webhook(db: Connection, study_id: int, webhook_id: int) -> str | None:
    """Delete a webhook with its deliveries; returns its address, or None if there is none."""
    address: str | None = db.execute(_DELETE, {"study": study_id, "webhook": webhook_id}).scalar_one_or_none()
    return address


def resume_webhook(db: Connection, study_id: int, webhook_id: int) -> str | None:
    """Deliver to a webhook again, what has waited at once; returns its address, or None if there is none."""
    address: str | None = db.execute(_RESUME, {"study": study_id, "webhook": webhook_id}).scalar_one_or_none()
    if address is not None:
        send_soon(db, study_id, webhook_id)
    return address


def secret_of(db: Connection, study_id: int, salt: bytes) -> str:
    """The secret of the webhook with this salt, as its receiver has it."""
    return PREFIX + b64encode(keyed(installation_key(db, _KEY_NAME), "webhook", study_id, salt.hex())).decode()


# Add and change the webhooks of a study; each change is in the audit log.


class WebhookError(ValueError):
    """The webhook cannot be added; the sentence says why."""


class NewWebhook(NamedTuple):
    """A webhook with its secret, which is shown once."""

    id: int
    secret: str


def add_webhook(
    db: Connection, study: StudyRow, lead: Lead, *, address: str, events: Sequence[str], networks: Networks = ()
) -> NewWebhook:
    """Tell an address about these events from now on.

    Raises:
        WebhookError: the address cannot be used or is told already, no known event, or too many webhooks.
    """
    address, asked = address.strip(), [event for event in EVENTS if event in events]
    try:
        parse_target(address, networks)
    except WebhookAddressError as error:
        raise WebhookError(str(error)) from error
    if not asked or len(asked) < len(set(events)):
        raise WebhookError(f"Choose at least one event: {' or '.join(EVENTS)}.")
    # A double click sends two requests at once.
    lock_until_commit(db, "webhooks of a study", study.id)
    earlier = list_webhooks(db, study.id)
    if any(one.address == address for one in earlier):
        raise WebhookError(
            "The study already has a webhook with this address. If you did not copy its secret, replace the secret."
        )
    if len(earlier) >= MAX_WEBHOOKS:
        raise WebhookError(f"A study can have {MAX_WEBHOOKS} webhooks. Delete one that is no longer used.")
    made = NewWebhook(*record_webhook(db, study.id, address=address, events=asked, lead_id=lead.id))
    record_act(db, lead, study, "webhook added", address=address, events=", ".join(asked))
    return made


def renew_webhook_secret(db: Connection, study: StudyRow, lead: Lead, webhook_id: int) -> str | None:
    """A new secret for a webhook; None if there is no such webhook."""
    renewed = renew_secret(db, study.id, webhook_id)
    if renewed is None:
        return None
    record_act(db, lead, study, "webhook secret renewed", address=renewed[0])
    return renewed[1]


def remove_webhook(db: Connection, study: StudyRow, lead: Lead, webhook_id: int) -> bool:
    """Delete a webhook and its deliveries; False if there is none."""
    return _noted(db, study, lead, "webhook deleted", delete_webhook(db, study.id, webhook_id))


def restart_webhook(db: Connection, study: StudyRow, lead: Lead, webhook_id: int) -> bool:
    """Deliver to a paused webhook again; False if there is none."""
    return _noted(db, study, lead, "webhook resumed", resume_webhook(db, study.id, webhook_id))


def check_webhook(db: Connection, study: StudyRow, lead: Lead, webhook_id: int) -> bool:
    """Send a test to a webhook; False if there is none."""
    return _noted(db, study, lead, "webhook test sent", enqueue_test(db, study.id, webhook_id))


def _noted(db: Connection, study: StudyRow, lead: Lead, action: str, address: str | None) -> bool:
    if address is not None:
        record_act(db, lead, study, action, address=address)
    return address is not None
