"""attune ethics: a study for an ethics board, written from its protocol."""

from pathlib import Path

from app.analysis.document.ethics import Retention, ethics_document
from app.base.backups.backups import MAX_AGE_DAYS
from app.base.documents.blocks import Document
from app.base.files.new_folder import new_folder
from app.cli.options import NewFolder
from app.cli.output import say
from app.cli.reading import read_study_folder
from app.cli.report import Formats, chosen_formats, write_files
from app.cli.store import store, stored_study
from app.cli.study_argument import BareName, Study, folder_or_slug
from app.results.documents.ethics_download import ethics_files, ethics_of
from app.settings import settings
from app.studies.creation.read_new_study import planned_items
from app.studies.folder.study_templates import template_origin


def ethics(study: Study, out: NewFolder, format_: Formats = None, is_folder: BareName = None) -> None:
    """Write the document for an ethics board: purposes, procedure, data, recipients, retention and rights.

    It is written from the protocol; what the protocol does not say is marked as to be completed.
    """
    formats = chosen_formats(format_)
    which = folder_or_slug(study, command="ethics", is_folder=is_folder)
    document = _of_folder(which) if isinstance(which, Path) else _of_stored(which)
    files = ethics_files(document, formats)
    with new_folder(out) as half:
        write_files(half, files)
    say(f"{len(files)} files written to {out}. Read them, and complete what is in brackets.")


def _of_folder(folder: Path) -> Document:
    read = read_study_folder(folder)
    return ethics_document(
        read.protocol,
        Retention(None, _backup_days()),
        n_items=len(planned_items(read)),
        origin=template_origin(read.protocol),
    )


def _of_stored(slug: str) -> Document:
    with store() as engine, engine.connect() as db:
        return ethics_of(db, stored_study(db, slug), _backup_days())


def _backup_days() -> int | None:
    """Return how long our own backups are kept; those of a database elsewhere are not known."""
    return None if settings().database_url else MAX_AGE_DAYS
