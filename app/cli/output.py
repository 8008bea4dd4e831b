"""Messages for people go to standard error, so that standard output stays clean for data."""

from __future__ import annotations

from typing import NoReturn

import typer

# Exit codes of every command; 0 is success.
INPUT_ERROR, WRONG_CALL = 1, 2


def say(sentence: str) -> None:
    """One line for the person at the terminal."""
    typer.echo(sentence, err=True)


def fail(sentence: str, code: int = INPUT_ERROR) -> NoReturn:
    """Say what is wrong and stop."""
    say(sentence)
    raise typer.Exit(code)
