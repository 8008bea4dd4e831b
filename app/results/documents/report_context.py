"""What a report of a stored study says beside its estimates: when it was made, the status, how raters took part."""

from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import Connection, text

from app.analysis.document.judges import judges_of_folder
from app.analysis.document.registration import read_registration
from app.analysis.document.report_context import ReportContext
from app.base.words import and_list, counted
from app.protocol.study import Protocol
from app.rating.review.rater_rows import list_left_out
from app.results.registration.preregister import list_judges, registration_of
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


_VERSIONS = text("""
    SELECT s.protocol_version, count(DISTINCT s.rater_id) FROM rating_sessions s
    WHERE s.study_id = :study AND s.rater_id <> ALL(:left_out) AND EXISTS (
      SELECT FROM ratings r WHERE r.study_id = s.study_id AND r.rater_id = s.rater_id AND r.exclude IS NULL)
    GROUP BY 1 ORDER BY 1
""")


def version_words(db: Connection, study: StudyRow, version: int) -> str:
    """How many raters of the results took part under each version of the design; empty if all did under theirs."""
    asked = {"study": study.id, "left_out": list_left_out(db, study.id)}
    n_raters = {int(one): int(n) for one, n in db.execute(_VERSIONS, asked)}
    if n_raters.keys() <= {version}:
        return ""
    parts = and_list([f"version {one} ({counted(n, 'rater')})" for one, n in n_raters.items()])
    return f"Raters took part under {parts} of the design. The results of all of them use version {version}."


def report_context_of(db: Connection, study: StudyRow, version: int | None = None) -> ReportContext:
    """What a report says of a stored study as it is now; `version`: of the protocol, by default the current one."""
    plan = registration_of(db, study)
    made_by = version or study.protocol_version
    return ReportContext(
        today(),
        " ".join(filter(None, (STATUS[study.status], version_words(db, study, made_by)))),
        plan,
        made_by,
        template_origin(get_protocol(db, study.id, made_by)),
        count_skipped(db, study.id),
        list_judges(db, study.id),
    )


def report_context_of_folder(folder: Path, protocol: Protocol) -> ReportContext:
    """Those of a study folder, with the plan that is saved in it, if any.

    Raises:
        RegistrationError: the saved plan was changed, or is none.
    """
    saved = folder / REGISTRATION
    plan = read_registration(saved.read_text(encoding="utf-8")) if saved.exists() else None
    judges = judges_of_folder(folder)
    return ReportContext(today(), registration=plan, origin=template_origin(protocol), judges=judges)
