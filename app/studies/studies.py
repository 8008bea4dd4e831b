"""Queries for studies: one of them, or a list."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Literal, NamedTuple

from sqlalchemy import Connection, text

from app.accounts.roles import Right, Role, may

Status = Literal["draft", "open", "paused", "closed"]
# A study is a draft until it is opened; these are given to it.
GivenStatus = Literal["open", "paused", "closed"]
# From the announcement to the deletion: a clock that is ahead can be set right in this time, and a lead can object.
DELETION_NOTICE = timedelta(days=1)

_STUDIES = """
    SELECT s.id, s.slug, p.title, s.status, s.protocol_version, s.is_demo, s.created_at, s.opened_at,
           s.closed_at, s.archived_at, s.rater_token, s.keep_until, s.deletion_announced_at, m.role
    FROM studies s JOIN protocols p ON p.study_id = s.id AND p.version = s.protocol_version
    LEFT JOIN study_members m ON m.study_id = s.id AND m.lead_id = :lead
"""
_ONE = text(f"{_STUDIES} WHERE s.slug = :slug")
_BY_ID = text(f"{_STUDIES} WHERE s.id = :study")
# The copies on which leads try their drafts have no members.
_ALL = text(f"""
    {_STUDIES} WHERE CASE WHEN CAST(:lead AS bigint) IS NOT NULL THEN m.role IS NOT NULL
      ELSE NOT EXISTS (SELECT FROM walk_throughs t WHERE t.copy_id = s.id) END
    ORDER BY s.created_at DESC, s.slug
""")


StepState = Literal["empty", "to do", "done"]


class Step(NamedTuple):
    """One step from a draft to an open study: the name of its page, its title, and its state."""

    key: str
    title: str
    state: StepState


class DraftSteps(NamedTuple):
    """The steps of a draft, whether it has ratings already, from a file, and whether its title is a file's name."""

    steps: tuple[Step, ...]
    has_ratings: bool
    is_title_guessed: bool = False


@dataclass(frozen=True, slots=True)
class StudyRow:
    """A study, without its texts. `draft` is known on pages of a study that was never opened."""

    id: int
    slug: str
    title: str
    status: Status
    protocol_version: int
    is_demo: bool
    created_at: datetime
    opened_at: datetime | None
    closed_at: datetime | None
    archived_at: datetime | None = None
    rater_token: str = ""
    keep_until: date | None = None
    deletion_announced_at: datetime | None = None
    role: Role | None = None
    draft: DraftSteps | None = None

    @property
    def deleted_from(self) -> datetime | None:
        """When the server deletes the study by itself, if that has been announced."""
        return None if self.deletion_announced_at is None else self.deletion_announced_at + DELETION_NOTICE

    @property
    def steps(self) -> tuple[Step, ...]:
        """The steps that pages show in place of tabs: those of a draft without ratings."""
        return self.draft.steps if self.draft and not self.draft.has_ratings else ()

    def may(self, right: str) -> bool:
        """Whether the lead for whom it was loaded has this right."""
        return may(self.role, Right(right))


def get_study(db: Connection, slug: str, lead_id: int | None = None) -> StudyRow | None:
    """The study with this slug, or None; with the role that this lead has in it."""
    row = db.execute(_ONE, {"slug": slug, "lead": lead_id}).one_or_none()
    return None if row is None else StudyRow(*row)


def get_study_by_id(db: Connection, study_id: int) -> StudyRow | None:
    """The study with this ID, or None."""
    row = db.execute(_BY_ID, {"study": study_id, "lead": None}).one_or_none()
    return None if row is None else StudyRow(*row)


def list_studies(db: Connection, lead_id: int | None = None) -> list[StudyRow]:
    """All studies, or those that one lead is a member of, newest first."""
    return [StudyRow(*row) for row in db.execute(_ALL, {"lead": lead_id})]


class StudyMissingError(LookupError):
    """No study has this slug."""


# Archive a study, restore it from the archive, or delete it with all its data.

