"""A thread of the serving process that delivers webhooks, so that no request of a rater waits for a receiver."""

from __future__ import annotations

import logging
from threading import Event, Thread

from app.base.database.engine import Begin, make_engine, transactions
from app.base.database.outages import OUTAGES, outage_in_words
from app.settings import settings
from app.webhooks.addresses import Networks, parse_networks
from app.webhooks.sender import send_due

log = logging.getLogger("attune.webhooks")
LOOK_S, RETRY_S = 2.0, 30.0


class WebhookSender:
    """Looks for due deliveries every two seconds until `stop` is called. Several servers can run one each."""

    def __init__(self, url: str) -> None:
        """Begin with the outbox of the database at this address."""
        self._engine = make_engine(url, n_connections=1, statement_s=30)
        self._networks = parse_networks(settings().webhook_networks)
        self._stopped = Event()
        self._thread = Thread(target=self._run, name="attune-webhooks", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Send nothing more. A request that is under way is repeated after the next start."""
        self._stopped.set()
        self._thread.join(timeout=1)
        self._engine.dispose()

    def _run(self) -> None:
        begin = transactions(self._engine)
        wait_s = LOOK_S
        while not self._stopped.wait(wait_s):
            wait_s = _round(begin, self._networks)


def _round(begin: Begin, networks: Networks) -> float:
    """Send what is due; returns how many seconds to wait before the next look."""
    try:
        return 0 if send_due(begin, networks) else LOOK_S
    except OUTAGES as error:
        log.warning("webhooks wait for the database: %s", outage_in_words(error) or type(error).__name__)
        return RETRY_S
