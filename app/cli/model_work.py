"""Work through a run of a model in this process, and print progress, outcome and errors."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

from sqlalchemy import Connection, Engine

from app.base.database.engine import transactions
from app.cli.model_options import ModelOptions
from app.cli.output import fail, progress, say
from app.llm.client.budget import Budget
from app.llm.client.connection import ClientMissingError
from app.llm.client.endpoint import BatchPace, Endpoint
from app.llm.judges.judge_runs import NothingToJudgeError
from app.llm.outcomes import OUTCOME_WORDS, Outcome, Purpose
from app.llm.runs.requests import get_progress, list_problems
from app.llm.runs.run_changes import delete_run, redo_requests
from app.llm.runs.run_start import OtherSettingsError
from app.llm.runs.run_work import work_on
from app.llm.runs.runs import (
    RunIsBusyError,
    RunNameTakenError,
    RunRow,
    get_run,
    only_worker,
    record_limits,
    record_stop,
)
from app.llm.writers.respond_runs import NothingToAnswerError
from app.studies.studies import StudyRow

_CONTINUE = "To continue, run the same command again."
# Words for the line of progress.
_DOING: dict[Purpose, str] = {"judge": "Judging", "respond": "Writing"}


# The outcome of a judge's run, as lines for the terminal.


def say_result(db: Connection, run: RunRow) -> bool:
    """Print the outcomes, the problems and the tokens; return whether every request has an outcome."""
    now = get_progress(db, run)
    for outcome in Outcome:
        if n := now.by_outcome.get(outcome):
            say(f"{OUTCOME_WORDS[outcome]}: {n:,}")
    for outcome, problem, n in list_problems(db, run):
        say(f"  {n:,} x {outcome.value.replace('_', ' ')}: {problem}")
    if now.n_repairs:
        say(f"Asked a second time because the first answer could not be read: {now.n_repairs:,}")
    cost = f", costing {now.money}" if now.money else ""
    say(f"Used: {now.tokens_in:,} tokens in prompts, {now.tokens_out:,} in answers{cost}.")
    if now.cut_words:
        say(now.cut_words)
    if len(now.versions) > 1:
        say(f"The model changed during the run: {', '.join(now.versions)}.")
    stored = get_run(db, run.study_id, run.purpose, run.name)
    if now.n_left:
        reason = stored.stop_reason if stored else None
        say(f"Not complete: {now.n_left:,} of {now.n_all:,} requests are left. {reason or ''}".rstrip())
        say(_CONTINUE)
        return False
    return True


_EXPECTED = (
    NothingToJudgeError,
    NothingToAnswerError,
    OtherSettingsError,
    RunNameTakenError,
    RunIsBusyError,
    ClientMissingError,
)


@contextmanager
def exit_on_error() -> Iterator[None]:
    """End the command with the message of an error that a user can fix."""
    try:
        yield
    except _EXPECTED as error:
        fail(str(error))


@contextmanager
def _say_how_to_continue() -> Iterator[None]:
    """After Ctrl-C, say that the answers so far are kept."""
    try:
        yield
    except KeyboardInterrupt:
        say(f"Stopped. The answers so far are saved. {_CONTINUE}")
        raise


def work_through(
    engine: Engine, run: RunRow, endpoint: Endpoint, budget: Budget, *, is_new: bool, asked: ModelOptions
) -> bool:
    """Send the remaining requests of a run and print the outcome; return whether all were asked and some answered.

    Args:
        engine: the database.
        run: the run.
        endpoint: the server and the model.
        budget: of the command, one for all its runs.
        is_new: whether the run was created now.
        asked: how many requests at the same time and at most, and what to ask again.
    """
    if run.in_batches and asked.batch is None:
        fail(
            f"The run {run.name} is sent in batches. Add --batch, which finds their answers. With --no-batch, requests "
            "that wait in a batch are sent again, and paid twice."
        )
    begin = transactions(engine)
    with only_worker(engine, run):
        with begin() as db:
            record_stop(db, run, None)
            if run.in_batches is not bool(asked.batch):
                record_limits(db, run, {**(run.limits or {}), "batch": asked.batch})
            if asked.redone:
                say(f"Asking again: {redo_requests(db, run, asked.redone):,} requests.")
            before = get_progress(db, run)
        if not is_new:
            say(f"Continuing the run {run.name}: {before.n_left:,} of {before.n_all:,} requests are left.")
        with _say_how_to_continue(), progress() as show:
            work_on(
                begin,
                run,
                endpoint,
                budget,
                n_at_once=asked.at_once,
                limit=asked.limit,
                batch_pace=BatchPace() if asked.batch else None,
                progress=partial(show, _DOING[run.purpose]),
            )
    with begin() as db:
        is_complete = say_result(db, run)
        n_answered = get_progress(db, run).by_outcome.get(Outcome.ANSWERED, 0)
    if not n_answered:
        say("Nothing was answered.")
    return bool(n_answered) and (is_complete or asked.limit is not None)


def named_run(db: Connection, study: StudyRow, purpose: Purpose, name: str) -> RunRow:
    """The run of this name; without one, the command ends."""
    run = get_run(db, study.id, purpose, name)
    if run is None:
        fail(f"The study {study.slug} has no run {name}. Name it with --name.")
    return run


def delete_named(engine: Engine, study: StudyRow, purpose: Purpose, name: str) -> None:
    """Delete the run of this name."""
    with transactions(engine)() as db:
        delete_run(db, named_run(db, study, purpose, name))
    say(f"Deleted the run {name} with its requests and answers.")
