"""attune respond: let a language model write responses to the items of a study."""

from pathlib import Path
from typing import Annotated

import typer
from sqlalchemy import Connection, Engine

from app.base.database.engine import transactions
from app.cli.model_options import ModelOptions, with_model_options
from app.cli.model_work import delete_named, exit_on_error, work_through
from app.cli.output import say
from app.cli.reading import read_sheet, reading
from app.cli.store import store, stored_study
from app.cli.study_argument import Slug
from app.llm.client.budget import Budget, Prices, cost_words
from app.llm.client.endpoint import Endpoint
from app.llm.runs.runs import RunRow
from app.llm.writers.prompt import read_prompt
from app.llm.writers.respond_runs import begin_respond, estimate_respond
from app.llm.writers.respond_settings import RespondSettings
from app.llm.writers.texts import list_texts
from app.studies.imports.import_report import revealing_excerpt
from app.studies.imports.pipeline import InStore, import_texts
from app.studies.imports.read_texts import Texts
from app.studies.studies import StudyRow


@with_model_options(temperature=0.7, max_tokens=2000)
def respond(
    study: Slug,
    asked: ModelOptions,
    prompt: Annotated[
        Path,
        typer.Option(metavar="FILE", exists=True, dir_okay=False, help="The prompt file (YAML).", show_default=False),
    ],
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
) -> None:
    """Let a language model write a response to each item of a study, from a prompt file with a name and a version.

    The texts enter the study only after a person has accepted or edited each of them, on the page *Generated
    responses*. Run the same command again to continue a run that was stopped or killed. The key of the server is read
    from ATTUNE_MODEL_KEY or from the file that ATTUNE_MODEL_KEY_FILE names.
    """
    parsed, text = read_prompt(prompt.read_bytes(), prompt.name)
    data = parsed.model_dump(mode="json")
    settings = RespondSettings(data, text, asked.temperature, asked.seed, asked.max_tokens)
    run_name = name or f"{asked.model}-{parsed.name}-{parsed.version}"
    with store() as engine, exit_on_error():
        if items is not None:
            _add_items(engine, study, items)
        with engine.connect() as db:
            row = stored_study(db, study)
        if asked.delete:
            delete_named(engine, row, "respond", run_name)
            return
        endpoint, budget = asked.endpoint, asked.new_budget
        if asked.dry_run:
            _say_estimate(engine, row, settings, prompt.name, budget.prices)
        else:
            _respond(engine, row, endpoint, settings, run_name, prompt.name, budget, asked)


def _add_items(engine: Engine, slug: str, file: Path) -> None:
    with engine.connect() as db:
        stored_study(db, slug)
    with reading():
        added = import_texts(InStore(transactions(engine), slug), Texts(file), read_sheet)
    say(f"Added {len(added.items):,} items from {file.name}.")


def _say_estimate(engine: Engine, study: StudyRow, settings: RespondSettings, file: str, prices: Prices) -> None:
    with engine.connect() as db:
        estimate = estimate_respond(db, study, settings, file)
    say(
        f"{estimate.n_items:,} items, {estimate.n_requests:,} requests: about {estimate.tokens_in:,} tokens in prompts "
        f"and {estimate.tokens_out:,} in answers{cost_words(estimate, prices)}, not counting retries for length."
    )


def _respond(
    engine: Engine,
    study: StudyRow,
    endpoint: Endpoint,
    settings: RespondSettings,
    name: str,
    file: str,
    budget: Budget,
    asked: ModelOptions,
) -> None:
    with transactions(engine)() as db:
        run, is_new = begin_respond(db, study, endpoint, settings, name, file=file)
    is_complete = work_through(engine, run, endpoint, budget, is_new=is_new, asked=asked)
    with engine.connect() as db:
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
