"""The requests of a run: planned, asked, answered, each one row."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

from sqlalchemy import Connection, text

from app.llm.outcomes import ASKED_AGAIN, Outcome, RequestKind
from app.llm.runs.runs import RunRow

_PLAN = text("""
    INSERT INTO model_requests (study_id, run_id, number, item_id, response_ids, condition, repeat, n_turns_done, seed)
    SELECT :study, :run, number, item_id, response_ids, condition, repeat, n_turns_done, seed
    FROM jsonb_to_recordset(CAST(:planned AS jsonb)) AS p (
      number integer, item_id bigint, response_ids bigint[], condition text, repeat smallint, n_turns_done integer,
      seed bigint)
    ON CONFLICT (study_id, run_id, number, attempt) DO NOTHING
""")
# Without a stored answer: never asked, under way when the process ended, or failed.
_OPEN = text("""
    SELECT id, number, attempt, kind, stage, item_id, response_ids, condition, repeat, n_turns_done, seed, prompt
    FROM model_requests
    WHERE study_id = :study AND run_id = :run AND (outcome IS NULL OR outcome = ANY(:again))
    ORDER BY number, attempt
""")
# What was asked and has no answer was under way when its process ended: that was a try, too.
_ASKED = text("""
    UPDATE model_requests SET prompt = CAST(:prompt AS jsonb),
      n_tries = n_tries + CAST(asked_at IS NOT NULL AND answered_at IS NULL AS integer),
      asked_at = clock_timestamp(), outcome = NULL, answered_at = NULL
    WHERE study_id = :study AND id = :request
""")
_FOLLOW_UP = text("""
    INSERT INTO model_requests (study_id, run_id, number, attempt, kind, stage, item_id, response_ids, condition,
                                repeat, n_turns_done, seed, prompt)
    SELECT study_id, run_id, number, attempt + 1, :kind, :stage, item_id, response_ids, condition, repeat, n_turns_done,
           seed, CAST(:prompt AS jsonb)
    FROM model_requests WHERE study_id = :study AND id = :request
    RETURNING id
""")
_ANSWERED = text("""
    UPDATE model_requests SET outcome = :outcome, problem = :problem, raw_answer = :raw,
      n_tries = n_tries + :tries, tokens_in = coalesce(tokens_in, 0) + :tokens_in,
      tokens_out = coalesce(tokens_out, 0) + :tokens_out, model_version = :version, fingerprint = :fingerprint,
      probabilities = CAST(:probabilities AS jsonb), finish_reason = :finish_reason, thoughts = :thoughts,
      provider = :provider, response_id = :response_id, tokens_cached = :tokens_cached,
      tokens_thinking = :tokens_thinking, cost = coalesce(cost, 0) + :cost, parameters = CAST(:parameters AS jsonb),
      answered_at = clock_timestamp(),
      latency_ms = CAST(extract(epoch FROM clock_timestamp() - asked_at) * 1000 AS integer)
    WHERE study_id = :study AND id = :request AND outcome IS NULL
    RETURNING id
""")
# Each trial once, by its last attempt.
_PROGRESS = text("""
    SELECT coalesce(outcome, 'open') AS outcome, count(*) AS n FROM (
      SELECT DISTINCT ON (number) number, outcome FROM model_requests WHERE study_id = :study AND run_id = :run
      ORDER BY number, attempt DESC) AS last
    GROUP BY 1
""")
_USED = text("""
    SELECT coalesce(sum(tokens_in), 0) AS tokens_in, coalesce(sum(tokens_out), 0) AS tokens_out,
      coalesce(sum(cost), 0) AS cost, percentile_cont(0.5) WITHIN GROUP (ORDER BY latency_ms) / 1000 AS median_s,
      array_remove(array_agg(DISTINCT model_version), NULL) AS versions,
      count(*) FILTER (WHERE kind = 'repair') AS n_repairs,
      count(*) FILTER (WHERE asked_at IS NOT NULL) AS n_asked
    FROM model_requests WHERE study_id = :study AND run_id = :run