_ARCHIVE = text("UPDATE studies SET archived_at = CASE WHEN :archived THEN now() END WHERE id = :study")
_KEEP = text("UPDATE studies SET keep_until = :day WHERE id = :study")
_GET_KEEP = text("SELECT keep_until FROM studies WHERE id = :study")
_OUTDATED = text("""
    SELECT id, slug, protocol_version, deletion_announced_at FROM studies
    WHERE keep_until < :today AND status IN ('draft', 'closed') ORDER BY id FOR UPDATE SKIP LOCKED
""")
_ANNOUNCE = text("UPDATE studies SET deletion_announced_at = :now WHERE id = :study")
_TAKE_BACK = text("""
    UPDATE studies SET deletion_announced_at = NULL
    WHERE deletion_announced_at IS NOT NULL AND id <> ALL(:outdated)
""")
_COUNT = text("""
    SELECT (SELECT count(*) FROM items WHERE study_id = :study) AS items,
           (SELECT count(*) FROM responses WHERE study_id = :study) AS responses,
           (SELECT count(*) FROM raters WHERE study_id = :study) AS raters,
           (SELECT count(*) FROM ratings WHERE study_id = :study) AS ratings,
           (SELECT count(*) FROM protocols WHERE study_id = :study) AS versions
""")
# In this order, so that references are deleted before their targets.
_DELETE = tuple(
    text(f"DELETE FROM {table} WHERE study_id = :study")  # noqa: S608 - names of tables
    for table in (
        "webhook_deliveries",
        "ratings",
        "events",
        "seats",
        "condition_seats",
        "admission_seats",
        "reported_problems",
        "assignments",
        "rating_sessions",
        "withdrawals",
        "trials",
        "responses",
    )
)
# Their addresses remain, to say that the study was deleted.
_SNAPSHOTS = text("UPDATE snapshots SET name = '', report = NULL, deleted_at = now() WHERE study_id = :study")
_STUDY = text("DELETE FROM studies WHERE id = :study")
_COPIES = text("SELECT copy_id FROM walk_throughs WHERE study_id = :study AND copy_id IS NOT NULL")


def record_archived(db: Connection, study_id: int, *, is_archived: bool) -> None:
    """Move a study to the archive or out of it."""
    db.execute(_ARCHIVE, {"study": study_id, "archived": is_archived})


def record_keep_until(db: Connection, study_id: int, day: date | None) -> None:
    """Until when the data are to be kept."""
    db.execute(_KEEP, {"study": study_id, "day": day})


def get_keep_until(db: Connection, study_id: int) -> date | None:
    """Until when the data are to be kept, if the lead said so."""
    day: date | None = db.execute(_GET_KEEP, {"study": study_id}).scalar_one()
    return day


@dataclass(frozen=True, slots=True)
class OutdatedStudy:
    """A study that collects no data and whose retention date has passed."""

    id: int
    slug: str
    protocol_version: int
    deletion_announced_at: datetime | None


def list_outdated(db: Connection, today: date) -> list[OutdatedStudy]:
    """The studies that collect no data and whose retention date is before `today`."""
    return [OutdatedStudy(*row) for row in db.execute(_OUTDATED, {"today": today})]


def announce_deletion(db: Connection, study_id: int, now: datetime) -> None:
    """Record that the server has said that it will delete the study."""
    db.execute(_ANNOUNCE, {"study": study_id, "now": now})


def take_back_announcements(db: Connection, outdated: Collection[int]) -> None:
    """Forget the announcements of all studies but these: they were opened again, or are to be kept for longer."""
    db.execute(_TAKE_BACK, {"outdated": [*outdated]})


def count_contents(db: Connection, study_id: int) -> dict[str, int]:
    """Number of items, responses, raters, ratings and versions of a study."""
    counts = db.execute(_COUNT, {"study": study_id}).mappings().one()
    return {name: int(n) for name, n in counts.items()}


def delete_study(db: Connection, study_id: int) -> None:
    """Delete a study with its texts, raters, answers and versions; its slug can be used again."""
    for copy_id in db.execute(_COPIES, {"study": study_id}).scalars().all():
        delete_copy(db, copy_id)
    db.execute(_SNAPSHOTS, {"study": study_id})
    delete_copy(db, study_id)


def delete_copy(db: Connection, study_id: int) -> None:
    """Delete a study of which no results were ever made, such as the copy of a walk-through."""
    for statement in (*_DELETE, _STUDY):
        db.execute(statement, {"study": study_id})


_EXCLUDED = text("""
    SELECT rater_id, reason FROM (
      SELECT DISTINCT ON (rater_id) rater_id, reason, is_excluded FROM rater_exclusions WHERE study_id = :study
      ORDER BY rater_id, id DESC
    ) AS last WHERE is_excluded
""")


def list_excluded(db: Connection, study_id: int) -> dict[int, str]:
    """The reason for each rater who is currently excluded, by rater ID."""
    return {row.rater_id: row.reason for row in db.execute(_EXCLUDED, {"study": study_id})}
