"""attune plan: forecast interval widths and power before there are ratings."""

from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from app.analysis.data.frames import Frames
from app.analysis.planning.human_share import HumanShare
from app.analysis.planning.plan import Plan, plan_csv, plan_json
from app.base.words import counted, number
from app.cli.analyze import study_data
from app.cli.output import fail, say
from app.cli.print_report import console
from app.cli.reading import read_study_folder
from app.cli.store import store, stored_study
from app.cli.study_argument import BareName, Study, folder_or_slug
from app.protocol.allocation.human_sample import rated_by_people
from app.protocol.allocation.trials import PlannedItem
from app.protocol.labels import Labels
from app.protocol.study import Protocol
from app.rating.seats.trials import list_items
from app.results.charts.plan_charts import planning_table
from app.results.planning.judge_savings import needed_table, savings_of_plan, savings_sentences, width_table
from app.results.planning.make_plan import Asked, PlanError, QuestionUnknownError, make_plan, write_plan
from app.studies.creation.read_new_study import planned_items
from app.studies.protocols import get_protocol

Sizes = Annotated[str, typer.Option(help="One number, or several separated by commas.", metavar="N,N,...")]
Stated = Annotated[
    list[str] | None,
    typer.Option(
        "--assume",
        metavar="NAME=POINTS",
        help="An assumption in points of the scale: mean (of the reference), difference, or one of the standard "
        "deviations item, rater, item_source, rater_source, residual. Can be repeated.",
    ),
]
NAMES = ("mean", "difference", "item", "rater", "item_source", "rater_source", "residual")
MAX_SIZE = 100_000


