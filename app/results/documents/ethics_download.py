"""The document for an ethics board of a stored study, and its files, as jobs and the command write them."""

from collections.abc import Sequence

from sqlalchemy import Connection

from app.analysis.document.ethics import Retention, ethics_document
from app.base.documents.blocks import Document
from app.results.documents.document_formats import FORMATS, Format, zipped
from app.results.documents.report_files import document_files
from app.results.making.task import Task
from app.studies.coverage import get_counts
from app.studies.folder.study_templates import template_origin
from app.studies.protocols import get_protocol
from app.studies.studies import StudyRow, get_keep_until


def ethics_of(db: Connection, study: StudyRow, backup_days: int | None) -> Document:
    """The document by the study's current protocol; `backup_days`: how long backups are kept, None if not known."""
    protocol = get_protocol(db, study.id, study.protocol_version)
    retention = Retention(get_keep_until(db, study.id), backup_days)
    n_items = get_counts(db, study.id).n_items
    return ethics_document(protocol, retention, n_items=n_items, origin=template_origin(protocol))


def ethics_files(document: Document, formats: Sequence[Format]) -> dict[str, bytes]:
    """`ethics.*` in these formats, by its name."""
    files = document_files(document, {}, formats, name="ethics")
    return {path: content for path, content in files.items() if path != "tables.tex"}


def write_ethics(task: Task, ending: str, backup_days: int | None) -> None:
    """Write it in one format, or in all formats in an archive, in the process of a job."""
    with task.begin() as db:
        document = ethics_of(db, task.study, backup_days)
    formats = FORMATS if ending == "zip" else tuple(one for one in FORMATS if one == ending)
    files = ethics_files(document, formats)
    task.path.write_bytes(zipped(files) if ending == "zip" else files[f"ethics.{ending}"])
