"""Change a run after its start: ask some requests again, allow longer answers, or delete it with its answers."""

from collections.abc import Collection

from sqlalchemy import Connection, text

from app.llm.outcomes import Outcome
from app.llm.runs.runs import RunIsBusyError, RunRow, is_worked_on

# A request of its own, so that what was asked before, and what it cost, is kept.
_AGAIN = text("""
    INSERT INTO model_requests (study_id, run_id, number, attempt, kind, item_id, response_ids, condition, repeat,
                                n_turns_done, seed)
    SELECT study_id, run_id, number, attempt + 1, 'redo', item_id, response_ids, condition, repeat, n_turns_done, seed
    FROM (SELECT DISTINCT ON (number) * FROM model_requests WHERE study_id = :study AND run_id = :run
          ORDER BY number, attempt DESC) AS last
    WHERE outcome = ANY(:outcomes)
    RETURNING id
""")
_HAS_ANSWERS = text("""
    SELECT EXISTS (SELECT FROM model_requests WHERE study_id = :study AND run_id = :run AND outcome = 'answered')
""")
_LONGER = text("""
    UPDATE model_runs SET settings = settings || jsonb_build_object('max_tokens', CAST(:max_tokens AS bigint))
    WHERE study_id = :study AND id = :run
""")
# In this order, so that references are deleted before their targets. Kept results may show the deleted answers.
_DELETE = (
    text("DELETE FROM ratings WHERE study_id = :study AND rater_id = :rater"),
    text("DELETE FROM events WHERE study_id = :study AND rater_id = :rater"),
    text("DELETE FROM model_runs WHERE study_id = :study AND id = :run"),
    text("DELETE FROM raters WHERE study_id = :study AND id = :rater AND kind = 'model'"),
    text("DELETE FROM kept_results WHERE study_id = :study"),
    text("DELETE FROM made_files WHERE study_id = :study"),
)
CAN_BE_REDONE = (Outcome.UNPARSED, Outcome.CUT_OFF, Outcome.REFUSED, Outcome.TOO_LONG)


def redo_requests(db: Connection, run: RunRow, outcomes: Collection[Outcome]) -> int:
    """Plan the requests that ended in this way once more; return how many there are."""
    values = {"study": run.study_id, "run": run.id, "outcomes": [str(outcome) for outcome in outcomes]}
    return len(db.execute(_AGAIN, values).all())


def has_answers(db: Connection, run: RunRow) -> bool:
    """Whether a request of the run was answered."""
    return bool(db.execute(_HAS_ANSWERS, {"study": run.study_id, "run": run.id}).scalar_one())


def record_max_tokens(db: Connection, run: RunRow, max_tokens: int) -> None:
    """Set the longest allowed answer of the requests to come; each request stores its own."""
    db.execute(_LONGER, {"study": run.study_id, "run": run.id, "max_tokens": max_tokens})


def delete_run(db: Connection, run: RunRow) -> None:
    """Delete a run with its requests and, of a judge, its answers; responses that were added to the study stay.

    Raises:
        RunIsBusyError: a process works on it.
    """
    if is_worked_on(db, run):
        raise RunIsBusyError(f"A process is working on the run {run.name}. Delete the run when that process has ended.")
    for statement in _DELETE:
        db.execute(statement, {"study": run.study_id, "run": run.id, "rater": run.rater_id})
