"""attune db upgrade, backup, restore: the database as a whole."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from app.cli.output import fail, say
from app.cli.store import named_database, store

cli = typer.Typer(no_args_is_help=True, help="The database itself.")
File = Annotated[Path, typer.Argument(metavar="FILE")]


@cli.callback()
def database() -> None:
    """The database itself."""


@cli.command()
def upgrade() -> None:
    """Bring the database to this version of Attune. `serve` and `demo` do it by themselves."""
    with store():
        say("The database is up to date.")


def backup(file: File) -> None:
    """Save the whole database into one file."""
    from app.storage.database.backup import BackupError
    from app.storage.database.backup import backup as save

    try:
        save(named_database(), file)
    except BackupError as error:
        fail(str(error))
    say(f"Saved to {file} ({file.stat().st_size:,} bytes). Keep it safe: it holds every answer.")


def restore(file: File) -> None:
    """Fill an empty database from a backup, and bring it to this version."""
    from app.storage.database.backup import BackupError
    from app.storage.database.backup import restore as fill

    try:
        fill(named_database(), file)
    except BackupError as error:
        fail(str(error))
    with store():
        say(f"Restored from {file}.")
