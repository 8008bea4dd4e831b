"""Work through the open requests of a judge: ask, read, repair once, and store each answer exactly once."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from app.actions.models.judge_settings import JudgeSettings
from app.actions.models.page_questions import answers_of
from app.design.model_outcomes import Outcome
from app.models.answers import UnparsedError
from app.models.asked import schema_of
from app.models.budget import estimated_tokens
from app.models.connection import connection
from app.models.endpoint import Parameters
from app.models.patience import Patience, send_patiently
from app.models.probabilities import answer_probabilities
from app.models.workers import run_all
from app.storage.model_runs.judgements import record_judgement
from app.storage.model_runs.requests import (
    Answered,
    get_progress,
    list_open,
    record_answered,
    record_asked,
    record_repair,
)
from app.storage.model_runs.runs import is_stopped, record_judge_attributes, record_stop

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sqlalchemy import Connection

    from app.actions.models.judge_pages import JudgedStudy, JudgePage
    from app.design.questions.form import Answer
    from app.models.budget import Budget
    from app.models.connection import Send
    from app.models.endpoint import Endpoint, Message, Reply
    from app.models.patience import Tried
    from app.storage.database.engine import Begin
    from app.storage.model_runs.requests import PlannedRequest
    from app.storage.model_runs.runs import RunRow

# So many requests in a row without an answer mean that something is wrong for all of them, such as the key.
MAX_FAILURES_IN_A_ROW = 10
REPAIR = "This answer cannot be used. {problem} Answer again with one JSON object in the format above, nothing else."


def _quiet(_n_done: int, _n_all: int) -> None:
    """No-op progress callback."""


@dataclass(slots=True)
class Judging:
    """One process that works on a run. `send` sends one request of a prompt, with parameters and an ID."""

    begin: Begin
    run: RunRow
    study: JudgedStudy
    endpoint: Endpoint
    budget: Budget
    n_at_once: int = 4
    patience: Patience = field(default_factory=Patience)
    progress: Callable[[int, int], None] = _quiet
    n_done: int = 0
    n_open: int = 0
    n_failures_in_a_row: int = 0

    @property
    def settings(self) -> JudgeSettings:
        """The settings of the run."""
        return JudgeSettings.of(self.run.settings)

    async def work(self) -> None:
        """Ask all open requests, until they are answered, the budget is used up, or someone stops the run.

        Raises:
            ClientMissingError: the optional client is not installed.
        """
        with self.begin() as db:
            record_stop(db, self.run, None)
            waiting = list_open(db, self.run)
        self.n_open = len(waiting)
        async with connection(self.endpoint) as send:

            async def one(planned: PlannedRequest) -> bool:
                return await self._one(send, planned)

            await run_all(waiting, one, self.n_at_once)

    async def _one(self, send: Send, planned: PlannedRequest) -> bool:
        """Ask one request with its repair; False if the run ends here."""
        with self.begin() as db:
            if is_stopped(db, self.run):
                return False
            page = self.study.page(db, planned)
        prompt = planned.prompt if planned.attempt else page.prompt(self.study.protocol, self.settings.persona)
        repair = await self._ask(send, page, planned, prompt or [])
        if repair is not None and repair.prompt is not None:
            repair = await self._ask(send, page, repair, repair.prompt)
        with self.begin() as db:
            if is_stopped(db, self.run):
                return False
        self.n_done += 1
        self.progress(self.n_done, self.n_open)
        return True

    async def _ask(
        self, send: Send, page: JudgePage, planned: PlannedRequest, prompt: Sequence[Message]
    ) -> PlannedRequest | None:
        """Ask one request and store what came of it; return the repair if one is needed."""
        reserved = estimated_tokens(*(message["content"] for message in prompt)), self.settings.max_tokens
        if not await self.budget.wait_for(*reserved):
            self._stop("The budget is used up.")
            return None
        with self.begin() as db:
            record_asked(db, self.run, planned.id, prompt)
        request_id = f"{self.run.settings['run_key']}-{planned.number}-{planned.attempt}"
        parameters = self._parameters(page, planned)
        tried = await send_patiently(lambda: send(prompt, parameters, request_id), self.patience)
        used = (tried.reply.tokens_in, tried.reply.tokens_out) if tried.reply else (0, 0)
        self.budget.settle(reserved, used)
        return self._store(page, planned, prompt, tried)

    def _parameters(self, page: JudgePage, planned: PlannedRequest) -> Parameters:
        settings = self.settings
        return Parameters(
            max_tokens=settings.max_tokens,
            temperature=settings.temperature,
            seed=planned.seed,
            schema=schema_of([one.asked for one in page.questions]),
            answer_format=settings.answer_format,
            with_probabilities=settings.with_probabilities,
        )

    def _store(
        self, page: JudgePage, planned: PlannedRequest, prompt: Sequence[Message], tried: Tried
    ) -> PlannedRequest | None:
        answered, answers = judged(page, tried)
        self._count(answered)
        with self.begin() as db:
            is_new = record_answered(db, self.run, planned.id, answered)
            if is_new and answers and self.run.rater_id is not None:
                record_judgement(db, page.view, self.run.rater_id, planned.id, answers)
            if not is_new or answered.outcome is not Outcome.UNPARSED or planned.attempt:
                return None
            asked = [
                *prompt,
                {"role": "assistant", "content": answered.raw_answer or ""},
                {"role": "user", "content": REPAIR.format(problem=answered.problem)},
            ]
            return planned.repair(record_repair(db, self.run, planned.id, asked), asked)

    def _count(self, answered: Answered) -> None:
        failed = answered.outcome is Outcome.FAILED
        self.n_failures_in_a_row = self.n_failures_in_a_row + 1 if failed else 0
        if self.n_failures_in_a_row >= MAX_FAILURES_IN_A_ROW:
            self._stop(f"{self.n_failures_in_a_row} requests in a row failed. The last one: {answered.problem}")

    def _stop(self, reason: str) -> None:
        with self.begin() as db:
            record_stop(db, self.run, reason)


def finish_run(db: Connection, run: RunRow) -> None:
    """Note the versions of the model that answered as an attribute of the judge."""
    versions = get_progress(db, run).versions
    if versions:
        record_judge_attributes(db, run, {"model_version": ", ".join(versions)})


def judged(page: JudgePage, tried: Tried) -> tuple[Answered, tuple[Answer, ...]]:
    """What came of a request: its outcome, and the answers if it has any."""
    reply = tried.reply
    if reply is None:
        assert tried.error is not None  # noqa: S101 - without a reply there is an error
        return Answered(tried.error.outcome, str(tried.error), n_tries=tried.n_tries), ()
    try:
        answers = answers_of(page.sheet, page.questions, reply.text, page.view.response_ids)
    except UnparsedError as error:
        outcome, problem = _unanswered(reply, str(error))
        return _answered(outcome, problem, tried, reply), ()
    return _answered(Outcome.ANSWERED, None, tried, reply, answer_probabilities(reply)), answers


def _unanswered(reply: Reply, problem: str) -> tuple[Outcome, str]:
    if reply.refusal or reply.stop == "content_filter":
        return Outcome.REFUSED, reply.refusal or "The endpoint's content filter ended the answer."
    if reply.stop == "length":
        return Outcome.CUT_OFF, "The answer was cut off at the limit of tokens. Raise it with --max-tokens."
    return Outcome.UNPARSED, problem


def _answered(
    outcome: Outcome, problem: str | None, tried: Tried, reply: Reply, probabilities: dict[str, float] | None = None
) -> Answered:
    return Answered(
        outcome=outcome,
        problem=problem,
        raw_answer=reply.text or reply.refusal or "",
        n_tries=tried.n_tries,
        tokens_in=reply.tokens_in,
        tokens_out=reply.tokens_out,
        model_version=reply.model_version or None,
        fingerprint=reply.fingerprint,
        probabilities=probabilities,
    )
