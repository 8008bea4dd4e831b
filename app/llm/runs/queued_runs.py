"""Runs that leads started in the browser: queued in the database, and worked on in processes of their own."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from threading import Thread

from app.base.database.engine import Begin, make_engine, transactions
from app.base.processes.side_process import SideProcess, SideProcessError
from app.llm.client.budget import Budget
from app.llm.client.connection import ClientMissingError
from app.llm.client.endpoint import Endpoint
from app.llm.client.servers import ModelServer
from app.llm.judges.judge_pages import judged_study
from app.llm.judges.judging import finish_run, judging
from app.llm.runs.requests import get_progress
from app.llm.runs.runs import (
    RunIsBusyError,
    RunRow,
    is_worked_on,
    list_queued_runs,
    only_worker,
    record_end,
    record_stop,
)
from app.llm.writers.responding import responding

log = logging.getLogger("attune.models")
MAX_RUNS = 4
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


def work_on_run(job: RunJob) -> None:
    """Work on a run until it ends, and remove it from the queue. Does nothing if another process works on it."""
    engine = make_engine(job.url, n_connections=2)
    begin, run = transactions(engine), job.run
    try:
        with only_worker(engine, run):
            reason = _worked(begin, job)
            with begin() as db:
                if reason is not None:
                    record_stop(db, run, reason)
                if run.purpose == "judge":
                    finish_run(db, run)
                record_end(db, run)
    except RunIsBusyError:
        log.info("another process works on the run %s", run.id)
    finally:
        engine.dispose()


def _worked(begin: Begin, job: RunJob) -> str | None:
    """Work on the run; why it could not begin."""
    with begin() as db:
        before = get_progress(db, job.run)
        job.budget.tokens_in, job.budget.tokens_out = before.tokens_in, before.tokens_out
        judged = judged_study(db, job.run.study_id, job.run.protocol_version) if job.run.purpose == "judge" else None
    if judged is not None:
        work = judging(begin, job.run, judged, job.endpoint, job.budget, n_at_once=job.n_at_once)
    else:
        work = responding(begin, job.run, job.endpoint, job.budget, n_at_once=job.n_at_once)
    try:
        asyncio.run(work.work())
    except ClientMissingError as error:
        return str(error)
    return None


class QueuedRuns:
    """Starts a process for each queued run that has none, at most four at once."""

    def __init__(self, url: str, servers: Sequence[ModelServer]) -> None:
        """`url`: the address of the database."""
        self._url = url
        self._servers = {server.name: server for server in servers}
        self._threads: dict[int, Thread] = {}
        self._processes: dict[int, SideProcess] = {}

    def look(self, begin: Begin) -> None:
        """Start queued runs; to be called repeatedly. A run whose process ended before the run did is started again."""
        self._threads = {run: thread for run, thread in self._threads.items() if thread.is_alive()}
        with begin() as db:
            for run in list_queued_runs(db):
                if run.id in self._threads or len(self._threads) >= MAX_RUNS or is_worked_on(db, run):
                    continue
                job = self._job(run)
                if job is None:
                    record_stop(db, run, "The server of this run is no longer in the list of servers.")
                    record_end(db, run)
                else:
                    self._start(job)

    @property
    def pids(self) -> list[int]:
        """The IDs of the processes that work."""
        busy = [process for run, process in self._processes.items() if run in self._threads]
        return [process.pid for process in busy if process.pid is not None]

    def wait(self) -> None:
        """Wait until no process works."""
        for thread in self._threads.values():
            thread.join()

    def stop(self) -> None:
        """End the processes; their runs continue after the next start."""
        for pid in self.pids:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def _job(self, run: RunRow) -> RunJob | None:
        limits = run.limits or {}
        server = self._servers.get(str(limits.get("server")))
        if server is None or server.base_url != run.endpoint or run.model not in server.models:
            return None
        tokens = min(int(limits.get("max_tokens", server.max_tokens)), server.max_tokens)
        budget = Budget(server.prices, max_tokens=tokens)
        return RunJob(self._url, run, server.endpoint(run.model), budget, server.at_once)

    def _start(self, job: RunJob) -> None:
        process = SideProcess(work_on_run, name="attune-model-run", rest_s=_REST_S)
        self._processes[job.run.id] = process
        thread = Thread(target=_ask, args=(process, job), name="attune-model-run", daemon=True)
        self._threads[job.run.id] = thread
        thread.start()


def _ask(process: SideProcess, job: RunJob) -> None:
    try:
        process.ask(job)
    except SideProcessError:
        log.warning("the process of the run %s ended", job.run.id)
    except Exception:
        log.exception("the run %s failed", job.run.id)
