"""The report of a study in the database, computed in this process."""

from sqlalchemy import Connection

from app.analysis import analyze
from app.analysis.report.report import Report
from app.protocol.study import Protocol
from app.results.reports.report_input import read_study
from app.studies.studies import StudyRow


def report_of_study(db: Connection, study: StudyRow, *, full: bool = False) -> tuple[Report, Protocol]:
    """Return the report, and the protocol used for it."""
    frames, protocol = read_study(db, study)
    return analyze(frames, protocol, full=full), protocol
