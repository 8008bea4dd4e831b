"""Add and change the webhooks of a study; each change is in the audit log."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from app.actions.webhooks.addresses import WebhookAddressError, parse_target
from app.design.webhooks import EVENTS, MAX_WEBHOOKS
from app.storage.leads.audit import record_act
from app.storage.webhooks.outbox import enqueue_test
from app.storage.webhooks.subscriptions import (
    delete_webhook,
    list_webhooks,
    record_webhook,
    renew_secret,
    resume_webhook,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection

    from app.actions.webhooks.addresses import Networks
    from app.storage.leads.leads import Lead
    from app.storage.studies.studies import StudyRow


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
        WebhookError: the address cannot be used, no known event, or too many webhooks.
    """
    address, asked = address.strip(), [event for event in EVENTS if event in events]
    try:
        parse_target(address, networks)
    except WebhookAddressError as error:
        raise WebhookError(str(error)) from error
    if not asked or len(asked) < len(set(events)):
        raise WebhookError(f"Choose at least one event: {' or '.join(EVENTS)}.")
    if len(list_webhooks(db, study.id)) >= MAX_WEBHOOKS:
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
