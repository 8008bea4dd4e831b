"""The worker: does the jobs of the queue, those of several kinds side by side.

Every job may be done twice: by a worker that was killed and by the one that takes it over. Heavy work belongs into a
process of its own (`app/base/processes`), which bounds its memory and time; the worker only waits for it.
"""

import asyncio
import logging
import time
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from dataclasses import dataclass
from threading import Thread
from typing import Any, Self

import procrastinate
from procrastinate.jobs import DeleteJobCondition, Job
from procrastinate.retry import BaseRetryStrategy, RetryDecision
from procrastinate.worker import Worker as Lane
from sqlalchemy import make_url, text

from app.base.database.address import CONNECT_S, client_timeouts
from app.base.database.engine import make_engine
from app.base.database.outages import OUTAGES, outage_in_words
from app.base.jobs.queue import Kind
from app.base.processes.side_process import SideProcessError

log = logging.getLogger("attune.jobs")
# Jobs that run at the same time, by lane: a report or a model run of an hour delays no webhook.
LANES = {"short": 8, "quick": 1, "large": 1, "files": 2, "parts": 2, "long-parts": 2, "models": 4}
# A worker that has said nothing for so long was killed, or has lost the database; its jobs are done again.
BEAT_S, SILENT_S, LOOK_S = 5.0, 20.0, 5.0
POLL_S, OUTAGE_S, STOP_S = 2.0, 5.0, 3.0
# A server that has just started is busy with other things than daily work.
FIRST_S = 60.0
# A job may be what kills its worker.
MAX_ATTEMPTS, MAX_LOST = 5, 3
_DOING = text("SELECT id FROM procrastinate_jobs WHERE status = 'doing' AND worker_id = ANY(:workers)")
# A job that waits under the same key sees all that the lost one would have seen. What waits until far in the future was
# planned by a clock that was ahead.
_DROP_LOST = text("""
    DELETE FROM procrastinate_jobs job
    WHERE status = 'doing' AND NOT id = ANY(:running) AND (
        id = ANY(:lost) OR worker_id IS NULL
        OR worker_id IN (SELECT id FROM procrastinate_workers WHERE last_heartbeat < now() - CAST(:silent AS interval)))
      AND EXISTS (SELECT FROM procrastinate_jobs o WHERE o.status = 'todo' AND o.queueing_lock = job.queueing_lock)
""")
_REPEAT_LOST = text("""
    UPDATE procrastinate_jobs SET status = 'todo', worker_id = NULL, attempts = attempts + 1, scheduled_at = NULL,
      args = args - 'said' || jsonb_build_object('lost', coalesce(CAST(args ->> 'lost' AS integer), 0) + 1)
    WHERE status = 'doing' AND NOT id = ANY(:running) AND (
        id = ANY(:lost) OR worker_id IS NULL
        OR worker_id IN (SELECT id FROM procrastinate_workers WHERE last_heartbeat < now() - CAST(:silent AS interval)))
    RETURNING task_name
""")
_FAR = text("UPDATE procrastinate_jobs SET scheduled_at = NULL WHERE scheduled_at > now() + interval '3 days'")
_LEAVE = text("DELETE FROM procrastinate_workers WHERE id = ANY(:workers)")


@dataclass(frozen=True, slots=True)
class Work:
    """What does the jobs of a kind.

    `do` is called in a thread with the arguments of `defer`. Where it raises, it is called again after `wait_s`, at
    most `MAX_ATTEMPTS` times unless the database was away. With `cron`, it is called without arguments at these times.
    `give_up` is called instead of the last attempt's repetition, and where the job has been lost `MAX_LOST` times.
    """

    kind: Kind
    do: Callable[..., None]
    wait_s: int = 30
    cron: str | None = None
    give_up: Callable[..., None] | None = None


class Again(BaseRetryStrategy):
    """Jobs that failed are repeated, but not endlessly."""

    def __init__(self, wait_s: int) -> None:
        """Wait so many seconds."""
        self._wait_s = wait_s

    def get_retry_decision(self, *, exception: BaseException, job: Job) -> RetryDecision | None:
        """When to repeat the job; None for not at all."""
        if isinstance(exception, asyncio.CancelledError):  # the worker is stopping
            return RetryDecision()
        if not _is_outage(exception) and job.attempts + 1 >= MAX_ATTEMPTS:
            log.error("the job %s is given up after %s attempts", job.task_name, job.attempts + 1)
            return None
        return RetryDecision(retry_in={"seconds": self._wait_s})


