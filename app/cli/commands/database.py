"""attune db upgrade, backup, restore: commands for the whole database."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from app.cli.output import fail, say
from app.cli.store import named_database, reached_database, store
from app.storage.database.backup import BackupError
from app.storage.database.backup import backup as save
from app.storage.database.backup import restore as fill

cli = typer.Typer(no_args_is_help=True)
File = Annotated[Path, typer.Argument(metavar="FILE", help="The backup file.", show_default=False)]


@cli.callback()
def database() -> None:
    """Maintain the database."""


@cli.command()
def upgrade() -> None:
    """Upgrade the database to this version of Attune. Every other command does so when it starts."""
    with store():
        say("The database is up to date.")


def backup(file: File) -> None:
    """Back up the whole database to a new file."""
    with reached_database():
        try:
            save(named_database(), file)
        except BackupError as error:
            fail(str(error))
    say(f"Saved to {file} ({file.stat().st_size:,} bytes). Keep it safe: it contains every answer.")


def restore(file: File) -> None:
    """Restore a backup into an empty database, and upgrade it to this version."""
    with reached_database():
        try:
            fill(named_database(), file)
        except BackupError as error:
            fail(str(error))
    with store():
        say(f"Restored from {file}.")
