"""What a report of a stored study says beside its estimates: when it was made, the status, how raters took part."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import Connection

from app.analysis.document.registration import read_registration
from app.analysis.document.report_context import ReportContext
from app.protocol.study import Protocol
from app.results.registration.preregister import registration_of
from app.studies.coverage import count_skipped
from app.studies.folder.study_templates import template_origin
from app.studies.protocols import get_protocol
from app.studies.studies import StudyRow

REGISTRATION = "preregistration.json"
STATUS = {
    "draft": "The study has not been opened yet.",
    "open": "The study is open and ratings are still being collected: these results are interim.",
    "paused": "The study is paused, not closed: these results are interim.",
    "closed": "The study is closed.",
}


def today() -> str:
    """The day, in UTC."""
    return datetime.now(UTC).date().isoformat()


def report_context_of(db: Connection, study: StudyRow, version: int | None = None) -> ReportContext:
    """The circumstances of a stored study now; `version`: the report's protocol version, by default the current one."""
    plan = registration_of(db, study)
    made_by = version or study.protocol_version
    return ReportContext(
        today(),
        STATUS[study.status],
        plan,
        made_by,
        template_origin(get_protocol(db, study.id, made_by)),
        count_skipped(db, study.id),
    )


def report_context_of_folder(folder: Path, protocol: Protocol) -> ReportContext:
    """Those of a study folder, with the plan that is saved in it, if any.

    Raises:
        RegistrationError: the saved plan was changed, or is none.
    """
    saved = folder / REGISTRATION
    plan = read_registration(saved.read_text(encoding="utf-8")) if saved.exists() else None
    return ReportContext(today(), registration=plan, origin=template_origin(protocol))