class Worker:
    """Does the jobs of one database. Several, on several machines, can work beside each other."""

    def __init__(self, url: str, works: Sequence[Work], *, stop_children: Callable[[], None] = lambda: None) -> None:
        """Create the object without starting anything.

        Args:
            url: the address of the database.
            works: what does the jobs of each kind. A lane of which no kind is named stays in the queue.
            stop_children: ends the processes of jobs when the worker stops; their jobs are repeated.
        """
        self._url, self._works, self._stop_children = url, works, stop_children
        self._first = time.monotonic() + FIRST_S
        self._running: set[int] = set()
        self._waiting: set[asyncio.Future[None]] = set()
        self._threads: set[Thread] = set()
        self._suspects: set[int] = set()
        self._lanes: list[Lane] = []
        self._engine = make_engine(url, n_connections=1, statement_s=30)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._main: asyncio.Task[None] | None = None
        self._thread: Thread | None = None

    def start(self) -> Self:
        """Work in a thread until `stop` is called."""
        self._thread = Thread(target=self.run, name="attune-worker", daemon=True)
        self._thread.start()
        return self

    def run(self) -> None:
        """Work until `stop` is called."""
        self._run(self._work())

    def stop(self) -> None:
        """Stop at once. What is under way is repeated by another worker, or after the next start."""
        self._stop_children()
        if self._loop:
            with suppress(RuntimeError):  # the loop has ended
                self._loop.call_soon_threadsafe(self._leave)
        if self._thread:
            self._thread.join(timeout=STOP_S)
        end = time.monotonic() + STOP_S
        for thread in self._threads:  # what it has begun in the database is ended, and no connection left open
            thread.join(timeout=max(0.0, end - time.monotonic()))
        with suppress(*OUTAGES), self._engine.begin() as db:
            db.execute(_LEAVE, {"workers": self._ids()})
        self._engine.dispose()

    def _leave(self) -> None:
        for waiting in self._waiting:
            waiting.cancel()
        if self._main:
            self._main.cancel()

    def _run(self, main: Coroutine[Any, Any, None]) -> None:
        # Not the default loop of Windows, which psycopg cannot use.
        with asyncio.Runner(loop_factory=asyncio.SelectorEventLoop) as runner, suppress(asyncio.CancelledError):
            self._loop = runner.get_loop()
            runner.run(self._keep(main))

    async def _keep(self, main: Coroutine[Any, Any, None]) -> None:
        self._main = asyncio.create_task(main)
        await self._main

    async def _work(self) -> None:
        app = self._app()
        async with app.open_async(), asyncio.TaskGroup() as group:
            for lane in sorted({work.kind.lane for work in self._works}):
                group.create_task(self._lane(app, lane))
            group.create_task(self._look_for_lost())

    async def _lane(self, app: procrastinate.App, lane: str) -> None:
        """Do the jobs of a lane; begin again when the database was away and those under way have ended."""
        while True:
            worker = Lane(
                app,
                queues=[lane],
                name=lane,
                concurrency=LANES[lane],
                delete_jobs=DeleteJobCondition.ALWAYS,
                install_signal_handlers=False,
                fetch_job_polling_interval=POLL_S,
                update_heartbeat_interval=BEAT_S,
                stalled_worker_timeout=SILENT_S,
            )
            self._lanes.append(worker)
            try:
                await worker.run()  # type: ignore[no-untyped-call]
            except procrastinate.exceptions.ConnectorException:
                log.warning("the jobs of the lane %s wait for the database", lane)
            await asyncio.sleep(OUTAGE_S)

    async def _look_for_lost(self) -> None:
        while True:
            try:
                await asyncio.to_thread(self._repeat_lost)
            except OUTAGES as error:
                log.warning("jobs wait for the database: %s", outage_in_words(error) or type(error).__name__)
            await asyncio.sleep(LOOK_S)

    def _repeat_lost(self) -> None:
        """Repeat the jobs of workers that are gone, and those of this one whose end could not be stored."""
        with self._engine.begin() as db:
            mine = set(db.execute(_DOING, {"workers": self._ids()}).scalars())
        idle = mine - self._running
        lost, self._suspects = idle & self._suspects, idle  # at two looks, because a job may just have been fetched
        values = {"running": list(self._running), "lost": list(lost), "silent": f"{SILENT_S} s"}
        with self._engine.begin() as db:
            db.execute(_DROP_LOST, values)
            for name in db.execute(_REPEAT_LOST, values).scalars():
                log.warning("a job was lost with its worker and is repeated: %s", name)
            db.execute(_FAR)

    def _ids(self) -> list[int]:
        return [one.worker_id for one in self._lanes if one.worker_id is not None]

    def _app(self) -> procrastinate.App:
        url = make_url(self._url).set(drivername="postgresql")
        connector = procrastinate.PsycopgConnector(
            conninfo=url.render_as_string(hide_password=False),
            kwargs={"application_name": "attune worker", **client_timeouts(url.query)},
            min_size=0,  # the database may be away when the worker starts
            max_size=len(LANES),
            timeout=CONNECT_S,
            reconnect_timeout=0,
        )
        app = procrastinate.App(connector=connector)
        for work in self._works:
            task = app.task(name=work.kind.name, queue=work.kind.lane, retry=Again(work.wait_s), pass_context=True)(
                self._done_by(work)
            )
            if work.cron:
                key = work.kind.name
                app.periodic(cron=work.cron, queueing_lock=key, lock=key)(task)
        return app

    def _done_by(self, work: Work) -> Callable[..., Coroutine[Any, Any, None]]:
        async def do(
            context: procrastinate.JobContext,
            timestamp: int = 0,
            said: object = None,  # noqa: ARG001 - for those who wait, see `queue.say`
            lost: int = 0,
            **args: Any,  # noqa: ANN401 - JSON
        ) -> None:
            job = context.job.id or 0
            self._running.add(job)
            try:
                if timestamp:
                    await self._until(asyncio.ensure_future(asyncio.sleep(max(0.0, self._first - time.monotonic()))))
                is_last = context.job.attempts + 1 >= MAX_ATTEMPTS
                thread, waiting = _in_thread(work, args, is_last=is_last, is_too_late=lost >= MAX_LOST)
                self._threads = {one for one in self._threads if one.is_alive()} | {thread}
                await self._until(waiting)
            finally:
                self._running.discard(job)

        return do

    async def _until(self, end: asyncio.Future[None]) -> None:
        """Wait for this, or for the worker to stop."""
        self._waiting.add(end)
        try:
            await end
        finally:
            self._waiting.discard(end)


