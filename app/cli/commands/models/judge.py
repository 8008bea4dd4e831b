"""attune judge: let a language model judge the responses of a study."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path  # noqa: TC003 - typer reads the annotation
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from app.actions.models.judge_pages import judged_study
from app.actions.models.judge_runs import NothingToJudgeError, begin_run, estimate_run
from app.actions.models.judge_settings import JudgeSettings
from app.actions.models.judging import finish_run, judging
from app.actions.models.page_questions import NOT_ASKED
from app.actions.models.run_start import OtherSettingsError
from app.cli.commands.models.judge_result import say_result
from app.cli.options.model_options import (
    AtOnce,
    BaseUrl,
    MaxTokens,
    Model,
    MoneyBudget,
    PriceIn,
    PriceOut,
    Timeout,
    TokenBudget,
    endpoint_of,
    prices_of,
)
from app.cli.output import fail, say
from app.cli.progress import progress
from app.cli.reading import reading
from app.cli.store import store
from app.cli.study_argument import Slug, stored_study
from app.design.model_runs.model_outcomes import Outcome
from app.exchange.prompts.read_profiles import read_profiles
from app.models.budget import Budget, Prices
from app.models.connection import ClientMissingError
from app.storage.database.engine import transactions
from app.storage.model_runs.requests import get_progress
from app.storage.model_runs.runs import RunIsBusyError, RunNameTakenError, only_worker, record_stop

if TYPE_CHECKING:
    from sqlalchemy import Engine

    from app.models.endpoint import Endpoint
    from app.storage.model_runs.runs import RunRow
    from app.storage.studies.studies import StudyRow


def judge(  # noqa: PLR0913, PLR0917 - each is an option
    study: Slug,
    model: Model,
    base_url: BaseUrl = None,
    name: Annotated[
        str | None, typer.Option(metavar="ID", help="The judge's rater ID. Default: the name of the model.")
    ] = None,
    repeats: Annotated[int, typer.Option(min=1, max=100, help="How often each trial is judged.")] = 1,
    both_sides: Annotated[
        bool,
        typer.Option("--both-sides/--one-side", help="Show each pair a second time with its sides swapped, or once."),
    ] = True,
    temperature: Annotated[float, typer.Option(min=0, max=2, help="Sampling temperature.")] = 0.0,
    seed: Annotated[int | None, typer.Option(help="The seed that is sent; each repeat adds 1. Default: none.")] = None,
    max_tokens: MaxTokens = 1000,
    family: Annotated[
        str, typer.Option(help="The model's family, as in the attribute `family` of sources, for self-preference.")
    ] = "",
    persona: Annotated[
        Path | None,
        typer.Option(metavar="FILE", exists=True, dir_okay=False, help="A text that the prompt begins with."),
    ] = None,
    profile: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            exists=True,
            dir_okay=False,
            help="A table of rater profiles, one judge per row: the column rater, optionally persona, and attributes.",
        ),
    ] = None,
    answer_format: Annotated[
        Literal["schema", "json", "words"],
        typer.Option(help="How the server is asked for JSON: by a schema, by JSON mode, or in the prompt only."),
    ] = "schema",
    probabilities: Annotated[
        bool, typer.Option("--probabilities", help="Ask for log-probabilities, for the calibration of the judge.")
    ] = False,
    budget_tokens: TokenBudget = None,
    budget: MoneyBudget = None,
    price_in: PriceIn = 0.0,
    price_out: PriceOut = 0.0,
    at_once: AtOnce = 4,
    timeout: Timeout = 120.0,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only show the number of requests and the estimated tokens and cost.")
    ] = False,
) -> None:
    """Let a language model judge the responses of a study, under the same protocol as its raters.

    The model reads what raters read, as plain text, and answers the same questions. Its answers are stored as those of
    a rater of kind `model`, apart from those of people. Run the same command again to continue a run that was stopped
    or killed: nothing that was answered is asked again. The key of the server is read from ATTUNE_MODEL_KEY or from the
    file that ATTUNE_MODEL_KEY_FILE names.
    """
    settings = JudgeSettings(
        repeats=repeats,
        both_sides=both_sides,
        temperature=temperature,
        seed=seed,
        max_tokens=max_tokens,
        answer_format=answer_format,
        persona=persona.read_text(encoding="utf-8") if persona else "",
        family=family,
        with_probabilities=probabilities,
    )
    prices = prices_of(price_in, price_out, budget)
    endpoint = endpoint_of(base_url, model, timeout)
    limits = Budget(prices, budget_tokens, budget)
    judges = {name or model: settings} if profile is None else _judges_of(profile, name or model, settings)
    with store() as engine:
        with engine.connect() as db:
            row = stored_study(db, study)
        try:
            for judge_name, own in judges.items():
                if len(judges) > 1:
                    say(f"{judge_name}:")
                _say_estimate(engine, row, own, prices)
                if not dry_run:
                    _judge(engine, row, endpoint, own, judge_name, limits, at_once)
        except (
            NothingToJudgeError,
            OtherSettingsError,
            RunNameTakenError,
            RunIsBusyError,
            ClientMissingError,
        ) as error:
            fail(str(error))


def _judges_of(file: Path, name: str, settings: JudgeSettings) -> dict[str, JudgeSettings]:
    """The settings of a judge per profile, by its name."""
    with reading():
        profiles = read_profiles(file)
    return {
        f"{name}-{one.name}": replace(
            settings,
            persona="\n\n".join(part for part in (settings.persona, one.persona) if part),
            profile=one.attributes,
        )
        for one in profiles
    }


def _say_estimate(engine: Engine, study: StudyRow, settings: JudgeSettings, prices: Prices) -> None:
    with engine.connect() as db:
        estimate = estimate_run(db, study, settings)
    cost = f", costing about {estimate.cost(prices):,.2f}" if prices != Prices() else ""
    say(
        f"{estimate.n_trials:,} trials, {estimate.n_requests:,} requests, {estimate.n_fields:,} answers: about "
        f"{estimate.tokens_in:,} tokens in prompts and {estimate.tokens_out:,} in answers{cost}."
    )
    say(f"Not asked: {'; '.join(NOT_ASKED)}.")


def _judge(
    engine: Engine,
    study: StudyRow,
    endpoint: Endpoint,
    settings: JudgeSettings,
    name: str,
    budget: Budget,
    n_at_once: int,
) -> None:
    begin = transactions(engine)
    with begin() as db:
        run, is_new = begin_run(db, study, endpoint, settings, name)
        record_stop(db, run, None)
        before = get_progress(db, run)
        judged = judged_study(db, study.id, run.protocol_version)
    if not is_new:
        n_left = before.n_open + before.by_outcome.get(Outcome.FAILED, 0)
        say(f"Continuing the run {name}: {n_left:,} of {before.n_all:,} requests are left.")
    # One budget for all profiles.
    budget.tokens_in += before.tokens_in
    budget.tokens_out += before.tokens_out
    with only_worker(engine, run), progress() as show:
        work = judging(
            begin,
            run,
            judged,
            endpoint,
            budget,
            n_at_once=n_at_once,
            progress=lambda n_done, n_all: show("Judging", n_done, n_all),
        )
        asyncio.run(work.work())
    with begin() as db:
        finish_run(db, run)
    _end(engine, run, budget)


def _end(engine: Engine, run: RunRow, budget: Budget) -> None:
    with engine.connect() as db:
        is_complete = say_result(db, run, budget)
    if not is_complete:
        raise typer.Exit(1)
