"""Editing a study's protocol: a draft that is saved at every step, and the version published from it."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, text

from app.accounts.leads import Lead
from app.base.files.yaml_tree import read_yaml
from app.base.problem import Problem
from app.base.problems import Problems
from app.base.words import counted
from app.protocol.changes import change_problems
from app.protocol.opening import placeholders
from app.protocol.study import Protocol
from app.protocol.yaml.edited_yaml import edited_yaml
from app.protocol.yaml.study_yaml import FILE, add_broken, read_protocol
from app.studies.editor.nodes import Data
from app.studies.opening_checks import OpeningError, check_declared, check_help_lines, check_placeholders
from app.studies.protocols import (
    answered_questions,
    get_protocol,
    list_versions,
    rated_conditions,
    record_version,
    used_sources,
)
from app.studies.studies import StudyRow

# The protocol as leads edit it: each save is a row, and the last one is the draft.

# Number of saves kept, so that a page that was open for a long time can still be saved.
N_KEPT = 200
_LOCK = text("SELECT id FROM studies WHERE id = :study FOR UPDATE")
_GET = text("""
    SELECT e.number, e.yaml, e.lead_id, l.email, e.edited_at FROM protocol_edits e LEFT JOIN leads l ON l.id = e.lead_id
    WHERE e.study_id = :study AND e.number = :number
""")
_LAST = text("SELECT max(number) FROM protocol_edits WHERE study_id = :study")
_RECORD = text("""
    INSERT INTO protocol_edits (study_id, number, yaml, lead_id) VALUES (:study, :number, :yaml, :lead)
""")
_TWO_TEXTS = text("""
    SELECT p.yaml, (SELECT e.yaml FROM protocol_edits e WHERE e.study_id = s.id ORDER BY e.number DESC LIMIT 1)
    FROM studies s JOIN protocols p ON p.study_id = s.id AND p.version = s.protocol_version WHERE s.id = :study
""")
_PRUNE = text("DELETE FROM protocol_edits WHERE study_id = :study AND number <= :number")


@dataclass(frozen=True, slots=True)
class EditRow:
    """One save. `email` is None if the lead no longer exists."""

    number: int
    yaml: str
    lead_id: int | None
    email: str | None
    edited_at: datetime


def lock_edits(db: Connection, study_id: int) -> None:
    """Prevent others from saving until this transaction ends."""
    db.execute(_LOCK, {"study": study_id})


def get_last_edit(db: Connection, study_id: int) -> EditRow | None:
    """The last save; None if nothing has been edited yet."""
    number = db.execute(_LAST, {"study": study_id}).scalar_one()
    return get_edit(db, study_id, number) if number is not None else None


def get_edit(db: Connection, study_id: int, number: int) -> EditRow | None:
    """The save with this number, or None."""
    row = db.execute(_GET, {"study": study_id, "number": number}).one_or_none()
    return None if row is None else EditRow(*row)


def has_waiting_change(db: Connection, study_id: int) -> bool:
    """Whether the draft says something else than the version that new raters get, not only in another layout."""
    published, draft = db.execute(_TWO_TEXTS, {"study": study_id}).one()
    return draft not in (None, published) and _content(draft) != _content(published)


def record_edit(db: Connection, study_id: int, number: int, yaml: str, lead_id: int) -> None:
    """Store a save; very old ones are deleted."""
    db.execute(_RECORD, {"study": study_id, "number": number, "yaml": yaml, "lead": lead_id})
    db.execute(_PRUNE, {"study": study_id, "number": number - N_KEPT})


@dataclass(frozen=True, slots=True)
class Edit:
    """The protocol as it is being edited.

    `number` counts the saves, 0 if nothing has been edited yet. `data` is the content of the file. `protocol` is None
    while there are problems. `published` is the text of the version that new raters get.
    """

    number: int
    yaml: str
    data: Data
    protocol: Protocol | None
    problems: tuple[Problem, ...]
    published: str
    last: EditRow | None = None

    @property
    def is_changed(self) -> bool:
        """Whether the draft differs from what new raters get."""
        return self.yaml != self.published


@dataclass(frozen=True, slots=True)
class Change:
    """A change to the protocol: a function that selects the part it affects, and one that applies it to the data."""

    part: Callable[[Data], object]
    apply: Callable[[Data], Data]


class EditConflictError(Exception):
    """Someone else changed the same part in the meantime. Nothing was saved."""

    def __init__(self, base: str, mine: str, last: EditRow) -> None:
        """`base`: the common starting point. `mine`: this lead's text. `last`: the other lead's save."""
        super().__init__(f"edit {last.number} is in the way")
        self.base, self.mine, self.last = base, mine, last


class UnreadableEditError(ValueError):
    """The text is not a study.yaml. Nothing was saved."""

    def __init__(self, problems: list[Problem]) -> None:
        """Store the problems."""
        super().__init__(f"{len(problems)} problems")
        self.problems = problems


def get_draft(db: Connection, study: StudyRow) -> Edit:
    """The current draft of a study's protocol."""
    published = list_versions(db, study.id)[0].yaml
    last = get_last_edit(db, study.id)
    return _edit(db, study, last.yaml if last else published, published, last)


def check_draft(db: Connection, study: StudyRow) -> None:
    """Reject the opening of a study whose draft has problems: raters would get the version before the last edits.

    Raises:
        OpeningError: with the number of problems.
    """
    n_problems = len(get_draft(db, study).problems) if study.opened_at is None else 0
    if n_problems:
        raise OpeningError(
            f"The design has {counted(n_problems, 'problem')}, and raters would get it as it was before. "
            "Solve what the Design page lists, then open the study."
        )


