"""The command line: the same tasks as the pages for leads."""

import sys
from typing import Annotated

import typer

from app import __version__
from app.base.problem import BlindedError, InvalidInputError
from app.cli.command_table import CommandTable
from app.cli.output import INPUT_ERROR, WRONG_CALL, say
from app.settings import SettingsError

cli = typer.Typer(
    name="attune", cls=CommandTable, no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False
)


def _print_version(is_asked: bool) -> None:
    if is_asked:
        typer.echo(f"attune {__version__}")
        raise typer.Exit


@cli.callback()
def attune(
    _version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Run human empathy-rating studies and analyze their ratings.

    Exit codes: 0 success, 1 errors in the input or a task that could not be completed, 2 wrong usage,
    3 warnings only (doctor).
    """


def main() -> None:
    """Run the command line. Exit code 0, 1 for errors in the input, 2 for wrong usage."""
    try:
        cli()
    except InvalidInputError as error:
        for problem in error.problems:
            say(f"{'Note: ' if problem.severity == 'warning' else ''}{problem.sentence()} {problem.option}".rstrip())
        n_errors = sum(problem.n for problem in error.problems if problem.severity == "error")
        found, them = ("1 error", "it") if n_errors == 1 else (f"{n_errors:,} errors", "them")
        say(f"{found} found. Nothing was saved. Correct {them} and try again.")
        sys.exit(INPUT_ERROR)
    except BlindedError as error:
        say(str(error))
        sys.exit(INPUT_ERROR)
    except SettingsError as error:
        say(str(error))
        sys.exit(WRONG_CALL)
    except OSError as error:
        named = f"{error.filename}: " if error.filename else ""
        say(f"{named}{error.strerror}." if error.strerror else str(error))
        sys.exit(INPUT_ERROR)