Question = Annotated[
    str | None, typer.Option(metavar="KEY", help="The rating question to plan for. Default: the first one.")
]
Pilot = Annotated[
    str | None,
    typer.Option(
        metavar="STUDY",
        help="A pilot study, whose ratings give the variation between items and raters. Named like STUDY.",
    ),
]
Simulations = Annotated[int, typer.Option(min=2, max=10_000, help="Number of simulated studies per size.")]
Attrition = Annotated[
    float | None,
    typer.Option(min=0, max=0.95, metavar="SHARE", help="Share of raters who leave before their last trial, as 0.1."),
]
Seed = Annotated[int, typer.Option(min=0, help="The same seed gives the same plan.")]
Correlation = Annotated[
    float | None,
    typer.Option(
        min=-1,
        max=1,
        metavar="R",
        help="Correlation over items of a model judge and people, to plan which part people rate. Default: those of "
        "the pilot's judges.",
    ),
]
Width = Annotated[
    float | None,
    typer.Option(min=0, help="Width of the interval to reach with a model judge. Default: that for the planned power."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print only the plan, as JSON.")]
AsCsv = Annotated[bool, typer.Option("--csv", help="Print only the plan, as CSV.")]
Out = Annotated[
    Path | None, typer.Option(metavar="FOLDER", help="Write plan.json, plan.csv and charts to this folder.")
]


def plan(  # noqa: PLR0913, PLR0917 - each argument is an option
    study: Study,
    raters: Sizes = "",
    items: Sizes = "",
    raters_per_trial: Sizes = "",
    question: Question = None,
    assume: Stated = None,
    pilot: Pilot = None,
    simulations: Simulations = 200,
    seed: Seed = 1,
    judge_correlation: Correlation = None,
    width: Width = None,
    attrition: Attrition = None,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
    out: Out = None,
    is_folder: BareName = None,
) -> None:
    """Forecast interval widths and power before data collection, by simulating the design of the study.

    A study folder needs no database.
    """
    protocol, its_items = _design(folder_or_slug(study, command="plan", is_folder=is_folder))
    asked = Asked(
        _sizes(items, "--items"),
        _sizes(raters, "--raters"),
        _sizes(raters_per_trial, "--raters-per-trial"),
        question,
        _stated(assume or []),
        _pilot(pilot, is_folder=is_folder),
        simulations,
        seed,
        attrition=attrition,
    )
    found = _plan(protocol, its_items, asked)
    found = replace(found, savings=savings_of_plan(protocol, its_items, found, asked, judge_correlation, width))
    if out is not None:
        say(f"{len(write_plan(found, out))} files written to {out}.")
    if as_json or as_csv:
        typer.echo(plan_json(found) if as_json else plan_csv(found), nl=False)
    elif out is None:
        _print(found, protocol.labels)


def _plan(protocol: Protocol, items: list[PlannedItem], asked: Asked) -> Plan:
    try:
        return make_plan(protocol, items, asked)
    except QuestionUnknownError as error:
        raise typer.BadParameter(str(error), param_hint="--question") from None
    except PlanError as error:
        fail(str(error))


def _stated(texts: list[str]) -> dict[str, float | None]:
    """Return the assumptions that the lead states, by name."""
    found: dict[str, float | None] = {}
    for text in texts:
        name, _, points = text.partition("=")
        value = number(points)
        is_sd = name not in NAMES[:2]
        if name not in NAMES or value is None or (is_sd and value < 0):
            allowed = (
                f"Expected NAME=POINTS, with one of the names {', '.join(NAMES)} and standard deviations of 0 or more"
            )
            raise typer.BadParameter(f"{allowed}; found {text}.", param_hint="--assume")
        found[name] = value
    return found


def _sizes(text: str, option: str) -> tuple[int, ...]:
    """Return the numbers in the value of an option."""
    try:
        sizes = tuple(int(part) for part in text.split(",") if part.strip())
    except ValueError:
        sizes = (0,)
    if any(not 0 < size <= MAX_SIZE for size in sizes):
        raise typer.BadParameter(
            f"Expected whole numbers from 1 to {MAX_SIZE:,}, separated by commas; found {text}.", param_hint=option
        )
    return sizes


def _design(study: Path | str) -> tuple[Protocol, list[PlannedItem]]:
    if isinstance(study, Path):
        folder = read_study_folder(study)
        return folder.protocol, rated_by_people(folder.protocol, planned_items(folder))
    with store() as engine, engine.connect() as db:
        found = stored_study(db, study)
        protocol = get_protocol(db, found.id, found.protocol_version)
        return protocol, rated_by_people(protocol, list_items(db, found.id))


def _pilot(study: str | None, *, is_folder: bool | None) -> tuple[Frames, Protocol] | None:
    return (
        None if study is None else study_data(folder_or_slug(study, command="plan STUDY --pilot", is_folder=is_folder))
    )


def _print(found: Plan, labels: Labels) -> None:
    out, assumed = console(), found.assumed
    sds = ", ".join(f"{name} {value:.2f}" for name, value in asdict(assumed.sds).items())
    source, reference = (labels.source(key) if key else "–" for key in (found.source, found.reference))
    question = labels.question(found.question) if found.question else "choices"
    compared = f"{source} versus {reference}"
    if found.contrast is not None:
        compared = ", ".join(f"{part.replace('_', ' ')} {value}" for part, value in found.contrast.items())
    out.print(Text(f"{compared}, {question}", "bold"))
    out.print(Text(f"Mean {assumed.mean:.2f}, difference {assumed.difference:.2f}, standard deviations: {sds}"))
    others = [f"adjusted with {counted(found.n_tests - 1, 'other test')} (Holm)"] * (found.n_tests > 1)
    leave = [f"{found.attrition:.0%} of raters leave early"] * bool(found.attrition)
    origin = "; ".join((assumed.origin, *others, *leave))
    of_texts = any(row.statistic == "text_difference" for row in found.rows)
    unit = "Units of the measure" if of_texts else "Scale points"
    out.print(Text(f"{unit}; {origin}; seed {found.seed}; ± is the Monte Carlo error", "dim"))
    cells = planning_table(found.rows)
    out.print(_table_of(cells.header, cells.rows))
    if found.savings is not None:
        _print_savings(found.savings)


def _print_savings(savings: HumanShare) -> None:
    out = console()
    out.print(Text(f"\nWhat people must rate for a width of {savings.goal:.2f}", "bold"))
    for sentence in savings_sentences(savings):
        out.print(Text(sentence))
    for table in (needed_table(savings), width_table(savings)):
        out.print(_table_of(table.header, table.rows))


def _table_of(header: Sequence[str], rows: Sequence[Sequence[str]]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    for place, name in enumerate(header):
        table.add_column(name, justify="right" if place else "left", overflow="fold")
    for row in rows:
        table.add_row(*map(Text, row))
    return table
