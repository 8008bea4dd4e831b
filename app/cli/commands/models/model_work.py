"""Work through a run of a model in this process, and print progress, outcome and errors."""

from __future__ import annotations

import asyncio
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol

from app.actions.models.judge_runs import NothingToJudgeError
from app.actions.models.judging import finish_run
from app.actions.models.respond_runs import NothingToAnswerError
from app.actions.models.run_start import OtherSettingsError
from app.cli.commands.models.judge_result import say_result
from app.cli.output import fail, say
from app.cli.progress import progress
from app.design.model_runs.model_outcomes import Outcome
from app.models.budget import Prices
from app.models.connection import ClientMissingError
from app.storage.database.engine import transactions
from app.storage.model_runs.requests import get_progress
from app.storage.model_runs.runs import RunIsBusyError, RunNameTakenError, only_worker, record_stop

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sqlalchemy import Engine

    from app.actions.models.request_run import RequestRun
    from app.models.budget import Budget
    from app.storage.database.engine import Begin
    from app.storage.model_runs.runs import RunRow

    RunOptions = dict[str, Any]
    WorkOf = Callable[[Begin, RunOptions], RequestRun]

_EXPECTED = (
    NothingToJudgeError,
    NothingToAnswerError,
    OtherSettingsError,
    RunNameTakenError,
    RunIsBusyError,
    ClientMissingError,
)


class Estimated(Protocol):
    """What a run would use."""

    def cost(self, prices: Prices) -> float:
        """The estimated cost."""


def cost_words(estimate: Estimated, prices: Prices) -> str:
    """The end of a sentence with the cost; empty without prices."""
    return f", costing about {estimate.cost(prices):,.2f}" if prices != Prices() else ""


@contextmanager
def exit_on_error() -> Iterator[None]:
    """End the command with the message of an error that a user can fix."""
    try:
        yield
    except _EXPECTED as error:
        fail(str(error))


def work_through(
    engine: Engine, run: RunRow, budget: Budget, work_of: WorkOf, *, is_new: bool, n_at_once: int, doing: str
) -> bool:
    """Send the remaining requests of a run and print the outcome; return whether every request has one.

    Args:
        engine: the database.
        run: the run.
        budget: of the command; what the run has used before is added to it.
        work_of: makes the work, from the transactions and the options of `RequestRun`.
        is_new: whether the run was created now.
        n_at_once: number of requests at the same time.
        doing: word for the line of progress.
    """
    begin = transactions(engine)
    with begin() as db:
        record_stop(db, run, None)
        before = get_progress(db, run)
    if not is_new:
        n_left = before.n_open + before.by_outcome.get(Outcome.FAILED, 0)
        say(f"Continuing the run {run.name}: {n_left:,} of {before.n_all:,} requests are left.")
    # One budget for all profiles.
    budget.tokens_in += before.tokens_in
    budget.tokens_out += before.tokens_out
    with only_worker(engine, run), progress() as show:
        options = {"n_at_once": n_at_once, "progress": lambda n_done, n_all: show(doing, n_done, n_all)}
        asyncio.run(work_of(begin, options).work())
    with begin() as db:
        if run.purpose == "judge":
            finish_run(db, run)
        return say_result(db, run, budget)
