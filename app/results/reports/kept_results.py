"""Results that outlive the process that computed them, and who computes those of a study now."""

from __future__ import annotations

import hashlib
import zlib
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, text

from app.analysis.data.filter_options import filtered_protocol
from app.analysis.findings.counted_result import CountedResult
from app.base.database.engine import Begin
from app.base.database.process_locks import get_note
from app.base.processes.side_process import SideProcessError
from app.rating.withdrawal.withdraw import N_DELETED_RATERS, lock_deletions
from app.results.reports.computing import FirstNumbers, LiveReport
from app.results.reports.known_marks import Key, Seen
from app.results.reports.outcomes import Stopped
from app.results.reports.program_mark import program_mark
from app.studies.protocols import get_protocol
from app.studies.studies import StudyRow

if TYPE_CHECKING:
    from app.analysis.data.report_filters import Filters
    from app.results.reports.outcomes import Outcome


# The last results of a study, which every server process can show at once. They may always be deleted.

COUNTS = "counts"
# Of all ratings, and with the filters used last.
MAX_KEPT = 8

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
_USABLE = "study_id = :study AND part = :part AND program = :program"
_OUTLINE = (
    f"part, name, mark, decisions, n_ratings, protocol_version, program, read_at, {N_DELETED_RATERS} AS n_deleted"
)
_GET_OUTLINE = text(f"SELECT {_OUTLINE} FROM kept_results WHERE {_USABLE}")  # noqa: S608 - constants only
_GET = text(f"""
    SELECT {_OUTLINE}, content FROM kept_results WHERE {_USABLE}
      AND read_at > coalesce(CAST(:since AS timestamptz), '-infinity')
""")  # noqa: S608 - constants only
_SAME_DATA = text("""
    UPDATE kept_results SET mark = :mark, decisions = :decisions WHERE study_id = :study AND part = :part
""")
_DROP = text("DELETE FROM kept_results WHERE study_id = :study AND part = :part")


@dataclass(frozen=True, slots=True)
class KeptOutline:
    """What is known of kept results without reading them; see the table, and `count_deleted_raters`."""

    part: str
    name: str
    mark: str
    decisions: str
    n_ratings: int
    protocol_version: int
    program: str
    read_at: datetime
    n_deleted: int


def record_kept(db: Connection, study_id: int, outline: KeptOutline, content: bytes) -> None:
    """Keep results in the place of earlier ones, unless a rater's answers were deleted since they were read."""
    lock_deletions(db, study_id)
    db.execute(_RECORD, {**asdict(outline), "study": study_id, "content": content})
    db.execute(_DROP_OLD, {"study": study_id, "most": MAX_KEPT})


def record_same_data(db: Connection, study_id: int, part: str, *, mark: str, decisions: str) -> None:
    """Note that the data of kept results have another mark now, although they are the same."""
    db.execute(_SAME_DATA, {"study": study_id, "part": part, "mark": mark, "decisions": decisions})


def get_kept_outline(db: Connection, study_id: int, part: str, program: str) -> KeptOutline | None:
    """What is known of kept results that this program can show, or None."""
    row = db.execute(_GET_OUTLINE, {"study": study_id, "part": part, "program": program}).one_or_none()
    return None if row is None else KeptOutline(*row)


def get_kept(
    db: Connection, study_id: int, part: str, program: str, *, since: datetime | None = None
) -> tuple[KeptOutline, bytes] | None:
    """Kept results that this program can show, read after `since`, or None."""
    values = {"study": study_id, "part": part, "program": program, "since": since}
    row = db.execute(_GET, values).one_or_none()
    return None if row is None else (KeptOutline(*row[:-1]), bytes(row.content))


def drop_kept(db: Connection, study_id: int, part: str) -> None:
    """Delete kept results; they are computed again when they are needed."""
    db.execute(_DROP, {"study": study_id, "part": part})


REPORT, STOPPED = "report", "stopped"
# The lock of the process that computes results of a study.
WORK = "results"
# Preliminary results are counted again when the ratings have grown by a tenth: all counts of a growing study together
# then take about eleven times as long as the last one.
GROWTH = 1.1


class ComputedElsewhereError(SideProcessError):
    """Another server process computes results of the study; they are kept when they are done."""


def part_of(filters: Filters, kind: str = REPORT) -> str:
    """The place of a report with these filters in the table, or of the attempt at it that was stopped last."""
    return f"{kind} {hashlib.sha256(repr(filters).encode()).hexdigest()}" if filters else kind


def has_grown(counted: int, n_ratings: int) -> bool:
    """Whether so many ratings are too many, or too few, for counts of `counted` ratings.

    >>> has_grown(1000, 1099), has_grown(1000, 1101), has_grown(1000, 999)
    (False, True, True)
    """
    return not counted <= n_ratings <= counted * GROWTH


