"""A judge at work: each request is a page, its answer is checked like a rater's form and stored as ratings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from app.actions.models.judge_settings import JudgeSettings
from app.actions.models.page_questions import answers_of, probabilities_by_slot
from app.actions.models.request_run import RequestRun, Result, answered_by, failed, without_use
from app.design.model_runs.model_outcomes import Outcome
from app.models.answers import UnparsedError
from app.models.asked import schema_of
from app.models.connection import N_ALTERNATIVES
from app.models.endpoint import Parameters
from app.models.probabilities import answer_probabilities
from app.storage.model_runs.judgements import record_judgement
from app.storage.model_runs.requests import FollowUp, get_progress
from app.storage.model_runs.runs import record_judge_attributes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection

    from app.actions.models.judge_pages import JudgedStudy, JudgePage
    from app.models.budget import Budget
    from app.models.endpoint import Endpoint, Message, Reply
    from app.models.patience import Tried
    from app.storage.database.engine import Begin
    from app.storage.model_runs.requests import PlannedRequest
    from app.storage.model_runs.runs import RunRow

REPAIR = "This answer cannot be used. {problem} Answer again with one JSON object in the format above, nothing else."


def judging(
    begin: Begin,
    run: RunRow,
    study: JudgedStudy,
    endpoint: Endpoint,
    budget: Budget,
    **options: Any,  # noqa: ANN401 - fields of RequestRun
) -> RequestRun:
    """The work on a run of a judge."""
    settings = JudgeSettings.of(run.settings)

    def prepare(db: Connection, planned: PlannedRequest) -> JudgeJob:
        return JudgeJob(run, study, settings, planned, study.page(db, planned))

    return RequestRun(begin, run, prepare, endpoint, budget, **options)


@dataclass(frozen=True, slots=True)
class JudgeJob:
    """One page of a judge."""

    run: RunRow
    study: JudgedStudy
    settings: JudgeSettings
    planned: PlannedRequest
    page: JudgePage

    def prompt(self) -> list[Message]:
        """What a rater reads, and how to answer."""
        return self.page.prompt(self.study.protocol, self.settings.before)

    def parameters(self) -> Parameters:
        """How the answer is sampled."""
        settings = self.settings
        return Parameters(
            max_tokens=settings.max_tokens,
            temperature=settings.temperature,
            seed=self.planned.seed,
            schema=schema_of([one.asked for one in self.page.questions]),
            answer_format=settings.answer_format,
            n_alternatives=N_ALTERNATIVES[0] if settings.with_probabilities else 0,
        )

    def result(self, planned: PlannedRequest, prompt: Sequence[Message], tried: Tried) -> Result:
        """The answers, or one repair if they cannot be read."""
        reply, page, rater_id = tried.reply, self.page, self.run.rater_id
        if reply is None:
            return Result(failed(tried))
        try:
            answers = answers_of(page.sheet, page.questions, reply.text, page.view.response_ids)
        except UnparsedError as error:
            return _unusable(planned, prompt, tried, reply, str(error))

        found = answer_probabilities(reply, [one.asked for one in page.questions])

        def store(db: Connection) -> None:
            if answers and rater_id is not None:
                of_slots = probabilities_by_slot(page.questions, found or {}, self.study.keys_by_side(page.view))
                record_judgement(db, page.view, rater_id, planned.id, answers, of_slots)

        stored = None if found is None else {name: one.stored() for name, one in found.items()}
        return Result(answered_by(Outcome.ANSWERED, None, prompt, tried, stored), store)


def _unusable(planned: PlannedRequest, prompt: Sequence[Message], tried: Tried, reply: Reply, why: str) -> Result:
    """The result of a reply that cannot be used; the first reply that is not refused or cut off is repaired."""
    outcome, problem = without_use(reply, why)
    repair = None
    if outcome is Outcome.UNPARSED and not planned.attempt:
        repair = FollowUp.after(prompt, reply.text, REPAIR.format(problem=problem), kind="repair")
    return Result(answered_by(outcome, problem, prompt, tried), follow_up=repair)


def finish_run(db: Connection, run: RunRow) -> None:
    """Note the versions of the model that answered as an attribute of the judge."""
    versions = get_progress(db, run).versions
    if versions:
        record_judge_attributes(db, run, {"model_version": ", ".join(versions)})
