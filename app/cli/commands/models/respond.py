"""attune respond: let a language model write responses to the items of a study."""

from __future__ import annotations

import asyncio
from pathlib import Path  # noqa: TC003 - typer reads the annotation
from typing import TYPE_CHECKING, Annotated

import typer

from app.actions.models.respond_runs import NothingToAnswerError, begin_respond, estimate_respond
from app.actions.models.respond_settings import RespondSettings
from app.actions.models.responding import responding
from app.actions.models.run_start import OtherSettingsError
from app.actions.studies.items import import_into_store
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
from app.exchange.prompts.read_prompt import read_prompt
from app.exchange.tabular.revealing import revealing_excerpt
from app.exchange.tabular.wide_table import Layout
from app.models.budget import Budget, Prices
from app.models.connection import ClientMissingError
from app.storage.database.engine import transactions
from app.storage.model_runs.requests import get_progress
from app.storage.model_runs.runs import RunIsBusyError, only_worker, record_stop
from app.storage.model_runs.texts import list_texts

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine

    from app.models.endpoint import Endpoint
    from app.storage.model_runs.runs import RunRow
    from app.storage.studies.studies import StudyRow


def respond(  # noqa: PLR0913, PLR0917 - each is an option
    study: Slug,
    model: Model,
    prompt: Annotated[
        Path,
        typer.Option(metavar="FILE", exists=True, dir_okay=False, help="The prompt file (YAML).", show_default=False),
    ],
    base_url: BaseUrl = None,
    name: Annotated[
        str | None, typer.Option(metavar="RUN", help="The name of the run. Default: model, prompt and its version.")
    ] = None,
    items: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            exists=True,
            dir_okay=False,
            help="Add the items of this spreadsheet (columns item, text, ...) to the study first.",
        ),
    ] = None,
    temperature: Annotated[float, typer.Option(min=0, max=2, help="Sampling temperature.")] = 0.7,
    seed: Annotated[int | None, typer.Option(help="The seed that is sent. Default: none.")] = None,
    max_tokens: MaxTokens = 2000,
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
    """Let a language model write a response to each item of a study, from a prompt file with a name and a version.

    The texts enter the study only after a person has accepted or edited each of them, on the page *Generated
    responses*. Run the same command again to continue a run that was stopped or killed. The key of the server is read
    from ATTUNE_MODEL_KEY or from the file that ATTUNE_MODEL_KEY_FILE names.
    """
    prices = prices_of(price_in, price_out, budget)
    endpoint = endpoint_of(base_url, model, timeout)
    parsed, text = read_prompt(prompt.read_bytes(), prompt.name)
    settings = RespondSettings(parsed.model_dump(mode="json"), text, temperature, seed, max_tokens)
    run_name = name or f"{model}-{parsed.name}-{parsed.version}"
    with store() as engine:
        if items is not None:
            _add_items(engine, study, items)
        with engine.connect() as db:
            row = stored_study(db, study)
        try:
            if dry_run:
                _say_estimate(engine, row, settings, prompt.name, prices)
            else:
                limits = Budget(prices, budget_tokens, budget)
                _respond(engine, row, endpoint, settings, run_name, prompt.name, limits, at_once)
        except (NothingToAnswerError, OtherSettingsError, RunIsBusyError, ClientMissingError) as error:
            fail(str(error))


def _add_items(engine: Engine, slug: str, file: Path) -> None:
    with engine.connect() as db:
        stored_study(db, slug)
    with reading():
        added = import_into_store(transactions(engine), slug, file, Layout({}))
    say(f"Added {len(added.items):,} items from {file.name}.")


def _say_estimate(engine: Engine, study: StudyRow, settings: RespondSettings, file: str, prices: Prices) -> None:
    with engine.connect() as db:
        estimate = estimate_respond(db, study, settings, file)
    cost = f", costing about {estimate.cost(prices):,.2f}" if prices != Prices() else ""
    say(
        f"{estimate.n_items:,} items, {estimate.n_requests:,} requests: about {estimate.tokens_in:,} tokens in prompts "
        f"and {estimate.tokens_out:,} in answers{cost}, not counting retries for length."
    )


def _respond(
    engine: Engine,
    study: StudyRow,
    endpoint: Endpoint,
    settings: RespondSettings,
    name: str,
    file: str,
    budget: Budget,
    n_at_once: int,
) -> None:
    begin = transactions(engine)
    with begin() as db:
        run, is_new = begin_respond(db, study, endpoint, settings, name, file=file)
        record_stop(db, run, None)
        before = get_progress(db, run)
    if not is_new:
        n_left = before.n_open + before.by_outcome.get(Outcome.FAILED, 0)
        say(f"Continuing the run {name}: {n_left:,} of {before.n_all:,} requests are left.")
    budget.tokens_in, budget.tokens_out = before.tokens_in, before.tokens_out
    with only_worker(engine, run), progress() as show:
        work = responding(
            begin,
            run,
            endpoint,
            budget,
            n_at_once=n_at_once,
            progress=lambda n_done, n_all: show("Writing", n_done, n_all),
        )
        asyncio.run(work.work())
    with engine.connect() as db:
        is_complete = say_result(db, run, budget)
        _say_texts(db, run, study.slug)
    if not is_complete:
        raise typer.Exit(1)


def _say_texts(db: Connection, run: RunRow, slug: str) -> None:
    settings, rows = RespondSettings.of(run.settings), list_texts(db, run)
    say(f"Texts: {len(rows):,}")
    length = settings.parsed.length
    if length:
        bounds = [(row.n_words, length.bounds(row.target_words)) for row in rows if row.target_words]
        n_other = sum(not low <= n <= high for n, (low, high) in bounds)
        say(f"Outside the requested length after all attempts: {n_other:,}")
    for row in rows:
        if words := revealing_excerpt(row.text):
            say(f"  {row.item} may reveal its source: {words}")
    if rows:
        say(f"They are not in the study yet. Accept, edit or reject each on the page Generated responses of {slug}.")
