"""A thread of the serving process that starts the runs of models that leads queued in the browser."""

from __future__ import annotations

import logging
from threading import Event, Thread

from app.base.database.engine import make_engine, transactions
from app.base.database.outages import OUTAGES, outage_in_words
from app.cli.output import WRONG_CALL, fail
from app.llm.client.servers import ServersFileError, read_servers
from app.llm.runs.queued_runs import QueuedRuns
from app.settings import settings

log = logging.getLogger("attune.models")
LOOK_S, RETRY_S = 2.0, 30.0


class ModelRunner:
    """Looks for queued runs every two seconds until `stop` is called; does nothing without a list of servers."""

    def __init__(self, url: str) -> None:
        """Begin with the queue of the database at this address."""
        try:
            servers = read_servers(settings().model_servers_file)
        except ServersFileError as error:
            fail(f"ATTUNE_MODEL_SERVERS_FILE: {error}", WRONG_CALL)
        self._stopped = Event()
        self._thread: Thread | None = None
        if servers:
            self._engine = make_engine(url, n_connections=1, statement_s=30)
            self._runs = QueuedRuns(url, servers)
            self._thread = Thread(target=self._run, name="attune-models", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """Start nothing more and end the processes; their runs continue after the next start."""
        self._stopped.set()
        if self._thread:
            self._thread.join(timeout=1)
            self._runs.stop()
            self._engine.dispose()

    def _run(self) -> None:
        begin, wait_s = transactions(self._engine), LOOK_S
        while not self._stopped.wait(wait_s):
            try:
                self._runs.look(begin)
                wait_s = LOOK_S
            except OUTAGES as error:
                log.warning("queued runs wait for the database: %s", outage_in_words(error) or type(error).__name__)
                wait_s = RETRY_S