""")
# The largest count of prompts that differ in length by a tenth: a server that cuts prompts counts no more than it has
# room for. Short prompts are left out, as some servers count all of them alike.
_CUT_AT = text("""
    WITH counted AS (SELECT tokens_in, length(prompt::text) AS size FROM model_requests
      WHERE study_id = :study AND run_id = :run AND tokens_in >= 1000 AND n_tries = 1)
    SELECT tokens_in FROM counted WHERE tokens_in = (SELECT max(tokens_in) FROM counted)
    GROUP BY 1 HAVING count(*) > 2 AND max(size) > 1.1 * min(size)
""")
_PROBLEMS = text("""
    SELECT outcome, problem, count(*) AS n FROM (
      SELECT DISTINCT ON (number) outcome, problem FROM model_requests WHERE study_id = :study AND run_id = :run
      ORDER BY number, attempt DESC) AS last
    WHERE problem IS NOT NULL AND outcome <> 'answered'
    GROUP BY 1, 2 ORDER BY n DESC, problem LIMIT 10
""")


@dataclass(frozen=True, slots=True)
class PlannedRequest:
    """One request to be made; `response_ids` as shown, left first.

    `id`, `attempt` and `prompt` are set once it is stored. `attempt` counts the requests that follow from it, `kind`
    says why they are made, and `stage` is the number of steps and further lengths that came before.
    """

    number: int
    item_id: int
    response_ids: tuple[int, ...]
    condition: str
    repeat: int
    n_turns_done: int
    seed: int | None
    id: int = 0
    attempt: int = 0
    kind: RequestKind = "first"
    stage: int = 0
    prompt: list[dict[str, str]] | None = None


@dataclass(frozen=True, slots=True)
class FollowUp:
    """What is asked after an answer: its repair, the next step of a prompt, or the same text in another length."""

    prompt: list[dict[str, str]]
    kind: RequestKind
    stage: int = 0

    @classmethod
    def after(
        cls, prompt: Sequence[Mapping[str, str]], answer: str, words: str, *, kind: RequestKind, stage: int = 0
    ) -> Self:
        """The conversation so far, its last answer, and what is said next."""
        said = [{"role": "assistant", "content": answer}, {"role": "user", "content": words}]
        return cls([*map(dict, prompt), *said], kind, stage)


@dataclass(frozen=True, slots=True)
class Answered:
    """The result of a request."""

    outcome: Outcome
    problem: str | None = None
    raw_answer: str | None = None
    n_tries: int = 1
    tokens_in: int = 0
    tokens_out: int = 0
    model_version: str | None = None
    fingerprint: str | None = None
    probabilities: Mapping[str, Any] | None = None
    finish_reason: str | None = None
    thoughts: str | None = None
    provider: str | None = None
    response_id: str | None = None
    tokens_cached: int = 0
    tokens_thinking: int = 0
    parameters: Mapping[str, Any] | None = None
    cost: float = 0.0


@dataclass(frozen=True, slots=True)
class Progress:
    """The state of a run: the number of requests by outcome, those still open, and what they used.

    `median_s`: the seconds from sending a request to its answer, None without answers. `cut_at`: the tokens at which
    the server seems to cut prompts, None if it does not.
    """

    by_outcome: Mapping[str, int]
    n_open: int
    tokens_in: int
    tokens_out: int
    cost: float
    median_s: float | None
    versions: tuple[str, ...]
    n_repairs: int
    n_asked: int
    cut_at: int | None

    @property
    def cut_words(self) -> str:
        """That prompts are cut, and what to do; empty if nothing suggests it."""
        if self.cut_at is None:
            return ""
        return (
            f"The server counts {self.cut_at:,} tokens for prompts of different lengths, so it probably cuts the "
            "longer ones without saying so, and these answers rest on a part of the text. Give the model a longer "
            "context, and ask again."
        )

    @property
    def money(self) -> str:
        """The cost in the currency of the prices; empty without prices."""
        return f"{self.cost:,.{2 if self.cost >= 1 else 4}f}" if self.cost else ""

    @property
    def n_all(self) -> int:
        """The number of all requests, without repairs."""
        return self.n_with_outcome + self.n_open

    @property
    def n_with_outcome(self) -> int:
        """The number of requests that have an outcome."""
        return sum(self.by_outcome.values())

    @property
    def n_left(self) -> int:
        """The number of requests that are asked when the run continues."""
        return self.n_open + sum(self.by_outcome.get(outcome, 0) for outcome in ASKED_AGAIN)

    @property
    def n_done(self) -> int:
        """The number of requests that have an outcome which stands."""
        return self.n_all - self.n_left


def record_plan(db: Connection, run: RunRow, planned: Sequence[PlannedRequest]) -> None:
    """Store the requests of a run; existing ones are not changed."""
    rows = [
        {
            "number": one.number,
            "item_id": one.item_id,
            "response_ids": [*one.response_ids],
            "condition": one.condition,
            "repeat": one.repeat,
            "n_turns_done": one.n_turns_done,
            "seed": one.seed,
        }
        for one in planned
    ]
    db.execute(_PLAN, {"study": run.study_id, "run": run.id, "planned": json.dumps(rows)})


def list_open(db: Connection, run: RunRow) -> list[PlannedRequest]:
    """The requests without a stored answer, in order; those that failed are asked again."""
    values = {"study": run.study_id, "run": run.id, "again": [str(outcome) for outcome in ASKED_AGAIN]}
    return [
        PlannedRequest(**row | {"response_ids": tuple(row["response_ids"])})
        for row in map(dict, db.execute(_OPEN, values).mappings())
    ]


def record_asked(db: Connection, run: RunRow, request_id: int, prompt: Sequence[Mapping[str, str]]) -> None:
    """Store the prompt of a request before it is sent."""
    db.execute(_ASKED, {"study": run.study_id, "request": request_id, "prompt": json.dumps([*prompt])})


def record_follow_up(db: Connection, run: RunRow, planned: PlannedRequest, follow_up: FollowUp) -> PlannedRequest:
    """Add the request that follows from an answered one."""
    values = {
        "study": run.study_id,
        "request": planned.id,
        "kind": follow_up.kind,
        "stage": follow_up.stage,
        "prompt": json.dumps(follow_up.prompt),
    }
    return replace(
        planned,
        id=db.execute(_FOLLOW_UP, values).scalar_one(),
        attempt=planned.attempt + 1,
        kind=follow_up.kind,
        stage=follow_up.stage,
        prompt=follow_up.prompt,
    )


def record_answered(db: Connection, run: RunRow, request_id: int, answered: Answered) -> bool:
    """Store the outcome of a request; False, and nothing is changed, if it already has one."""
    values: dict[str, Any] = {
        "study": run.study_id,
        "request": request_id,
        "outcome": str(answered.outcome),
        "problem": answered.problem,
        "raw": _storable(answered.raw_answer),
        "tries": answered.n_tries,
        "tokens_in": answered.tokens_in,
        "tokens_out": answered.tokens_out,
        "version": answered.model_version,
        "fingerprint": answered.fingerprint,
        "probabilities": None if answered.probabilities is None else json.dumps(dict(answered.probabilities)),
        "finish_reason": _storable(answered.finish_reason),
        "thoughts": _storable(answered.thoughts),
        "provider": _storable(answered.provider),
        "response_id": _storable(answered.response_id),
        "tokens_cached": answered.tokens_cached,
        "tokens_thinking": answered.tokens_thinking,
        "parameters": None if answered.parameters is None else json.dumps(dict(answered.parameters)),
        "cost": answered.cost,
    }
    return db.execute(_ANSWERED, values).one_or_none() is not None


def _storable(text: str | None) -> str | None:
    """A text without the one character that the database does not take."""
    return None if text is None else text.replace("\x00", "�")


def get_progress(db: Connection, run: RunRow) -> Progress:
    """How far a run is."""
    values = {"study": run.study_id, "run": run.id}
    counts = {row.outcome: row.n for row in db.execute(_PROGRESS, values)}
    used = dict(db.execute(_USED, values).mappings().one())
    versions = tuple(used.pop("versions") or ())
    cut_at = db.execute(_CUT_AT, values).scalar_one_or_none()
    return Progress(n_open=counts.pop("open", 0), by_outcome=counts, versions=versions, cut_at=cut_at, **used)


def list_problems(db: Connection, run: RunRow) -> list[tuple[Outcome, str, int]]:
    """The most frequent problems with their outcome and number; each request counts by its last attempt."""
    rows = db.execute(_PROBLEMS, {"study": run.study_id, "run": run.id})
    return [(Outcome(row.outcome), row.problem, row.n) for row in rows]
