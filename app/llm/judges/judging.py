"""A judge at work: each request is a page, its answer is checked like a rater's form and stored as ratings."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import Connection, text

from app.base.database.engine import Begin
from app.llm.client.answers import UnparsedError, is_refusal
from app.llm.client.asked import schema_of
from app.llm.client.budget import Budget
from app.llm.client.endpoint import Endpoint, Message, Parameters, Reply
from app.llm.client.probabilities import AnswerProbability, answer_probabilities
from app.llm.client.request_errors import cut_to_line
from app.llm.client.retries import Tried
from app.llm.judges.judge_pages import JudgedStudy, JudgePage, answers_of, probabilities_by_slot
from app.llm.judges.judge_settings import JudgeSettings
from app.llm.outcomes import Outcome
from app.llm.runs.request_run import RequestRun, Result, answered_by, failed, without_answer
from app.llm.runs.requests import FollowUp, PlannedRequest, get_progress
from app.llm.runs.runs import RunRow, record_judge_attributes
from app.protocol.questions.form import Answer
from app.rating.answers.ratings import NAMES, OF_GIVEN, TYPED, answer_rows
from app.rating.seats.assignment_view import AssignmentView

# A judge's answers as ratings, in the transaction that stores the request's outcome.

# No assignment and no seat: judges take no rater's place. A question about the item that several of its pages ask is
# one answer, the first one.
_INSERT = text(f"""
    INSERT INTO ratings (study_id, rater_id, item_id, {NAMES}, rated_at, served_at, left_response_id,
                         right_response_id, position, condition, repeat, probabilities)
    SELECT :study, :rater, :item, {OF_GIVEN}, q.answered_at, q.asked_at, :left, :right, q.number,
           nullif(CAST(:condition AS text), ''), CAST(:repeat AS smallint), g.probabilities
    FROM jsonb_to_recordset(CAST(:answers AS jsonb)) AS g ({TYPED}, n integer, probabilities text)
    CROSS JOIN model_requests q WHERE q.study_id = :study AND q.id = :request
    ORDER BY g.n
    ON CONFLICT DO NOTHING
""")  # noqa: S608 - constants only
_PAIR = 2


def record_judgement(
    db: Connection,
    view: AssignmentView,
    rater_id: int,
    request_id: int,
    answers: Sequence[Answer],
    probabilities: Mapping[str, Mapping[str, float]] | None = None,
) -> None:
    """Store the answers of a judge to one page.

    Args:
        db: the transaction.
        view: the page, with its condition and repeat.
        rater_id: the judge.
        request_id: the request, whose times are those of the answers.
        answers: validated answers.
        probabilities: the probability of each allowed answer, or only of the one given, by the slot of the answer.
    """
    left, right = view.response_ids if len(view.response_ids) == _PAIR else (None, None)
    db.execute(
        _INSERT,
        {
            "study": view.study_id,
            "rater": rater_id,
            "item": view.item_id,
            "left": left,
            "right": right,
            "condition": view.condition,
            "repeat": view.repeat,
            "request": request_id,
            "answers": json.dumps(_rows(view, answers, probabilities or {})),
        },
    )


def _rows(
    view: AssignmentView, answers: Sequence[Answer], probabilities: Mapping[str, Mapping[str, float]]
) -> list[dict[str, object]]:
    labels = dict(zip(view.response_ids, view.shown_labels or (), strict=False))
    found = {slot: json.dumps(by_value, ensure_ascii=False) for slot, by_value in probabilities.items()}
    return [
        row | {"n": n, "probabilities": found.get(answer.slot.name)}
        for n, answer in enumerate(answers)
        for row in answer_rows(answer, labels, len(view.response_ids))
    ]


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
        return self.page.prompt(self.study.protocol, self.settings)

    def parameters(self) -> Parameters:
        """The sampling parameters of the run, with the seed of this request and the schema of its questions."""
        schema = schema_of(self.settings.fields([one.asked for one in self.page.questions]))
        return replace(self.settings.parameters, seed=self.planned.seed, schema=schema)

    def result(
        self,
        planned: PlannedRequest,
        prompt: Sequence[Message],
        tried: Tried,
        *,
        known: Mapping[str, AnswerProbability] | None = None,
    ) -> Result:
        """The answers, or one repair if they cannot be read; with their probabilities, if these are known already."""
        reply, page, rater_id = tried.reply, self.page, self.run.rater_id
        if reply is None:
            return Result(failed(tried))
        if ended := without_answer(reply):
            return Result(answered_by(*ended, prompt, tried))
        try:
            answers = answers_of(page.sheet, page.questions, reply.text, page.view.response_ids)
        except UnparsedError as error:
            return _unusable(planned, prompt, tried, reply, str(error))

        found = known or answer_probabilities(reply, [one.asked for one in page.questions])

        def store(db: Connection) -> None:
            if answers and rater_id is not None:
                of_slots = probabilities_by_slot(page.questions, found or {}, self.study.keys_by_side(page.view))
                record_judgement(db, page.view, rater_id, planned.id, answers, of_slots)

        stored = None if found is None else {name: one.stored() for name, one in found.items()}
        return Result(answered_by(Outcome.ANSWERED, None, prompt, tried, stored), store)


def _unusable(planned: PlannedRequest, prompt: Sequence[Message], tried: Tried, reply: Reply, why: str) -> Result:
    """The result of a reply that cannot be used; the first one is repaired, if the model did not refuse to answer."""
    if is_refusal(reply.text):
        return Result(answered_by(Outcome.REFUSED, cut_to_line(reply.text), prompt, tried))
    repair = None
    if planned.kind != "repair":
        repair = FollowUp.after(prompt, reply.text, REPAIR.format(problem=why), kind="repair")
    return Result(answered_by(Outcome.UNPARSED, why, prompt, tried), follow_up=repair)


def finish_run(db: Connection, run: RunRow) -> None:
    """Note the versions of the model that answered as an attribute of the judge."""
    versions = get_progress(db, run).versions
    if versions:
        record_judge_attributes(db, run, {"model_version": ", ".join(versions)})
