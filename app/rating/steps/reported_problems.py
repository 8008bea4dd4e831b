"""Problems with items that raters report to the lead from the page of a trial."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from sqlalchemy import Connection, text

from app.base.language.message import Message, message
from app.rating.seats.assignment_view import AssignmentView

MAX_CHARACTERS = 1000
MAX_PER_RATER = 20
# A second click stores nothing new.
_REPORT = text("""
    INSERT INTO reported_problems (study_id, rater_id, assignment_id, text)
    SELECT :study, :rater, :assignment, CAST(:text AS text)
    WHERE NOT EXISTS (
      SELECT FROM reported_problems p
      WHERE p.study_id = :study AND p.rater_id = :rater AND p.assignment_id = :assignment AND p.text = :text)
""")
_COUNT = text("SELECT count(*) FROM reported_problems WHERE study_id = :study AND rater_id = :rater")
_LIST = text("""
    SELECT p.text, r.key, p.reported_at FROM reported_problems p
    JOIN raters r ON r.study_id = p.study_id AND r.id = p.rater_id
    JOIN assignments a ON a.study_id = p.study_id AND a.id = p.assignment_id
    JOIN trials t ON t.study_id = a.study_id AND t.id = a.trial_id
    WHERE p.study_id = :study AND t.item_id = :item ORDER BY p.id DESC
""")


class ProblemError(ValueError):
    """The report was not stored; `words` says why, for the rater."""

    def __init__(self, words: Message) -> None:
        """`words`: what to do, in the language of the study."""
        super().__init__(words.text)
        self.words = words


class ReportedProblem(NamedTuple):
    """A problem with an item as its lead sees it; `rater` is the pseudonym."""

    text: str
    rater: str
    reported_at: datetime


def report_problem(db: Connection, view: AssignmentView, words: str) -> None:
    """Store what the rater of a trial, whose rating session is locked, reports about its item.

    Raises:
        ProblemError: no text, a text that is too long, or as many reports from this rater as are taken.
    """
    words = words.replace("\r\n", "\n").strip()
    if not words:
        raise ProblemError(message("Please describe the problem, then send it."))
    if len(words) > MAX_CHARACTERS:
        raise ProblemError(message("This text is too long: at most %(most)s characters.", most=MAX_CHARACTERS))
    who = {"study": view.study_id, "rater": view.rater_id}
    if db.execute(_COUNT, who).scalar_one() >= MAX_PER_RATER:
        raise ProblemError(
            message(
                "No more reports can be sent: the researchers have received your %(n)s.",
                n=MAX_PER_RATER,
            )
        )
    db.execute(_REPORT, who | {"assignment": view.id, "text": words})


def list_reported_problems(db: Connection, study_id: int, item_id: int) -> list[ReportedProblem]:
    """What raters reported about an item, newest first."""
    return [ReportedProblem(*row) for row in db.execute(_LIST, {"study": study_id, "item": item_id})]
