"""attune study ...: a study from folder to estimates."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from app.cli import templates
from app.cli.output import fail, say
from app.cli.progress import progress
from app.cli.store import store

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy import Connection

    from app.analysis.data.study_folder import StudyFolder
    from app.storage.studies.studies import StudyRow

cli = typer.Typer(no_args_is_help=True, help="Load, check, open, close and export studies.")

Folder = Annotated[Path, typer.Argument(exists=True, file_okay=False, help="A study folder.")]
Slug = Annotated[str, typer.Argument(help="The study's name.")]
Lead = Annotated[str | None, typer.Option("--lead", help="Whose study it is; left out, the only lead there is.")]
Out = Annotated[Path, typer.Option("--out", help="The folder to write; it must be new or empty.")]
Spreadsheet = Annotated[
    bool, typer.Option("--spreadsheet", help="For Excel: a byte order mark, and no cell that runs as a formula.")
]


@cli.callback()
def study() -> None:
    """Load, check, open, close and export studies."""


cli.command("templates")(templates.templates)
cli.command("new")(templates.new)


@cli.command("check")
def check(folder: Folder) -> None:
    """List every problem of a study folder, with file, row, column, what was found and what is allowed."""
    from app.actions.studies.folder_feasibility import feasibility_of_folder
    from app.actions.studies.opening_checks import notes_on_opening

    found = _read(folder)
    needs = feasibility_of_folder(found)
    for note in notes_on_opening(found.protocol, found.yaml, needs):
        say(f"Warning: {note}")
    for note in needs.notes:
        say(f"Note: {note}")
    say(f"No problem: {_contents(found)}.")


@cli.command("load")
def load(folder: Folder, lead: Lead = None) -> None:
    """Store a study folder, whole or not at all. Loading the same one again changes nothing."""
    from app.actions.studies.studies import LeadUnknownError, lead_for
    from app.storage.studies.load import load_study

    found = _read(folder)
    with store() as engine, engine.begin() as db, progress() as show:
        try:
            load_study(db, found, lead_for(db, lead), progress=show)
        except LeadUnknownError as error:
            fail(str(error), 2)
    slug = found.protocol.slug
    say(f"{slug} is stored: {_contents(found)}. To let raters in: attune study open {slug}")


@cli.command("list")
def list_all() -> None:
    """Every study, a line each: name, status, title."""
    from app.storage.studies.studies import list_studies

    with store() as engine, engine.connect() as db:
        for row in list_studies(db):
            typer.echo(f"{row.slug}\t{row.status}\t{row.title}")


@cli.command("export")
def export(slug: Slug, out: Out, spreadsheet: Spreadsheet = False) -> None:
    """Write a study with its ratings and estimates to a folder that loads again with the same estimates."""
    from app.actions.studies.studies import export_study
    from app.design.problem import FolderExistsError

    with store() as engine, engine.connect() as db, progress() as show:
        try:
            export_study(db, _study(db, slug), out, spreadsheet=spreadsheet, progress=show)
        except FolderExistsError as error:
            fail(str(error))
    say(f"{slug} is written to {out}.")


@cli.command("open")
def open_(slug: Slug) -> None:
    """Let raters in. Items added since the last time get their places."""
    from app.actions.studies.life_cycle import open_study
    from app.language.language import note_on
    from app.storage.studies.protocols import get_protocol

    words = f"{slug} is open. Raters come by /s/{slug}?PROLIFIC_PID=... or ?participant=..."
    _change(slug, open_study, words)
    with store() as engine, engine.connect() as db:
        study = _study(db, slug)
        if note := note_on(get_protocol(db, study.id, study.protocol_version).language):
            say(f"Note: {note}")


@cli.command("invite")
def invite(
    slug: Slug,
    raters: Annotated[list[str] | None, typer.Argument(help="Ids of raters; left out, all who have no link.")] = None,
    pool: Annotated[str | None, typer.Option("--pool", help="The pool of raters who are new.")] = None,
    address: Annotated[str, typer.Option("--address", help="Where raters reach Attune.")] = "http://127.0.0.1:8000",
) -> None:
    """Make personal links, a line each: rater, tab, address. They are shown this once; earlier ones stop working."""
    from app.actions.rating.invite import InviteError, invite_raters
    from app.storage.raters.arrivals import get_study_door

    with store() as engine, engine.begin() as db:
        door = get_study_door(db, slug) or fail(f"There is no study {slug}: attune study list", 2)
        try:
            links = invite_raters(db, door, raters or (), pool)
        except InviteError as error:
            fail(str(error), 2)
    for rater, token in links:
        typer.echo(f"{rater}\t{address.rstrip('/')}/s/{slug}?invite={token}")
    if not links:
        say("Nobody is without a link.")


@cli.command("pause")
def pause(slug: Slug) -> None:
    """Let no new rater in; who has begun may finish."""
    from app.actions.studies.life_cycle import pause_study

    _change(slug, pause_study, f"{slug} lets no new rater in.")


@cli.command("close")
def close(slug: Slug) -> None:
    """End the rating; what was rated stays."""
    from app.actions.studies.life_cycle import close_study

    _change(slug, close_study, f"{slug} is closed.")


def _change(slug: str, change: Callable[[Connection, str], None], words: str) -> None:
    from app.actions.studies.life_cycle import OpeningError

    with store() as engine, engine.begin() as db:
        _study(db, slug)
        try:
            change(db, slug)
        except OpeningError as error:
            fail(str(error))
    say(words)


def _study(db: Connection, slug: str) -> StudyRow:
    from app.storage.studies.studies import get_study

    found = get_study(db, slug)
    return found or fail(f"There is no study {slug}: attune study list", 2)


def _read(folder: Path) -> StudyFolder:
    from app.exchange import read_folder

    with progress() as show:
        found = read_folder(folder, show)
    for note in found.notes:
        say(note.sentence())
    return found


def _contents(folder: StudyFolder) -> str:
    parts = (
        ("item", folder.items),
        ("response", folder.responses),
        ("rater", folder.raters),
        ("answer", folder.ratings),
    )
    return ", ".join(f"{len(table):,} {word}{'' if len(table) == 1 else 's'}" for word, table in parts)
