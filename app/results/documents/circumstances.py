"""What a report of a stored study says beside its estimates: when it was made, the status, how raters took part."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import Connection

from app.analysis.document.circumstances import Arm, Circumstances
from app.analysis.document.registration import read_registration
from app.protocol.study import Protocol
from app.results.registration.registered_plan import registration_of
from app.studies.coverage import SessionCounts, count_sessions_by_arm, count_skipped, get_session_counts
from app.studies.folder.template_origin import template_origin
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


def circumstances_of(db: Connection, study: StudyRow, version: int | None = None) -> Circumstances:
    """The circumstances of a stored study now; `version`: the report's protocol version, by default the current one."""
    came = arrivals(get_session_counts(db, study.id))
    plan = registration_of(db, study)
    made_by = version or study.protocol_version
    return Circumstances(
        today(),
        STATUS[study.status],
        came,
        plan,
        made_by,
        template_origin(get_protocol(db, study.id, made_by)),
        {arm: Arm(*n) for arm, n in count_sessions_by_arm(db, study.id).items()},
        count_skipped(db, study.id),
    )


def circumstances_of_folder(folder: Path, protocol: Protocol) -> Circumstances:
    """Those of a study folder, with the plan that is saved in it, if any.

    Raises:
        RegistrationError: the saved plan was changed, or is none.
    """
    saved = folder / REGISTRATION
    plan = read_registration(saved.read_text(encoding="utf-8")) if saved.exists() else None
    return Circumstances(today(), registration=plan, origin=template_origin(protocol))


def arrivals(counts: SessionCounts) -> dict[str, int]:
    """How many raters came, and why some did not finish; what did not happen is left out.

    >>> from app.studies.coverage import SessionCounts
    >>> arrivals(SessionCounts(9, 1, 6, 0, 2, 1, 0, 1, 0, 0))
    {'arrived': 9, 'finished': 6, 'did not consent': 2, 'were not eligible': 1, 'withdrew': 1}
    """
    said = {
        "arrived": counts.n_arrived,
        "finished": counts.n_finished,
        "did not consent": counts.n_refused,
        "were not eligible": counts.n_screened_out,
        "failed the checks": counts.n_failed_checks,
        "withdrew": counts.n_withdrawn,
    }
    return {words: n for words, n in said.items() if n}
