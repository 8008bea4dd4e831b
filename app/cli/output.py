"""Where words for people go: to standard error, so that standard output stays clean for data."""

from __future__ import annotations

from typing import NoReturn

import typer


def say(sentence: str) -> None:
    """One line for the person at the terminal."""
    typer.echo(sentence, err=True)


def fail(sentence: str, code: int = 1) -> NoReturn:
    """Say what is wrong and stop."""
    say(sentence)
    raise typer.Exit(code)
