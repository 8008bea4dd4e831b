"""The steps from a draft to an open study, each with its true state."""

from collections.abc import Collection
from dataclasses import replace

from sqlalchemy import Connection, text

from app.base.files.file_names import title_of
from app.protocol.opening import placeholders
from app.protocol.study import Protocol
from app.studies.editor.protocol_edits import get_draft
from app.studies.editor.sections import section_of
from app.studies.protocols import get_protocol
from app.studies.studies import DraftSteps, Step, StepState, StudyRow

# The step with which a problem on a page of the design is solved; pages that are not named belong to the last step.
_STEPS = {
    "study": "questions",
    "sources": "questions",
    "questions": "questions",
    "questionnaires": "questions",
    "checks": "questions",
    "practice": "questions",
    "conditions": "questions",
    "consent": "consent",
    "assignment": "assignment",
    "analysis": "analysis",
    "recruitment": "recruitment",
}
_LAST = "coverage"
# An edit without problems is the version that raters get; so the last edit has problems if it differs.
_KNOWN = text("""
    SELECT p.sha256, EXISTS (SELECT FROM items i WHERE i.study_id = s.id) AS has_texts,
           EXISTS (SELECT FROM ratings r WHERE r.study_id = s.id) AS has_ratings,
           (SELECT u.file_name FROM text_uploads u WHERE u.study_id = s.id AND u.used_at IS NOT NULL) AS file_name,
           coalesce((SELECT e.yaml <> p.yaml FROM protocol_edits e WHERE e.study_id = s.id
                     ORDER BY e.number DESC LIMIT 1), false) AS has_problems
    FROM studies s JOIN protocols p ON p.study_id = s.id AND p.version = s.protocol_version WHERE s.id = :study
""")


def with_steps(db: Connection, study: StudyRow) -> StudyRow:
    """The study with the steps of its draft; an opened study unchanged."""
    if study.opened_at is not None:
        return study
    known = db.execute(_KNOWN, {"study": study.id}).one()
    protocol = get_protocol(db, study.id, study.protocol_version, known.sha256)
    wrong = {_step_of(one.column or "") for one in get_draft(db, study).problems} if known.has_problems else set()
    steps = steps_of(protocol, has_texts=known.has_texts, wrong=wrong)
    is_title_guessed = known.file_name is not None and title_of(known.file_name) == study.title
    return replace(study, draft=DraftSteps(steps, known.has_ratings, is_title_guessed))


def steps_of(protocol: Protocol, *, has_texts: bool, wrong: Collection[str] = ()) -> tuple[Step, ...]:
    """The steps with their states.

    Args:
        protocol: what raters would get.
        has_texts: whether there are items.
        wrong: the steps with a problem in the draft.
    """
    states: dict[str, tuple[str, StepState]] = {
        "start": ("Start", "done"),
        "texts": ("Texts", "done" if has_texts else "empty"),
        "questions": ("Questions", "done" if protocol.questions else "empty"),
        "consent": ("Consent", "done" if protocol.flow.consent else "empty"),
        "assignment": ("Trials", "done" if has_texts else "empty"),
        "analysis": ("Analysis", "done" if protocol.analysis.primary else "to do"),
        "recruitment": ("Recruitment", _recruitment(protocol)),
        _LAST: ("Check and open", "to do"),
    }
    left = {*wrong, *map(_step_of, placeholders(protocol).values())}
    return tuple(Step(key, title, "to do" if key in left else state) for key, (title, state) in states.items())


def _recruitment(protocol: Protocol) -> StepState:
    platform, completion = protocol.recruitment.platform, protocol.completion
    if platform is None and protocol.design.links != "personal":
        return "empty"
    return "to do" if platform == "prolific" and not (completion.code or completion.url) else "done"


def _step_of(path: str) -> str:
    section = section_of(path)
    return _STEPS.get(section.key, _LAST) if section else _LAST
