"""Runs that leads started in the browser: jobs of the worker, worked on in processes of their own."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import Connection

from app.base.database.engine import Begin, make_engine, transactions
from app.base.database.outages import outage_in_words
from app.base.processes.side_process import SideProcess
from app.llm.client.budget import Budget
from app.llm.client.connection import ClientMissingError
from app.llm.client.endpoint import BatchPace, Endpoint
from app.llm.client.servers import ModelServer
from app.llm.runs.requests import get_progress
from app.llm.runs.run_work import work_on
from app.llm.runs.runs import RunIsBusyError, RunRow, get_run_by_id, only_worker, record_limits, record_stop, work_soon

log = logging.getLogger("attune.models")
# Processes that end one after the other without an outcome: each may have sent requests that cost money.
MAX_DEATHS = 3
AFTER_DEATH = timedelta(seconds=2)
BUSY = timedelta(seconds=10)
# A batch takes up to a day: its process ends meanwhile, and another looks for the answers later.
BATCH_PACE = BatchPace(patience_s=60.0)
UNTIL_BATCH = timedelta(minutes=5)
# The process is not needed for another run: each has its own, with the key of its server.
_REST_S = 0.1


@dataclass(frozen=True, slots=True)
class RunJob:
    """What the process of a run needs. `url`: the address of the database."""

    url: str
    run: RunRow
    endpoint: Endpoint
    budget: Budget
    n_at_once: int
    batch_pace: BatchPace | None = None


def work_on_run(job: RunJob) -> bool:
    """Work on a run until it ends; return whether it waits for a batch.

    Raises:
        RunIsBusyError: another process works on it, such as that of a worker that was killed.
    """
    engine = make_engine(job.url, n_connections=2)
    begin, run = transactions(engine), job.run
    try:
        with only_worker(engine, run):
            try:
                return work_on(begin, run, job.endpoint, job.budget, n_at_once=job.n_at_once, batch_pace=job.batch_pace)
            except ClientMissingError as error:
                with begin() as db:
                    record_stop(db, run, str(error))
                return False
    finally:
        engine.dispose()


class QueuedRuns:
    """Works on queued runs, each in a process of its own."""

    def __init__(self, url: str, servers: Sequence[ModelServer]) -> None:
        """`url`: the address of the database."""
        self._url = url
        self._servers = {server.name: server for server in servers}
        self._processes: dict[int, SideProcess] = {}
        self._is_stopping = False

    def work(self, begin: Begin, study: int, run: int) -> None:
        """Work on a run until it ends; does nothing if it was stopped or its study deleted meanwhile.

        A run whose process ends before it continues with the next one, unless several in a row record nothing new.

        Raises:
            SideProcessError: the processes are being ended.
            Exception: the database is away.
        """
        with begin() as db:
            row = get_run_by_id(db, study, run)
            if row is None or row.is_stopped:
                return
            job = self._job(row)
            if job is None:
                record_stop(db, row, "The server of this run is no longer in the list of servers.")
                return
        process = self._processes[run] = SideProcess(work_on_run, name="attune-model-run", rest_s=_REST_S)
        try:
            if process.ask(job):
                with begin() as db:
                    work_soon(db, row, wait=UNTIL_BATCH)
        except RunIsBusyError:
            with begin() as db:
                work_soon(db, row, wait=BUSY)
        except Exception as error:
            if self._is_stopping or outage_in_words(error) is not None:
                raise
            with begin() as db:
                _note_death(db, row, error)
        finally:
            del self._processes[run]

    def stop(self) -> None:
        """End the processes; their runs continue after the next start."""
        self._is_stopping = True
        for process in [*self._processes.values()]:
            process.kill()

    def _job(self, run: RunRow) -> RunJob | None:
        limits = run.limits or {}
        server = self._servers.get(str(limits.get("server")))
        if server is None or server.base_url != run.endpoint or run.model not in server.models:
            return None
        tokens = min(int(limits.get("max_tokens", server.max_tokens)), server.max_tokens)
        budget = Budget(server.prices.of_batches if run.in_batches else server.prices, max_tokens=tokens)
        pace = BATCH_PACE if run.in_batches else None
        return RunJob(self._url, run, server.endpoint(run.model), budget, server.at_once, pace)


def _note_death(db: Connection, run: RunRow, error: Exception) -> None:
    """Let a run continue whose process ended; stop it if this was the last of several without an outcome."""
    n_now = get_progress(db, run).n_with_outcome
    limits = run.limits or {}
    n_deaths = limits.get("n_deaths", 0) + 1 if limits.get("n_at_death") == n_now else 1
    if n_deaths < MAX_DEATHS:
        record_limits(db, run, {**limits, "n_deaths": n_deaths, "n_at_death": n_now})
        work_soon(db, run, wait=AFTER_DEATH)
        return
    log.error("the run %s is stopped: its process ended %s times", run.id, n_deaths, exc_info=error)
    record_stop(
        db,
        run,
        f"The process of this run ended {n_deaths} times without recording an answer ({type(error).__name__}). "
        "No more requests are sent. Ask the administrator for the log of the server before you continue.",
    )
