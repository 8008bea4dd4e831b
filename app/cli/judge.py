"""attune judge: let a language model judge the responses of a study."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Literal

import typer
from sqlalchemy import Engine

from app.base.database.engine import transactions
from app.base.files.spreadsheet import table_of
from app.base.limits import ON_THIS_COMPUTER, Limits
from app.base.problems import Problems
from app.cli.model_options import ModelOptions, with_model_options
from app.cli.model_work import delete_named, exit_on_error, named_run, work_through
from app.cli.output import fail, say
from app.cli.reading import read_sheet, read_words, reading
from app.cli.store import store, stored_study
from app.cli.study_argument import Slug
from app.llm.client.budget import Budget, Prices, cost_words
from app.llm.client.endpoint import Endpoint
from app.llm.client.handshake import shake_hands
from app.llm.client.request_errors import RequestError
from app.llm.judges.judge_pages import NOT_ASKED, judged_study
from app.llm.judges.judge_runs import asked_again, begin_run, estimate_run
from app.llm.judges.judge_settings import JudgeSettings, profile_settings, prompt_settings
from app.llm.judges.rater_profiles import ProfileTable, RaterProfile, profiles_of
from app.llm.judges.replay import replay as replay_judge
from app.llm.outcomes import OUTCOME_WORDS, Outcome
from app.llm.runs.runs import get_run
from app.studies.studies import StudyRow

JudgeName = Annotated[
    str | None, typer.Option(metavar="ID", help="The judge's rater ID. Default: the name of the model.")
]
Repeats = Annotated[
    int, typer.Option(min=1, max=100, help="How often each trial is judged per side; each repeat adds 1 to the seed.")
]
BothSides = Annotated[
    bool,
    typer.Option("--both-sides/--one-side", help="Show each pair a second time with its sides swapped, or once."),
]
Family = Annotated[
    str, typer.Option(help="The model's family, as in the attribute `family` of sources, for self-preference.")
]
Persona = Annotated[
    Path | None,
    typer.Option(metavar="FILE", exists=True, dir_okay=False, help="A text that the prompt begins with."),
]
RaterProfiles = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        exists=True,
        dir_okay=False,
        help="A table of rater profiles, one judge per row: the column rater, optionally persona, and attributes.",
    ),
]
Prompts = Annotated[
    list[Path] | None,
    typer.Option(
        metavar="FILE",
        exists=True,
        dir_okay=False,
        help="A text with one of several prompts to compare: one judge for each, with the name of the file. Repeat it.",
    ),
]
Examples = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        exists=True,
        dir_okay=False,
        help="A text with example pages and their answers, which the model reads after the instructions.",
    ),
]
Reference = Annotated[
    str,
    typer.Option(
        metavar="ATTRIBUTE",
        help="The column of items.csv with a good answer to each item, which the model compares the responses with.",
    ),
]
ReasonFirst = Annotated[
    bool, typer.Option("--reason", help="Ask for reasons in one to three sentences before the answers.")
]
AnswerFormat = Annotated[
    Literal["schema", "json", "words"],
    typer.Option(help="How the server is asked for JSON: by a schema, by JSON mode, or in the prompt only."),
]
WithProbabilities = Annotated[
    bool, typer.Option("--probabilities", help="Ask for log-probabilities, for the calibration of the judge.")
]

Replay = Annotated[
    bool, typer.Option("--replay", help="Read the stored answers again with the present rules, and ask nothing.")
]

Again = Annotated[
    str,
    typer.Option(metavar="NAME", help="Ask what the judge NAME was asked again, to see whether it has changed."),
]
Anchors = Annotated[
    str, typer.Option(metavar="ATTRIBUTE", help="With --again: only about items with a value in this column.")
]
Plan = Annotated[
    bool, typer.Option("--plan", help="Only store the judge, so that a preregistration names it, and ask nothing.")
]
Check = Annotated[
    bool, typer.Option("--check", help="Find out by a few requests what the server can do, and start nothing.")
]


@with_model_options(temperature=0.0, max_tokens=1000)
def judge(  # noqa: PLR0913, PLR0917 - each is an option
    study: Slug,
    asked: ModelOptions,
    name: JudgeName = None,
    repeats: Repeats = 1,
    both_sides: BothSides = True,
    family: Family = "",
    persona: Persona = None,
    profile: RaterProfiles = None,
    prompt: Prompts = None,
    examples: Examples = None,
    reference: Reference = "",
    reason: ReasonFirst = False,
    answer_format: AnswerFormat = "schema",
    probabilities: WithProbabilities = False,
    replay: Replay = False,
    check: Check = False,
    plan: Plan = False,
    again: Again = "",
    anchors: Anchors = "",
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
        temperature=asked.temperature,
        seed=asked.seed,
        max_tokens=asked.max_tokens,
        answer_format=answer_format,
        persona=read_words(persona) if persona else "",
        family=family,
        with_probabilities=probabilities,
        examples=read_words(examples) if examples else "",
        reason_first=reason,
        reference=reference.strip(),
    )
    if again or anchors:
        _ask_again(study, again, anchors.strip(), asked, is_check=check)
        return
    if not (name or asked.model):
        raise typer.BadParameter("Name the model, as the server names it.", param_hint="--model")
    judges = prompt_settings(_prompts(prompt or ()), _judges_of(profile, name or asked.model, settings))
    with store() as engine, exit_on_error():
        with engine.connect() as db:
            row = stored_study(db, study)
        if asked.delete or replay:
            change: Callable[..., None] = partial(delete_named, purpose="judge") if asked.delete else _replay
            for judge_name in judges:
                change(engine, row, name=judge_name)
            return
        endpoint, budget = asked.endpoint, asked.new_budget
        for judge_name, own in judges.items():
            if len(judges) > 1:
                say(f"{judge_name}:")
            _say_estimate(engine, row, own, budget.prices)
            if check:
                _check(engine, row, endpoint, own)
            elif plan:
                with transactions(engine)() as db:
                    begin_run(db, row, endpoint, own, judge_name)
                say(f"Planned: {judge_name}. Register the study, then run the same command without --plan.")
            elif not asked.dry_run:
                _judge(engine, row, endpoint, own, judge_name, budget, asked)


def _ask_again(slug: str, name: str, anchors: str, asked: ModelOptions, *, is_check: bool) -> None:
    """Ask the judge of this name the same once more, with its own settings, model and server."""
    if not name:
        raise typer.BadParameter("Name the judge that is asked again with --again.", param_hint="--anchors")
    with store() as engine, exit_on_error():
        with engine.connect() as db:
            study = stored_study(db, slug)
            run = get_run(db, study.id, "judge", name)
            if run is None:
                fail(f"The study {slug} has no judge {name} that was asked here.")
            judge_name, settings = asked_again(db, study, run, anchors)
        asked = replace(asked, model=run.model, base_url=run.endpoint)
        say(f"{judge_name}:")
        budget = asked.new_budget
        _say_estimate(engine, study, settings, budget.prices)
        if is_check:
            _check(engine, study, asked.endpoint, settings)
        elif not asked.dry_run:
            _judge(engine, study, asked.endpoint, settings, judge_name, budget, asked)


def _check(engine: Engine, study: StudyRow, endpoint: Endpoint, settings: JudgeSettings) -> None:
    with engine.connect() as db:
        estimate = estimate_run(db, study, settings)
    try:
        findings = shake_hands(endpoint, settings.parameters, estimate.longest_in)
    except RequestError as error:
        fail(str(error))
    for one in findings:
        say(f"{'' if one.is_good else '! '}{one.what}: {one.found}")


def _replay(engine: Engine, study: StudyRow, name: str) -> None:
    with transactions(engine)() as db:
        run = named_run(db, study, "judge", name)
        before, now = replay_judge(db, run, judged_study(db, study.id, run.protocol_version))
    say(f"{name}: {sum(now.values()):,} trials with a stored answer were read again.")
    for outcome in Outcome:
        if before[outcome] or now[outcome]:
            say(f"{OUTCOME_WORDS[outcome]}: {now[outcome]:,} (before: {before[outcome]:,})")


def _prompts(files: Sequence[Path]) -> dict[str, str]:
    """The words of each prompt, by the name of its file."""
    prompts = {one.stem: read_words(one) for one in files}
    if len(prompts) < len(files):
        raise typer.BadParameter("Two files have the same name: it names the prompt.", param_hint="--prompt")
    return prompts


def _judges_of(file: Path | None, name: str, settings: JudgeSettings) -> dict[str, JudgeSettings]:
    """The settings of a judge per profile, by its name; of one judge without a file of profiles."""
    if file is None:
        return {name: settings}
    with reading():
        return profile_settings(read_sheet(read_profiles, file), name, settings)


def _say_estimate(engine: Engine, study: StudyRow, settings: JudgeSettings, prices: Prices) -> None:
    with engine.connect() as db:
        estimate = estimate_run(db, study, settings)
    say(
        f"{estimate.n_trials:,} trials, {estimate.n_requests:,} requests, {estimate.n_fields:,} answers: about "
        f"{estimate.tokens_in:,} tokens in prompts and {estimate.tokens_out:,} in answers"
        f"{cost_words(estimate, prices)}."
    )
    say(f"Not asked: {'; '.join(NOT_ASKED)}.")


def _judge(
    engine: Engine,
    study: StudyRow,
    endpoint: Endpoint,
    settings: JudgeSettings,
    name: str,
    budget: Budget,
    asked: ModelOptions,
) -> None:
    with transactions(engine)() as db:
        run, is_new = begin_run(db, study, endpoint, settings, name)
    if not work_through(engine, run, endpoint, budget, is_new=is_new, asked=asked):
        raise typer.Exit(1)


def read_profiles(path: Path, limits: Limits = ON_THIS_COMPUTER) -> list[RaterProfile]:
    """The profiles of a spreadsheet, read within these limits.

    Raises:
        InvalidInputError: every problem of the file.
    """
    problems = Problems(limits)
    table = table_of(path, problems)
    problems.raise_if_any()
    columns = [*table.columns]
    rows = [
        (int(row), {name: str(table.column(name)[place]) for name in columns}) for place, row in enumerate(table.rows)
    ]
    return profiles_of(ProfileTable(path.name, columns, rows))
