"""Messages for people, on standard error, so that standard output contains only data."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NoReturn

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

# Exit codes of all commands; 0 is success.
INPUT_ERROR, WRONG_CALL = 1, 2


def say(sentence: str) -> None:
    """Print one line for the person at the terminal."""
    typer.echo(sentence, err=True)


def fail(sentence: str, code: int = INPUT_ERROR) -> NoReturn:
    """Print what is wrong and exit."""
    say(sentence)
    raise typer.Exit(code)


# A progress bar on standard error for tasks that take longer than a second; disabled without a terminal.

PATIENCE_S = 1.0


@contextmanager
def progress() -> Iterator[Callable[[str, int, int], None]]:
    """Yield a function (step, number done, total number) that draws the bar once a second has passed."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    bar = Progress(*columns, console=Console(file=sys.stderr), transient=True, disable=not sys.stderr.isatty())
    task = bar.add_task("", total=None)
    begun = time.monotonic()

    def show(step: str, n_done: int, n_all: int) -> None:
        bar.update(task, description=step, completed=n_done, total=n_all)
        if not bar.live.is_started and time.monotonic() - begun > PATIENCE_S:
            bar.start()

    try:
        yield show
    finally:
        bar.stop()
