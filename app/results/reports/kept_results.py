"""The last results of each study in the database, where every web process finds them. They may always be deleted."""

import hashlib
import zlib
from dataclasses import asdict, dataclass
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, text

import app
from app.analysis.data.filter_options import filtered_protocol
from app.analysis.data.report_filters import Filters
from app.rating.withdrawal.withdraw import N_DELETED_RATERS, lock_deletions
from app.results.data.study_mark import Data
from app.results.reports.outcomes import LiveReport, Stopped
from app.studies.protocols import get_protocol
from app.studies.studies import StudyRow

# Of all ratings, and with the filters used last.
MAX_KEPT = 8
REPORT, STOPPED = "report", "stopped"
# The report of the primary contrasts alone, until the whole is made.
ANSWER = "answer"
# The folders with the code that decides what results are: another version may compute other numbers from the same data.
FOLDERS = ("analysis", "protocol", "results/data", "results/reports", "stats", "studies/data")

_RECORD = text(f"""
    INSERT INTO kept_results AS k
      (study_id, part, name, mark, decisions, n_ratings, protocol_version, program, read_at, content)
    SELECT id, :part, :name, :mark, :decisions, :n_ratings, :protocol_version, :program, :read_at, :content
    FROM studies WHERE id = :study AND :n_deleted = {N_DELETED_RATERS}
    ON CONFLICT (study_id, part) DO UPDATE SET
      name = excluded.name, mark = excluded.mark, decisions = excluded.decisions, n_ratings = excluded.n_ratings,
      protocol_version = excluded.protocol_version, program = excluded.program, read_at = excluded.read_at,
      content = excluded.content
    WHERE k.read_at < excluded.read_at OR k.program <> excluded.program
""")  # noqa: S608 - constants only
_DROP_OLD = text("""
    DELETE FROM kept_results WHERE study_id = :study AND part NOT IN (
      SELECT part FROM kept_results WHERE study_id = :study ORDER BY read_at DESC LIMIT :most)
""")
_GET = text(f"""
    SELECT part, name, mark, decisions, protocol_version, read_at, {N_DELETED_RATERS} AS n_deleted
    FROM kept_results WHERE study_id = :study AND part = :part AND program = :program
""")  # noqa: S608 - constants only
_GET_CONTENT = text("SELECT content FROM kept_results WHERE study_id = :study AND part = :part AND read_at = :read_at")
_SAME_DATA = text("""
    UPDATE kept_results SET mark = :mark, decisions = :decisions, protocol_version = :version
    WHERE study_id = :study AND part = :part
""")
_DROP = text("DELETE FROM kept_results WHERE study_id = :study AND part = :part")


@dataclass(frozen=True, slots=True)
class Outline:
    """What is known of kept results without reading them; see the table. `n_deleted` is that of the study now."""

    part: str
    name: str
    mark: str
    decisions: str
    protocol_version: int
    read_at: datetime
    n_deleted: int

    def is_decided(self, study: StudyRow, data: Data) -> bool:
        """Whether leads have decided nothing else since."""
        return (self.protocol_version, self.decisions) == (study.protocol_version, data.decisions)

    def is_of(self, study: StudyRow, data: Data) -> bool:
        """Whether they are of these data."""
        return self.is_decided(study, data) and self.mark == data.mark


def part_of(filters: Filters, kind: str = REPORT) -> str:
    """The place of a report with these filters in the table, or of the attempt at it that was stopped last."""
    return f"{kind} {hashlib.sha256(repr(filters).encode()).hexdigest()}" if filters else kind


def get_outline(db: Connection, study_id: int, part: str, limits: str = "") -> Outline | None:
    """What is known of results that this program can show; of a stopped attempt, if it had these limits."""
    row = db.execute(_GET, {"study": study_id, "part": part, "program": _program(limits)}).one_or_none()
    return None if row is None else Outline(*row)


def get_report(db: Connection, study_id: int, filters: Filters, outline: Outline) -> LiveReport | None:
    """The report, or the answer; None if it has just been replaced, or cannot be read: it is deleted then."""
    found = _read(db, study_id, outline)
    if found is None:
        return None
    report, options, took_s = found
    protocol = filtered_protocol(get_protocol(db, study_id, outline.protocol_version), filters)
    return LiveReport(outline.name, outline.read_at, report, protocol, options, outline.n_deleted, took_s)


def get_stopped(db: Connection, study_id: int, outline: Outline) -> Stopped | None:
    """The attempt that was stopped, as `get_report`."""
    found = _read(db, study_id, outline)
    return None if found is None else Stopped(outline.read_at, *found)


def record_report(db: Connection, study: StudyRow, data: Data, made: LiveReport) -> None:
    """Keep a report in the place of an earlier one, unless a rater's answers were deleted since they were read."""
    _record(db, study, data, part_of(made.filters), made, (made.report, made.options, made.took_s))
    db.execute(_DROP, {"study": study.id, "part": part_of(made.filters, ANSWER)})


def record_answer(db: Connection, study: StudyRow, data: Data, made: LiveReport) -> None:
    """Keep the report of the primary contrasts alone until `record_report` keeps the whole."""
    _record(db, study, data, part_of(made.filters, ANSWER), made, (made.report, made.options, made.took_s))


def record_stopped(
    db: Connection, study: StudyRow, filters: Filters, data: Data, stopped: Stopped, limits: str
) -> None:
    """Keep that an attempt was stopped, so that no process repeats it."""
    results = (stopped.words, stopped.took_too_much, stopped.took_s)
    _record(db, study, data, part_of(filters, STOPPED), stopped, results, limits)


def record_same_data(db: Connection, study: StudyRow, part: str, data: Data) -> None:
    """Note that the data of kept results have another mark now, although they are the same."""
    values = {"mark": data.mark, "decisions": data.decisions, "version": study.protocol_version}
    db.execute(_SAME_DATA, {"study": study.id, "part": part, **values})


def _record(
    db: Connection,
    study: StudyRow,
    data: Data,
    part: str,
    made: LiveReport | Stopped,
    results: object,
    limits: str = "",
) -> None:
    from app.analysis.report.stored_report import stored_text

    content = zlib.compress(stored_text(results).encode())
    lock_deletions(db, study.id)
    values = asdict(data) | {"part": part, "program": _program(limits), "content": content, "read_at": made.read_at}
    values |= {"name": made.name if isinstance(made, LiveReport) else "", "protocol_version": study.protocol_version}
    db.execute(_RECORD, {"study": study.id, **values})
    db.execute(_DROP_OLD, {"study": study.id, "most": MAX_KEPT})


def _read(db: Connection, study_id: int, outline: Outline) -> Any:  # noqa: ANN401 - whatever was kept
    from app.analysis.report.stored_report import StoredReportError, read_stored

    values = {"study": study_id, "part": outline.part, "read_at": outline.read_at}
    content = db.execute(_GET_CONTENT, values).scalar_one_or_none()
    if content is None:
        return None
    try:
        return read_stored(zlib.decompress(content).decode())
    except (StoredReportError, zlib.error):
        db.execute(_DROP, {"study": study_id, "part": outline.part})
        return None


@cache
def program_mark() -> str:
    """SHA-256 of the version and of the code that results are computed by."""
    digest = hashlib.sha256(app.__version__.encode())
    root = Path(app.__file__).parent
    for file in (file for name in FOLDERS for file in sorted((root / name).rglob("*.py"))):
        digest.update(file.read_bytes())
    return digest.hexdigest()


def _program(limits: str) -> str:
    return f"{program_mark()} {limits}".strip()