def _in_thread(
    work: Work, args: dict[str, Any], *, is_last: bool, is_too_late: bool
) -> tuple[Thread, asyncio.Future[None]]:
    """Call the work in a thread that does not keep the program from ending, or give it up."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[None] = loop.create_future()

    def run() -> None:
        error: BaseException | None = None
        try:
            if work.give_up and is_too_late:
                log.error("the job %s is given up: it was lost with its worker %s times", work.kind.name, MAX_LOST)
                work.give_up(**args)
            else:
                work.do(**args)
        except Exception as raised:  # noqa: BLE001 - it is raised again for procrastinate
            error = raised
            _say(work, raised)
            if work.give_up and is_last and not _is_outage(raised):
                with suppress(*OUTAGES):
                    work.give_up(**args)
        with suppress(RuntimeError):  # the loop has ended
            loop.call_soon_threadsafe(_settle, done, error)

    thread = Thread(target=run, name=f"attune-{work.kind.name}", daemon=True)
    thread.start()
    return thread, done


def _settle(done: asyncio.Future[None], error: BaseException | None) -> None:
    if done.cancelled():
        return
    if error is None:
        done.set_result(None)
    else:
        done.set_exception(error)


def _is_outage(error: BaseException) -> bool:
    return isinstance(error, OUTAGES) and outage_in_words(error) is not None


def _say(work: Work, error: Exception) -> None:
    if _is_outage(error):
        log.warning("the job %s waits for the database: %s", work.kind.name, outage_in_words(error))
    elif isinstance(error, SideProcessError | OSError):
        log.error("the job %s failed: %s", work.kind.name, error)
    else:
        log.error("the job %s failed unexpectedly", work.kind.name, exc_info=error)