def save_change(db: Connection, study: StudyRow, lead: Lead, number: int, change: Change) -> Edit:
    """Save a change that was made to the save with that number.

    If someone else has saved another part since then, both changes are kept. In a study that was never opened, a draft
    without problems immediately becomes what raters will get.

    Raises:
        EditConflictError: someone else has changed the same part.
    """
    lock_edits(db, study.id)
    draft = get_draft(db, study)
    base = draft if number == draft.number else _at(db, study, number, draft)
    theirs = _ordered(change.part(draft.data))
    if draft.last and _ordered(change.part(base.data)) != theirs:
        mine = change.apply(base.data)
        if _ordered(change.part(mine)) == theirs or _ordered(mine) == _ordered(base.data):
            return draft
        raise EditConflictError(base.yaml, edited_yaml(base.yaml, mine), draft.last)
    data = change.apply(draft.data)
    if _ordered(data) == _ordered(draft.data):
        return draft
    return _save(db, study, lead, draft, edited_yaml(draft.yaml, data))


def _content(yaml: str) -> object:
    tree = read_yaml(FILE, yaml, Problems())
    return _ordered(tree.data if tree else None)


def _ordered(value: object) -> object:
    """The content of study.yaml so that mappings in another order differ, as forms can move their entries."""
    if isinstance(value, dict):
        return [(key, _ordered(below)) for key, below in value.items()]
    return [_ordered(below) for below in value] if isinstance(value, list | tuple) else value


def save_text(db: Connection, study: StudyRow, lead: Lead, number: int, yaml: str) -> Edit:
    """Save a whole study.yaml.

    Raises:
        EditConflictError: someone else has saved since then.
        UnreadableEditError: the text is not YAML, or contains nothing that a form could show.
    """
    lock_edits(db, study.id)
    draft = get_draft(db, study)
    if yaml == draft.yaml:
        return draft
    if number != draft.number and draft.last:
        raise EditConflictError(_at(db, study, number, draft).yaml, yaml, draft.last)
    problems = Problems()
    tree = read_yaml(FILE, yaml, problems)
    if tree is not None and not isinstance(tree.data, dict):
        problems.add(FILE, 1, None, "no keys", "attune, slug, title, sources, questions ...")
    if found := problems.list_of(FILE):
        raise UnreadableEditError(found)
    return _save(db, study, lead, draft, yaml)


def publish(db: Connection, study: StudyRow, as_written: Collection[str] = ()) -> int:
    """Create a version from the draft: new raters get it from now on, and raters who have started keep theirs.

    Args:
        db: a connection in a transaction.
        study: the study.
        as_written: placeholders that raters should read as they are, besides those of the version that they get now.

    Returns:
        The number of the version.

    Raises:
        UnreadableEditError: the draft has problems.
        UnfilledError: the draft has other placeholders.
        OpeningError: the draft counts how raters type, and its consent form does not declare it; or nobody has checked
            its help lines within a year.
    """
    lock_edits(db, study.id)
    draft = get_draft(db, study)
    if draft.protocol is None:
        raise UnreadableEditError(list(draft.problems))
    if not draft.is_changed:
        return study.protocol_version
    if study.opened_at is not None:
        now = get_protocol(db, study.id, study.protocol_version)
        check_placeholders(draft.protocol, {*as_written, *placeholders(now)})
        check_declared(draft.protocol)
        check_help_lines(draft.protocol)
    version = study.protocol_version + 1
    record_version(db, study.id, version, draft.protocol, draft.yaml)
    return version


def _at(db: Connection, study: StudyRow, number: int, draft: Edit) -> Edit:
    """The draft at the save with this number; if it has been deleted, the published version."""
    row = get_edit(db, study.id, number)
    yaml = row.yaml if row else list_versions(db, study.id)[0].yaml
    return _edit(db, study, yaml, draft.published, row)


def _save(db: Connection, study: StudyRow, lead: Lead, draft: Edit, yaml: str) -> Edit:
    if draft.last is None:
        # Store what the first save started from, because another lead may already have had the page open.
        record_edit(db, study.id, 0, draft.yaml, lead.id)
    record_edit(db, study.id, draft.number + 1, yaml, lead.id)
    edit = _edit(db, study, yaml, draft.published, get_last_edit(db, study.id))
    if edit.protocol is not None and study.opened_at is None:
        record_version(db, study.id, study.protocol_version, edit.protocol, yaml)
    return edit


def _edit(db: Connection, study: StudyRow, yaml: str, published: str, last: EditRow | None) -> Edit:
    problems = Problems()
    tree = read_yaml(FILE, yaml, problems)
    protocol = read_protocol(yaml, problems) if tree is not None else None
    if protocol is not None and tree is not None:
        now = get_protocol(db, study.id, study.protocol_version)
        for broken in change_problems(
            now,
            protocol,
            answered=answered_questions(db, study.id),
            used=used_sources(db, study.id),
            rated=rated_conditions(db, study.id) if now.conditions else (),
            was_opened=study.opened_at is not None,
        ):
            add_broken(broken, tree, problems)
    found = tuple(problems.list_of(FILE))
    data = tree.data if tree is not None and isinstance(tree.data, dict) else {}
    return Edit(last.number if last else 0, yaml, data, None if found else protocol, found, published, last)
