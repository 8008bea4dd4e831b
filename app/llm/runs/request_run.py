"""Work through the open requests of a run: ask, store each outcome exactly once, and ask what follows from it."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from sqlalchemy import Connection
from sqlalchemy.exc import DataError, IntegrityError

from app.base.database.engine import Begin
from app.llm.client.budget import Budget, estimated_tokens, prompt_tokens
from app.llm.client.connection import Send, connection
from app.llm.client.endpoint import BatchPace, BatchUnderWayError, Endpoint, Message, Parameters, Reply
from app.llm.client.retries import RetryPolicy, Tried, run_all, send_with_retries
from app.llm.outcomes import Outcome
from app.llm.runs.requests import (
    Answered,
    FollowUp,
    PlannedRequest,
    list_open,
    record_answered,
    record_asked,
    record_follow_up,
)
from app.llm.runs.runs import RunRow, is_stopped, record_batch, record_stop

log = logging.getLogger("attune.models")
# So many requests in a row without an answer mean that something is wrong for all of them, such as the key.
MAX_FAILURES_IN_A_ROW = 10
CUT_OFF = "The answer was cut off at the token limit. Allow more tokens per answer."


@dataclass(frozen=True, slots=True)
class Result:
    """The result of a request: its outcome, what to store with it, and what to ask next."""

    answered: Answered
    store: Callable[[Connection], None] | None = None
    follow_up: FollowUp | None = None


class Job(Protocol):
    """What is asked with one planned request, and what is made of the answer."""

    def prompt(self) -> list[Message]:
        """The first prompt."""

    def parameters(self) -> Parameters:
        """How the answer is sampled."""

    def result(self, planned: PlannedRequest, prompt: Sequence[Message], tried: Tried) -> Result:
        """The result of the request."""


def _quiet(_n_done: int, _n_all: int) -> None:
    """No-op progress callback."""


@dataclass(slots=True)
class RequestRun:
    """One process that works on a run. `prepare` creates the job of a request; `limit`: how many are asked at most.

    `batch_pace`: requests are sent in batches, all at once. `waits_for_batch`: it ended before a batch had answers.
    """

    begin: Begin
    run: RunRow
    prepare: Callable[[Connection, PlannedRequest], Job]
    endpoint: Endpoint
    budget: Budget
    n_at_once: int = 4
    retry_policy: RetryPolicy = field(default_factory=RetryPolicy)
    progress: Callable[[int, int], None] = _quiet
    limit: int | None = None
    batch_pace: BatchPace | None = None
    n_done: int = 0
    n_open: int = 0
    n_failures_in_a_row: int = 0
    waits_for_batch: bool = False

    async def work(self) -> None:
        """Ask all open requests, until they are answered, the budget is used up, or someone stops the run.

        A run that is stopped asks nothing: to continue it, call `record_stop` with None first.

        Raises:
            ClientMissingError: the optional client is not installed.
        """
        with self.begin() as db:
            waiting = [] if is_stopped(db, self.run) else list_open(db, self.run)[: self.limit]
        self.n_open = len(waiting)
        pace = self.batch_pace and replace(self.batch_pace, sent=self.run.batches, note=self._note_batch)
        async with connection(self.endpoint, batch_pace=pace) as send:

            async def one(planned: PlannedRequest) -> bool:
                return await self._one(send, planned)

            try:
                await run_all(waiting, one, len(waiting) if self.batch_pace else self.n_at_once)
            except BatchUnderWayError:
                self.waits_for_batch = True

    async def _one(self, send: Send, planned: PlannedRequest) -> bool:
        """Ask one request with all that follows from it; False if the run ends here."""
        with self.begin() as db:
            if is_stopped(db, self.run):
                return False
            job = self.prepare(db, planned)
        following: PlannedRequest | None = planned
        while following is not None:
            following = await self._ask(send, job, following, following.prompt or job.prompt())
            with self.begin() as db:
                if is_stopped(db, self.run):
                    return False
        self.n_done += 1
        self.progress(self.n_done, self.n_open)
        return True

    async def _ask(
        self, send: Send, job: Job, planned: PlannedRequest, prompt: Sequence[Message]
    ) -> PlannedRequest | None:
        """Ask one request and store its result; return what follows."""
        parameters = job.parameters()
        reserved = prompt_tokens(prompt), parameters.max_tokens
        if not await self.budget.wait_for(*reserved):
            self._stop("The budget is used up.")
            return None
        with self.begin() as db:
            record_asked(db, self.run, planned.id, prompt)
        request_id = f"{self.run.settings['run_key']}-{planned.number}-{planned.attempt}"
        tried = await send_with_retries(lambda: send(prompt, parameters, request_id), self.retry_policy)
        try:
            result = job.result(planned, prompt, tried)
        except Exception as error:  # noqa: BLE001 - what was paid for is recorded, whatever it is
            result = Result(_not_read(prompt, tried, error))
        used = result.answered.tokens_in, result.answered.tokens_out
        self.budget.settle(reserved, used)
        result = replace(result, answered=replace(result.answered, cost=self.budget.prices.cost(*used)))
        self._count(result.answered)
        if tried.error is not None and tried.error.ends_run:
            self._stop(str(tried.error))
        try:
            with self.begin() as db:
                return self._store(db, planned, result)
        except (DataError, IntegrityError, UnicodeError) as error:
            with self.begin() as db:
                unread = replace(_not_read(prompt, tried, error), cost=result.answered.cost)
                record_answered(db, self.run, planned.id, unread)
            return None

    def _store(self, db: Connection, planned: PlannedRequest, result: Result) -> PlannedRequest | None:
        is_new = record_answered(db, self.run, planned.id, result.answered)
        if is_new and result.store is not None:
            result.store(db)
        if not is_new or result.follow_up is None:
            return None
        return record_follow_up(db, self.run, planned, result.follow_up)

    def _count(self, answered: Answered) -> None:
        failed = answered.outcome is Outcome.FAILED
        self.n_failures_in_a_row = self.n_failures_in_a_row + 1 if failed else 0
        if self.n_failures_in_a_row >= MAX_FAILURES_IN_A_ROW:
            self._stop(f"{self.n_failures_in_a_row} requests in a row failed. The last one: {answered.problem}")

    def _note_batch(self, number: str, *, is_under_way: bool) -> None:
        with self.begin() as db:
            record_batch(db, self.run, number, is_under_way=is_under_way)

    def _stop(self, reason: str) -> None:
        with self.begin() as db:
            record_stop(db, self.run, reason)


def _not_read(prompt: Sequence[Message], tried: Tried, error: Exception) -> Answered:
    """The outcome of a request whose answer cannot be used for a reason that nobody has thought of."""
    log.error("an answer of a model cannot be used", exc_info=error)
    if tried.reply is None:
        return failed(tried)
    return answered_by(Outcome.UNPARSED, f"The answer cannot be used ({type(error).__name__}).", prompt, tried)


def failed(tried: Tried) -> Answered:
    """The outcome of a request without a reply."""
    assert tried.error is not None  # noqa: S101 - without a reply there is an error
    return Answered(
        tried.error.outcome,
        str(tried.error),
        n_tries=tried.n_tries,
        tokens_in=tried.tokens[0],
        tokens_out=tried.tokens[1],
    )


def without_answer(reply: Reply) -> tuple[Outcome, str] | None:
    """Why a reply is no answer, whatever it says: it was refused, or cut off; None if it ended as it should."""
    if because := reply.refused_because:
        return Outcome.REFUSED, because
    return (Outcome.CUT_OFF, CUT_OFF) if reply.is_cut_off else None


def answered_by(
    outcome: Outcome,
    problem: str | None,
    prompt: Sequence[Message],
    tried: Tried,
    probabilities: dict[str, Any] | None = None,
) -> Answered:
    """The outcome of a request with a reply. Tokens that the server does not report are estimated."""
    reply = tried.reply
    assert reply is not None  # noqa: S101 - as documented
    return Answered(
        outcome=outcome,
        problem=problem,
        raw_answer=reply.raw or reply.refusal or "",
        n_tries=tried.n_tries,
        tokens_in=tried.tokens[0] + (reply.tokens_in or prompt_tokens(prompt)),
        tokens_out=tried.tokens[1] + (reply.tokens_out or estimated_tokens(reply.raw, reply.thoughts)),
        model_version=reply.model_version or None,
        fingerprint=reply.fingerprint,
        probabilities=probabilities,
        finish_reason=reply.stop or None,
        thoughts=reply.thoughts or None,
        provider=reply.provider or None,
        response_id=reply.response_id or None,
        tokens_cached=reply.tokens_cached,
        tokens_thinking=reply.tokens_thinking,
        parameters=reply.sent or None,
    )
