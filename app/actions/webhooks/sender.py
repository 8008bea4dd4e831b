"""Send what is in the outbox: claim what is due, send it, and record the result."""

from __future__ import annotations

import logging
import random
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from app.actions.webhooks.signed_request import send
from app.design.webhooks import MAX_ATTEMPTS, TEST, wait_after
from app.storage.leads.audit import record_automatic_act
from app.storage.webhooks.deliveries import claim_due, pause_webhook, record_delivered, record_failed

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.actions.webhooks.addresses import Networks
    from app.actions.webhooks.signed_request import Outcome
    from app.storage.database.engine import Begin, Connection
    from app.storage.webhooks.deliveries import DueDelivery

log = logging.getLogger("attune.webhooks")
# Webhooks that are sent to at the same time.
N_AT_ONCE = 8
FAILING = "Nothing could be delivered for 24 hours."
GONE = "The receiver answered 410: it wants no further messages."


def send_due(
    begin: Begin,
    networks: Networks = (),
    *,
    attempt: Callable[[DueDelivery, Networks], Outcome] = send,
    rng: random.Random | None = None,
) -> int:
    """Send what is due now, one delivery per webhook; returns how many attempts were made.

    No transaction is open while requests are under way. If the process is killed, they are repeated with the same ID.
    """
    with begin() as db:
        due = claim_due(db, N_AT_ONCE)
    if not due:
        return 0
    draw = (rng or random).random
    with ThreadPoolExecutor(N_AT_ONCE, "attune-webhook") as threads:
        outcomes = threads.map(lambda one: attempt(one, networks), due)
        for one, outcome in zip(due, outcomes, strict=True):
            with begin() as db:
                _settle(db, one, outcome, draw())
    return len(due)


def _settle(db: Connection, due: DueDelivery, outcome: Outcome, draw: float) -> None:
    if outcome.is_delivered:
        record_delivered(db, due, outcome.status or 0, outcome.answer)
        log.info("webhook %s: %s delivered in attempt %s", due.webhook_id, due.message_id, due.n_attempts)
        return
    wait = None if due.event == TEST or outcome.is_gone else wait_after(due.n_attempts, draw, outcome.retry_after_s)
    has_failed_long = record_failed(db, due, outcome.status, outcome.answer, wait)
    log.warning(
        "webhook %s: attempt %s of %s for %s failed (%s)%s",
        due.webhook_id,
        due.n_attempts,
        1 if due.event == TEST else MAX_ATTEMPTS,
        due.message_id,
        outcome.status or outcome.answer,
        "" if wait else "; given up",
    )
    if outcome.is_gone or has_failed_long:
        _pause(db, due, GONE if outcome.is_gone else FAILING)


def _pause(db: Connection, due: DueDelivery, reason: str) -> None:
    if paused := pause_webhook(db, due, reason):
        address, slug = paused
        record_automatic_act(db, due.study_id, slug, "webhook paused", address=address, reason=reason)
