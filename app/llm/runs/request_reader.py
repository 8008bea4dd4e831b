"""The requests of a run, to be read: prompt, answer, thoughts; and the outcomes by attribute of the item."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, text

from app.llm.runs.runs import RunRow

_COLUMNS = """
    q.id, q.number, q.attempt, q.kind, i.key AS item, q.condition, q.repeat, coalesce(q.outcome, 'open') AS outcome,
    q.problem, q.prompt, q.raw_answer, q.thoughts, q.finish_reason, q.tokens_in, q.tokens_out, q.tokens_cached,
    q.tokens_thinking, q.cost, q.provider, q.model_version, q.fingerprint, q.response_id, q.seed, q.parameters,
    q.probabilities, q.n_tries, q.latency_ms, q.asked_at, q.answered_at
"""
_OF_RUN = f"""
    SELECT {_COLUMNS} FROM model_requests q JOIN items i ON i.study_id = q.study_id AND i.id = q.item_id
    WHERE q.study_id = :study AND q.run_id = :run
"""  # noqa: S608 - constants only
_PAGE = text(f"""
    {_OF_RUN} AND (CAST(:outcome AS text) = '' OR coalesce(q.outcome, 'open') = :outcome)
    ORDER BY q.number, q.attempt OFFSET :first LIMIT :n
""")
_COUNTS = text("""
    SELECT coalesce(outcome, 'open') AS outcome, count(*) AS n FROM model_requests
    WHERE study_id = :study AND run_id = :run GROUP BY 1
""")
# Each trial once, by its last attempt.
_BY_ATTRIBUTE = text("""
    SELECT a.key AS attribute, a.value AS level, last.outcome, count(*) AS n FROM (
      SELECT DISTINCT ON (number) study_id, item_id, outcome FROM model_requests
      WHERE study_id = :study AND run_id = :run ORDER BY number, attempt DESC) AS last
    JOIN items i ON i.study_id = last.study_id AND i.id = last.item_id
    CROSS JOIN LATERAL jsonb_each_text(i.attributes) AS a
    WHERE last.outcome IS NOT NULL
    GROUP BY 1, 2, 3 ORDER BY 1, 2
""")
# An attribute with more levels says nothing in a table.
MAX_LEVELS = 12


@dataclass(frozen=True, slots=True)
class ReadRequest:
    """One request with all that is stored about it; `outcome` is `open` while there is none."""

    id: int
    number: int
    attempt: int
    kind: str
    item: str
    condition: str
    repeat: int
    outcome: str
    problem: str | None
    prompt: list[dict[str, str]] | None
    raw_answer: str | None
    thoughts: str | None
    finish_reason: str | None
    tokens_in: int | None
    tokens_out: int | None
    tokens_cached: int | None
    tokens_thinking: int | None
    cost: float | None
    provider: str | None
    model_version: str | None
    fingerprint: str | None
    response_id: str | None
    seed: int | None
    parameters: dict[str, Any] | None
    probabilities: dict[str, Any] | None
    n_tries: int
    latency_ms: int | None
    asked_at: datetime | None
    answered_at: datetime | None


@dataclass(frozen=True, slots=True)
class OutcomesOfLevel:
    """The trials of the items with one level of an attribute, by outcome."""

    attribute: str
    level: str
    by_outcome: Mapping[str, int]


def list_requests(db: Connection, run: RunRow, *, outcome: str = "", first: int = 0, n: int = 20) -> list[ReadRequest]:
    """The requests in order, those with one outcome or all."""
    values = {"study": run.study_id, "run": run.id, "outcome": outcome, "first": first, "n": n}
    return [ReadRequest(**row) for row in db.execute(_PAGE, values).mappings()]


def count_requests(db: Connection, run: RunRow) -> dict[str, int]:
    """The number of requests by outcome, also those that others followed."""
    rows = db.execute(_COUNTS, {"study": run.study_id, "run": run.id})
    return {row.outcome: row.n for row in rows}


def outcomes_by_attribute(db: Connection, run: RunRow) -> list[OutcomesOfLevel]:
    """The outcomes by each attribute of the items that has few levels."""
    found: dict[str, dict[str, dict[str, int]]] = {}
    for row in db.execute(_BY_ATTRIBUTE, {"study": run.study_id, "run": run.id}):
        found.setdefault(row.attribute, {}).setdefault(row.level, {})[row.outcome] = row.n
    return [
        OutcomesOfLevel(attribute, level, by_outcome)
        for attribute, levels in found.items()
        if 1 < len(levels) <= MAX_LEVELS
        for level, by_outcome in levels.items()
    ]
