"""Read the stored answers of a judge again, without a model, after the rules for reading answers have changed."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import fields
from itertools import groupby
from typing import Any

from sqlalchemy import Connection, text

from app.llm.client.answers import split_thoughts
from app.llm.client.endpoint import Reply
from app.llm.client.probabilities import AnswerProbability
from app.llm.client.retries import Tried
from app.llm.judges.judge_pages import JudgedStudy
from app.llm.judges.judge_settings import JudgeSettings
from app.llm.judges.judging import JudgeJob
from app.llm.outcomes import Outcome
from app.llm.runs.requests import PlannedRequest
from app.llm.runs.runs import RunIsBusyError, RunRow, is_worked_on

# What came back with a text; the others have nothing to read.
_STORED = text("""
    SELECT id, number, attempt, kind, stage, item_id, response_ids, condition, repeat, n_turns_done, seed, prompt,
           outcome, raw_answer, finish_reason, probabilities
    FROM model_requests WHERE study_id = :study AND run_id = :run AND raw_answer IS NOT NULL
    ORDER BY number, attempt
""")
_FORGET = text("DELETE FROM ratings WHERE study_id = :study AND rater_id = :rater")
_OUTCOME = text("""
    UPDATE model_requests SET outcome = :outcome, problem = :problem WHERE study_id = :study AND id = :request
""")
_OWN = tuple(field.name for field in fields(PlannedRequest))


def replay(db: Connection, run: RunRow, study: JudgedStudy) -> tuple[Counter[str], Counter[str]]:
    """Read every stored answer of a judge with the present rules, and store its ratings anew.

    Of the answers to one trial, the first that can be used counts. Probabilities are those that were stored.

    Returns:
        The number of trials by outcome, before and now.

    Raises:
        RunIsBusyError: a process works on the run.
    """
    if is_worked_on(db, run):
        raise RunIsBusyError(
            f"A process is working on the run {run.name}. Read its answers again when that process has ended."
        )
    values = {"study": run.study_id, "run": run.id}
    db.execute(_FORGET, {"study": run.study_id, "rater": run.rater_id})
    before: Counter[str] = Counter()
    now: Counter[str] = Counter()
    for _, rows in groupby(map(dict, db.execute(_STORED, values).mappings().all()), key=lambda row: row["number"]):
        attempts = [*rows]
        before[attempts[-1]["outcome"]] += 1
        now[_read_again(db, run, study, attempts)] += 1
    return before, now


def _read_again(db: Connection, run: RunRow, study: JudgedStudy, attempts: Sequence[dict[str, Any]]) -> str:
    """Read the answers to one trial in order, until one can be used; return the outcome of the trial."""
    outcome = Outcome.UNPARSED
    for row in attempts:
        planned = PlannedRequest(**{n: row[n] for n in _OWN} | {"response_ids": tuple(row["response_ids"])})
        job = JudgeJob(run, study, JudgeSettings.of(run.settings), planned, study.page(db, planned))
        tried = Tried(1, _reply(row))
        result = job.result(planned, row["prompt"] or [], tried, known=_stored(row["probabilities"]))
        outcome, problem = result.answered.outcome, result.answered.problem
        db.execute(
            _OUTCOME, {"study": run.study_id, "request": planned.id, "outcome": str(outcome), "problem": problem}
        )
        if result.store is not None:
            result.store(db)
            break
    return str(outcome)


def _reply(row: dict[str, Any]) -> Reply:
    """The reply as it was read from the server, without what is not needed to read the answer."""
    refusal = row["raw_answer"] if row["outcome"] == Outcome.REFUSED else None
    split = split_thoughts(row["raw_answer"])
    return Reply(split.answer, row["finish_reason"] or "", refusal, "", None, 1, 1, raw=row["raw_answer"])


def _stored(probabilities: dict[str, Any] | None) -> dict[str, AnswerProbability] | None:
    return None if probabilities is None else {name: AnswerProbability(**one) for name, one in probabilities.items()}
