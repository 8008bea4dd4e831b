"""attune db upgrade, backup, restore: commands for the whole database."""

from pathlib import Path
from typing import Annotated

import typer
from sqlalchemy import Engine

from app.base.backups.backup import BackupError
from app.base.backups.backups import make_backup
from app.base.backups.store_upgrade import upgrade_store
from app.base.backups.verified_backup import restore_compared, verified_backup
from app.base.postgres import EmbeddedError, default_data_dir
from app.cli.output import WRONG_CALL, fail, say
from app.cli.store import named_database, reached_database, store
from app.rating.withdrawal.deletions import Deletion, DeletionList, delete_again
from app.settings import settings

cli = typer.Typer(no_args_is_help=True)
NewFile = Annotated[
    Path | None,
    typer.Argument(
        metavar="[FILE]",
        help="The file to create. Default: a new file in the folder of backups, from which old ones are removed.",
    ),
]
File = Annotated[Path, typer.Argument(metavar="FILE", help="The backup file.", show_default=False)]
Deletions = Annotated[
    Path | None,
    typer.Option(help="A list of deletions to repeat. Default: the list beside the backup, if there is one."),
]


@cli.callback()
def database() -> None:
    """Maintain the database."""


@cli.command()
def upgrade() -> None:
    """Upgrade the database to this version of Attune. Every other command does so when it starts."""
    with store():
        say("The database is up to date.")


@cli.command()
def upgrade_postgres(
    programs: Annotated[
        Path | None,
        typer.Option(
            help="The folder with the programs of the old version of PostgreSQL. Default: search the usual places."
        ),
    ] = None,
) -> None:
    """Move the embedded database to the version of PostgreSQL that this version of Attune carries."""
    now = settings()
    if now.database_url:
        fail("DATABASE_URL names another server. Upgrade it as its provider describes.", WRONG_CALL)
    try:
        moved = upgrade_store(now.data_dir or default_data_dir(), programs)
    except (EmbeddedError, BackupError) as error:
        fail(str(error))
    if moved is None:
        say("The database already has the current version of PostgreSQL.")
        return
    with store():
        say(f"{moved.n_rows:,} rows in {moved.n_tables} tables were moved, and every table was compared.")
    say(f"The old files are kept in {moved.aside}. Delete them once you have checked that everything works.")


def backup(file: NewFile = None) -> None:
    """Back up the whole database, and check the backup by restoring it into a scratch database."""
    with reached_database():
        try:
            file, problem = _backed_up(named_database(), file)
        except BackupError as error:
            fail(str(error))
    say(f"Saved to {file} ({file.stat().st_size:,} bytes). Keep it safe: it contains every answer.")
    say(problem or "Checked: restored into a scratch database, where every table was the same.")


def _backed_up(url: str, file: Path | None) -> tuple[Path, str | None]:
    """Return the file of the new backup, and why it was not checked, if so."""
    if file is not None:
        record = verified_backup(url, file)
        return file, record.problem
    made = make_backup(url, backups_folder())
    if made is None:
        raise BackupError("Another process is making a backup in this folder.")
    return made.file, None


def restore(file: File, deletions: Deletions = None) -> None:
    """Restore a backup into an empty database, upgrade it to this version, and repeat deletions made since."""
    with reached_database():
        try:
            record = restore_compared(named_database(), file)
            again = _deletions(file, deletions)
        except (BackupError, ValueError) as error:
            fail(str(error))
    with store() as engine:
        n_deleted = _delete(engine, again)
    say(f"Restored from {file}.{' Every table is the same as in the backup.' if record else ''}")
    if again:
        say(f"Deletions on record: {len(again)}. Repeated in this database: {n_deleted}.")


def _deletions(file: Path, named: Path | None) -> list[Deletion]:
    """Return the deletions of the named list, or of those beside the backup and in our own folder."""
    if named is not None and not named.is_file():
        raise BackupError(f"There is no file {named}.")
    own, beside = DeletionList(backups_folder()), DeletionList(file.absolute().parent)
    if named is not None:
        beside.file = named
    read = own.read()
    return read + [deletion for deletion in beside.read() if deletion not in read]


def _delete(engine: Engine, again: list[Deletion]) -> int:
    """Carry the deletions out, and note them in our own folder for the next restore."""
    if not again:
        return 0
    DeletionList(backups_folder()).add_all(again)
    with engine.begin() as db:
        return delete_again(db, again)


def backups_folder() -> Path:
    """Return the folder of backups of this installation."""
    return settings().backups_folder(default_data_dir)
