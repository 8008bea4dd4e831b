"""The webhooks of a study. Their secrets are derived, not stored."""

from __future__ import annotations

import secrets
from base64 import b64encode
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import text

from app.storage.database.installation_key import installation_key, keyed

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from sqlalchemy import Connection

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
    return address


def secret_of(db: Connection, study_id: int, salt: bytes) -> str:
    """The secret of the webhook with this salt, as its receiver has it."""
    return PREFIX + b64encode(keyed(installation_key(db, _KEY_NAME), "webhook", study_id, salt.hex())).decode()