class KeptResults:
    """The kept results in the primary database."""

    def __init__(self, begin: Begin, limits: str = "") -> None:
        """`begin` opens transactions on the primary, also if reports are read from a replica.

        `limits` says what a report may take: an attempt that was stopped by other limits is not known.
        """
        self._begin, self._limits = begin, limits

    def report(self, study: StudyRow, filters: Filters, since: datetime | None) -> tuple[LiveReport, Seen] | None:
        """The kept report with these filters, if it was read after `since`, and what was seen of its data."""
        found = self._read(study, part_of(filters), since)
        if found is None:
            return None
        outline, (report, options, took_s) = found
        with self._begin() as db:
            protocol = get_protocol(db, study.id, outline.protocol_version)
        protocol = filtered_protocol(protocol, filters)
        made = LiveReport(outline.name, outline.read_at, report, protocol, options, outline.n_deleted, took_s)
        return made, _seen(study, filters, outline)

    def stopped(self, study: StudyRow, filters: Filters, since: datetime | None) -> tuple[Stopped, Seen] | None:
        """The attempt that was stopped last, if that was after `since`, and what was seen of its data."""
        found = self._read(study, part_of(filters, STOPPED), since)
        if found is None:
            return None
        outline, (words, took_s) = found
        made = Stopped(outline.name, outline.read_at, filters, words, True, outline.n_deleted, took_s)
        return made, _seen(study, filters, outline)

    def counts(self, study: StudyRow, seen: Seen, since: datetime | None) -> tuple[FirstNumbers, Seen] | None:
        """The kept counts if they were read after `since` and leads have decided nothing else meanwhile."""
        found = self._read(study, COUNTS, since)
        if found is None:
            return None
        outline, rows = found
        counted = _seen(study, seen.key.filters, outline)
        if counted.key != seen.key:
            return None
        with self._begin() as db:
            protocol = get_protocol(db, study.id, outline.protocol_version)
        results = tuple(CountedResult(*row) for row in rows)
        return FirstNumbers(outline.read_at, results, protocol, outline.n_deleted), counted

    def share_elsewhere(self, study_id: int) -> float | None:
        """How far the process that computes results of the study has come; None if there is none."""
        with self._begin() as db:
            note = get_note(db, WORK, study_id)
        if note is None:
            return None
        with suppress(ValueError):
            return float(note)
        return 0.0

    def name_of(self, study_id: int, seen: Seen) -> str:
        """The name of the kept report of exactly these data; empty if there is none."""
        with self._begin() as db:
            outline = get_kept_outline(db, study_id, part_of(seen.key.filters), program_mark())
        return outline.name if outline and outline.mark == seen.mark else ""

    def is_same(self, study_id: int, seen: Seen, name: str) -> bool:
        """Whether the kept report has this name, although its data had another mark; it is noted then."""
        part = part_of(seen.key.filters)
        with self._begin() as db:
            outline = get_kept_outline(db, study_id, part, program_mark())
            if outline is None or outline.name != name:
                return False
            record_same_data(db, study_id, part, mark=seen.mark, decisions=seen.key.decisions)
        return True

    def keep_report(self, study: StudyRow, seen: Seen, made: LiveReport) -> None:
        """Keep a report."""
        self._record(study, part_of(made.filters), seen, made, (made.report, made.options, made.took_s))

    def keep_stopped(self, study: StudyRow, seen: Seen, made: Stopped) -> None:
        """Keep that an attempt was stopped by its limits, so that no process repeats it."""
        self._record(study, part_of(made.filters, STOPPED), seen, made, (made.words, made.took_s))

    def keep_counts(self, study: StudyRow, seen: Seen, first: FirstNumbers) -> None:
        """Keep counts."""
        rows = tuple((one.question, one.source, one.statistic, one.result, one.reference) for one in first.results)
        self._record(study, COUNTS, seen, first, rows)

    def are_needed(self, study: StudyRow, seen: Seen) -> bool:
        """Whether the study should be counted, so that its first page has numbers: it has no report, and has grown."""
        with self._begin() as db:
            if get_kept_outline(db, study.id, part_of(seen.key.filters), program_mark()):
                return False
            counted = get_kept_outline(db, study.id, COUNTS, program_mark())
        if counted is None or _seen(study, seen.key.filters, counted).key != seen.key:
            return True
        return has_grown(counted.n_ratings, seen.n_ratings)

    def _read(self, study: StudyRow, part: str, since: datetime | None) -> tuple[KeptOutline, Any] | None:
        """What is kept in this place. What cannot be read is deleted, because it counts as known otherwise."""
        with self._begin() as db:
            found = get_kept(db, study.id, part, self._program(part), since=since)
        if found is None:
            return None
        from app.analysis.report.stored_report import StoredReportError, read_stored

        outline, content = found
        try:
            return outline, read_stored(zlib.decompress(content).decode())
        except (StoredReportError, zlib.error):
            with self._begin() as db:
                drop_kept(db, study.id, part)
            return None

    def _program(self, part: str) -> str:
        return f"{program_mark()} {self._limits}" if part.startswith(STOPPED) else program_mark()

    def _record(self, study: StudyRow, part: str, seen: Seen, made: Outcome | FirstNumbers, results: object) -> None:
        from app.analysis.report.stored_report import stored_text

        content = zlib.compress(stored_text(results).encode())
        name = "" if isinstance(made, FirstNumbers) else made.name
        of_data = (seen.mark, seen.key.decisions, seen.n_ratings, study.protocol_version)
        outline = KeptOutline(part, name, *of_data, self._program(part), made.read_at, made.n_deleted)
        with self._begin() as db:
            record_kept(db, study.id, outline, content)


def _seen(study: StudyRow, filters: Filters, outline: KeptOutline) -> Seen:
    """What was seen of the data of kept results; to be compared with the data as they are now."""
    key = Key(study.id, study.status, outline.protocol_version, outline.decisions, filters)
    return Seen(key, "", outline.mark, outline.n_ratings)
