"""Messages for people, on standard error, so that standard output contains only data."""

from __future__ import annotations

from typing import NoReturn

import typer

# Exit codes of all commands; 0 is success.
INPUT_ERROR, WRONG_CALL = 1, 2


def say(sentence: str) -> None:
    """Print one line for the person at the terminal."""
    typer.echo(sentence, err=True)


def fail(sentence: str, code: int = INPUT_ERROR) -> NoReturn:
    """Print what is wrong and exit."""
    say(sentence)
    raise typer.Exit(code)
