"""Send what is due for a webhook: claim it, send it, and record the result."""

import hmac
import logging
import random
import ssl
import time
from base64 import b64decode, b64encode
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from http.client import HTTPConnection, HTTPException

from app.base.database.engine import Begin, Connection
from app.base.processes.outgoing import PlainConnection, SecureConnection, cut_off_after, seconds_to_wait
from app.studies.audit import record_automatic_act
from app.webhooks.addresses import LOOKUP_S, Networks, Target, WebhookAddressError, parse_target, resolve
from app.webhooks.deliveries import (
    DueDelivery,
    claim_due,
    get_wait,
    pause_webhook,
    record_delivered,
    record_failed,
)
from app.webhooks.events import TEST
from app.webhooks.outbox import send_soon
from app.webhooks.retries import MAX_ATTEMPTS, MAX_RETRY_AFTER, wait_after
from app.webhooks.subscriptions import PREFIX

# One signed request to the receiver of a webhook, as specified by Standard Webhooks.
#
# The signature is HMAC-SHA256 of `{id}.{timestamp}.{body}`. See https://www.standardwebhooks.com.

# For the whole request and the look-up of its address: a receiver that sends a byte now and then is cut off too.
DEADLINE_S = 15.0
# As much of an answer as is read, and as much as is kept.
MAX_READ, MAX_KEPT = 4096, 300
GONE_STATUS, TOO_MANY, UNAVAILABLE = 410, 429, 503


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of an attempt. Without `status` there was no answer, and `answer` says why."""

    status: int | None
    answer: str
    retry_after_s: float = 0

    @property
    def is_delivered(self) -> bool:
        """Whether the receiver has accepted the message; a redirect is not followed and does not count."""
        return self.status is not None and 200 <= self.status < 300  # noqa: PLR2004 - HTTP's successes

    @property
    def is_gone(self) -> bool:
        """Whether the receiver wants no further messages."""
        return self.status == GONE_STATUS


def signature(secret: str, message_id: str, timestamp: int, body: str) -> str:
    """The header webhook-signature.

    >>> secret, message = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "msg_p5jXN8AQM9LWM0D4loKWxJek"
    >>> signature(secret, message, 1614265330, '{"test": 2432232314}')
    'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE='
    """
    key = b64decode(secret.removeprefix(PREFIX))
    digest = hmac.digest(key, f"{message_id}.{timestamp}.{body}".encode(), "sha256")
    return f"v1,{b64encode(digest).decode()}"


def send(due: DueDelivery, networks: Networks = (), *, deadline_s: float = DEADLINE_S) -> Outcome:
    """Make one attempt. It never raises: whatever goes wrong is an outcome."""
    ends = time.monotonic() + deadline_s
    try:
        target = parse_target(due.address, networks)
        ip = resolve(target, networks, timeout_s=min(LOOKUP_S, deadline_s))
    except WebhookAddressError as error:
        return Outcome(None, str(error))
    kind = SecureConnection if target.is_tls else PlainConnection
    connection = kind(target.host, target.port, deadline_s, ip=ip)
    with cut_off_after(connection, ends - time.monotonic()) as is_late:
        try:
            return _ask(connection, target, due)
        except (OSError, HTTPException, ValueError) as error:
            is_timeout = is_late.is_set() or isinstance(error, TimeoutError)
            late = f"No complete answer within {deadline_s:g} seconds."
            return Outcome(None, late if is_timeout else _in_words(error))


def _ask(connection: HTTPConnection, target: Target, due: DueDelivery) -> Outcome:
    now = int(time.time())
    headers = {
        "content-type": "application/json",
        "user-agent": "Attune",
        "connection": "close",
        "webhook-id": due.message_id,
        "webhook-timestamp": str(now),
        "webhook-signature": signature(due.secret, due.message_id, now, due.body),
    }
    connection.request("POST", target.path, due.body.encode(), headers)
    answer = connection.getresponse()
    text = answer.read(MAX_READ).decode("utf-8", "replace")
    kept = "".join(letter if letter.isprintable() else " " for letter in text)[:MAX_KEPT].strip()
    header = answer.getheader("retry-after", "") if answer.status in {TOO_MANY, UNAVAILABLE} else ""
    return Outcome(answer.status, kept, seconds_to_wait(header, at_most=MAX_RETRY_AFTER.total_seconds()) or 0)


def _in_words(error: Exception) -> str:
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"The certificate of the server is not valid: {error.verify_message}."
    reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return f"The request failed: {reason}"[:MAX_KEPT]


log = logging.getLogger("attune.webhooks")
# A receiver of many messages then lets other webhooks go first.
TURN_S = 30.0
FAILING = "Nothing could be delivered for 24 hours."
GONE = "The receiver answered 410: it wants no further messages."


def send_due(
    begin: Begin,
    study_id: int,
    webhook_id: int,
    networks: Networks = (),
    *,
    attempt: Callable[[DueDelivery, Networks], Outcome] = send,
    rng: random.Random | None = None,
) -> int:
    """Send what is due for a webhook, one after the other, and ask for a job for the rest; returns the attempts made.

    A slow receiver is thus asked once at a time. No transaction is open while a request is under way. If the process is
    killed, the request is repeated with the same ID.
    """
    draw, ends, n_attempts = (rng or random).random, time.monotonic() + TURN_S, 0
    while time.monotonic() < ends:
        with begin() as db:
            due = claim_due(db, study_id, webhook_id)
            if due is None:
                if (wait := get_wait(db, study_id, webhook_id)) is not None:
                    send_soon(db, study_id, webhook_id, wait=wait)
                return n_attempts
        outcome, n_attempts = attempt(due, networks), n_attempts + 1
        with begin() as db:
            _settle(db, due, outcome, draw())
    with begin() as db:
        send_soon(db, study_id, webhook_id, wait=timedelta(0))
    return n_attempts


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
