"""What one rater was shown, in their order, and what they answered on each page."""

from dataclasses import dataclass, replace
from datetime import datetime

from sqlalchemy import Connection, text

from app.rating.preview.preview import example_view
from app.rating.seats.assignment_view import AssignmentView

_TRIALS = text("""
    SELECT a.id, a.position, i.key AS item, t.condition, t.purpose, a.repeat, a.state, a.skip_reason, a.served_at,
           a.submitted_at, a.active_ms, count(r.id) AS n_answers
    FROM assignments a
    JOIN trials t ON t.study_id = a.study_id AND t.id = a.trial_id
    JOIN items i ON i.study_id = t.study_id AND i.id = t.item_id
    LEFT JOIN ratings r ON r.study_id = a.study_id AND r.assignment_id = a.id
    WHERE a.study_id = :study AND a.rater_id = :rater AND a.served_at IS NOT NULL
    GROUP BY a.study_id, a.id, t.study_id, t.id, i.study_id, i.id
    ORDER BY a.rating_session_id, a.position
""")
_PAGE = text("""
    SELECT t.item_id, t.condition, a.response_ids, a.shown_labels, a.n_turns_done, s.protocol_version,
           (SELECT m.role FROM dyad_members m WHERE m.study_id = a.study_id AND m.assignment_id = a.id) AS role,
           (SELECT coalesce(jsonb_agg(to_jsonb(r)), '[]') FROM ratings r
            WHERE r.study_id = a.study_id AND r.assignment_id = a.id) AS answers
    FROM assignments a
    JOIN trials t ON t.study_id = a.study_id AND t.id = a.trial_id
    JOIN rating_sessions s ON s.study_id = a.study_id AND s.id = a.rating_session_id
    WHERE a.study_id = :study AND a.rater_id = :rater AND a.id = :assignment
""")


@dataclass(frozen=True, slots=True)
class SeenTrial:
    """A trial that the rater was shown. `id` is that of the assignment; `n_answers` counts drafts too."""

    id: int
    position: int
    item: str
    condition: str
    purpose: str
    repeat: int
    state: str
    skip_reason: str | None
    served_at: datetime
    submitted_at: datetime | None
    active_ms: int | None
    n_answers: int

    @property
    def seconds(self) -> float | None:
        """Time spent on the page, without the time in which it was hidden."""
        return None if self.active_ms is None else self.active_ms / 1000


def list_seen_trials(db: Connection, study_id: int, rater_id: int) -> list[SeenTrial]:
    """The trials that a rater was shown, in the order of their pages."""
    found = db.execute(_TRIALS, {"study": study_id, "rater": rater_id})
    return [SeenTrial(**row) for row in found.mappings()]


def get_seen_page(db: Connection, study_id: int, rater_id: int, trial: SeenTrial) -> tuple[int, AssignmentView]:
    """The version of the protocol, and the page of a trial with its responses in the rater's order and all answers."""
    row = db.execute(_PAGE, {"study": study_id, "rater": rater_id, "assignment": trial.id}).one()
    view = example_view(
        db,
        study_id,
        item_id=row.item_id,
        response_ids=row.response_ids,
        condition=row.condition,
        shown_labels=tuple(row.shown_labels or [None] * len(row.response_ids)),
    )
    return row.protocol_version, replace(view, n_turns_done=row.n_turns_done, answers=row.answers, role=row.role)
