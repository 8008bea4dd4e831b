"""The command line: the same verbs as the pages."""

from __future__ import annotations

import sys

import typer

from app.cli import analyze, database, demo, demo_maker, doctor, items, lead, plan, serve, simulate, study
from app.cli.output import say
from app.design.problem import InvalidInputError

cli = typer.Typer(
    name="attune",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Human empathy-rating studies: from the spreadsheet to the estimates a reviewer accepts.",
)
cli.add_typer(study.cli, name="study")
cli.add_typer(items.cli, name="items")
cli.add_typer(lead.cli, name="lead")
cli.add_typer(database.cli, name="db")
cli.command("serve")(serve.serve)
cli.command("demo")(demo.demo)
cli.command("make-demo", hidden=True)(demo_maker.make_demo)
cli.command("backup")(database.backup)
cli.command("restore")(database.restore)
cli.command("doctor")(doctor.doctor)
cli.command("analyze")(analyze.analyze)
cli.command("plan")(plan.plan)
cli.command("simulate")(simulate.simulate)


def main() -> None:
    """Run the command line. Exit code 0, 1 for problems in the input, 2 for a wrong call."""
    try:
        cli()
    except InvalidInputError as error:
        for problem in error.problems:
            say(problem.sentence())
        n_problems = sum(problem.severity == "error" for problem in error.problems)
        say(f"{n_problems} problem{'' if n_problems == 1 else 's'}. Nothing was stored.")
        sys.exit(1)
