"""Keep a report under a name, and open it again with the same digits, whatever was rated since."""

import zlib
from dataclasses import dataclass

from app.accounts.leads import Lead
from app.analysis.data.filter_options import FilterOptions, filtered_protocol
from app.analysis.report.stored_report import read_report, report_text
from app.base.database.engine import Begin
from app.rating.withdrawal.withdraw import count_deleted_raters, get_last_deletion, lock_deletions
from app.results.blinding import refuse_if_blinded
from app.results.reports.outcomes import LiveReport
from app.results.snapshots.stored import SnapshotRow, get_snapshot, record_snapshot
from app.studies.audit import record_act
from app.studies.protocols import get_protocol
from app.studies.studies import StudyRow

MAX_NAME = 200
NO_OPTIONS = FilterOptions({}, {}, {}, {}, {}, has_times=False)


class OtherVersionError(ValueError):
    """The report is of an earlier version of the protocol than the study has now."""


class DeletedAnswersError(ValueError):
    """The report has answers that were deleted since, at a rater's request."""


class NoSuchSnapshotError(LookupError):
    """The study has no snapshot with this token."""


@dataclass(frozen=True, slots=True)
class Opened:
    """A snapshot with its report; `has_deleted` says that answers in it were deleted since, at a rater's request."""

    row: SnapshotRow
    made: LiveReport
    has_deleted: bool


def save_snapshot(begin: Begin, study: StudyRow, made: LiveReport, name: str, lead: Lead | None) -> str:
    """Keep a report under a name, and log it; returns the token of its address. `lead` is None on the command line.

    Raises:
        BlindedError: the study's estimates are hidden until it closes.
        OtherVersionError: the study has a new version since the report was computed.
        DeletedAnswersError: answers of a rater were deleted since the report was computed.
    """
    report = zlib.compress(report_text(made.report).encode())
    with begin() as db:
        lock_deletions(db, study.id)
        if made.n_deleted < count_deleted_raters(db, study.id):
            raise DeletedAnswersError
        protocol = get_protocol(db, study.id, study.protocol_version)
        refuse_if_blinded(study, protocol)
        if filtered_protocol(protocol, made.filters) != made.protocol:
            raise OtherVersionError
        record_act(db, lead, study, "snapshot saved", name=name, data_hash=made.report.data_hash)
        return record_snapshot(
            db,
            study.id,
            name=name,
            version=study.protocol_version,
            data_hash=made.report.data_hash,
            read_at=made.read_at,
            report=report,
            lead_id=lead.id if lead else None,
        )


def open_snapshot(begin: Begin, study: StudyRow, token: str) -> Opened:
    """The report as it was saved, labelled by the protocol of that time.

    Raises:
        NoSuchSnapshotError: there is none.
        BlindedError: the study's estimates are hidden until it closes.
        StoredReportError: this version of the program cannot read it.
    """
    with begin() as db:
        refuse_if_blinded(study, get_protocol(db, study.id, study.protocol_version))
        found = get_snapshot(db, study.id, token)
        if found is None:
            raise NoSuchSnapshotError
        row, content = found
        protocol = get_protocol(db, study.id, row.protocol_version)
        deleted_at = get_last_deletion(db, study.id)
    report = read_report(zlib.decompress(content).decode())
    made = LiveReport(token, row.read_at, report, filtered_protocol(protocol, report.filters), NO_OPTIONS)
    return Opened(row, made, deleted_at is not None and deleted_at >= row.saved_at)
