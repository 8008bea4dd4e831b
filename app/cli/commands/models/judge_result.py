"""The outcome of a judge's run, as lines for the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.cli.output import say
from app.design.model_runs.model_outcomes import OUTCOME_WORDS, Outcome
from app.models.budget import Prices
from app.storage.model_runs.requests import get_progress, list_problems
from app.storage.model_runs.runs import get_run

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from app.models.budget import Budget
    from app.storage.model_runs.runs import RunRow


def say_result(db: Connection, run: RunRow, budget: Budget) -> bool:
    """Print the outcomes, the problems and the tokens; return whether every request has an outcome."""
    now = get_progress(db, run)
    for outcome in Outcome:
        if n := now.by_outcome.get(outcome):
            say(f"{OUTCOME_WORDS[outcome]}: {n:,}")
    for outcome, problem, n in list_problems(db, run):
        say(f"  {n:,} x {outcome.value.replace('_', ' ')}: {problem}")
    if now.n_repairs:
        say(f"Asked a second time because the first answer could not be read: {now.n_repairs:,}")
    cost = f", {budget.prices.cost(now.tokens_in, now.tokens_out):,.4f} in money" if budget.prices != Prices() else ""
    say(f"Used: {now.tokens_in:,} tokens in prompts, {now.tokens_out:,} in answers{cost}.")
    if len(now.versions) > 1:
        say(f"The model changed during the run: {', '.join(now.versions)}.")
    stored = get_run(db, run.study_id, run.purpose, run.name)
    if n_left := now.n_open + now.by_outcome.get(Outcome.FAILED, 0):
        reason = stored.stop_reason if stored else None
        say(f"Not complete: {n_left:,} of {now.n_all:,} requests are left. {reason or ''}".rstrip())
        say("To continue, run the same command again.")
        return False
    return True
