"""Problems that raters report to the lead: with the item of a trial, from its page, or from any other page."""

from datetime import datetime
from typing import NamedTuple

from sqlalchemy import Connection, text

from app.base.language.message import Message, message
from app.base.words import typed
from app.rating.seats.assignment_view import AssignmentView
from app.rating.sessions import RatingSession

MAX_CHARACTERS = 1000
MAX_PER_RATER = 20
# A second click stores nothing new.
_REPORT = text("""
    INSERT INTO reported_problems (study_id, rater_id, assignment_id, page, text)
    SELECT :study, :rater, CAST(:assignment AS bigint), CAST(:page AS text), CAST(:text AS text)
    WHERE NOT EXISTS (
      SELECT FROM reported_problems p
      WHERE p.study_id = :study AND p.rater_id = :rater AND p.assignment_id IS NOT DISTINCT FROM :assignment
        AND p.page IS NOT DISTINCT FROM :page AND p.text = :text)
""")
_COUNT = text("SELECT count(*) FROM reported_problems WHERE study_id = :study AND rater_id = :rater")
_LIST = text("""
    SELECT p.text, r.key, p.reported_at FROM reported_problems p
    JOIN raters r ON r.study_id = p.study_id AND r.id = p.rater_id
    JOIN assignments a ON a.study_id = p.study_id AND a.id = p.assignment_id
    JOIN trials t ON t.study_id = a.study_id AND t.id = a.trial_id
    WHERE p.study_id = :study AND t.item_id = :item ORDER BY p.id DESC
""")
_OF_PAGES = text("""
    SELECT p.text, r.key, p.reported_at, p.page FROM reported_problems p
    JOIN raters r ON r.study_id = p.study_id AND r.id = p.rater_id
    WHERE p.study_id = :study AND p.page IS NOT NULL ORDER BY p.id DESC LIMIT :most
""")
# The pages beside trials by their addresses, as their lead knows them.
PAGES = {
    "consent": "Consent form",
    "start": "Instructions",
    "comprehension": "Comprehension questions",
    "practice": "Practice",
    "questions": "Questionnaire",
    "attention": "Attention check",
    "messages": "Messages",
    "paused": "Pause",
    "wait": "Waiting for items",
    "debrief": "Debriefing",
}
OTHER = "other"
# The newest are listed; the export has all.
MAX_LISTED = 50


class ProblemError(ValueError):
    """The report was not stored; `words` says why, for the rater."""

    def __init__(self, words: Message) -> None:
        """`words`: what to do, in the language of the study."""
        super().__init__(words.text)
        self.words = words


class ReportedProblem(NamedTuple):
    """A problem as its lead sees it; `rater` is the pseudonym. `page`: where it was reported, if not with an item."""

    text: str
    rater: str
    reported_at: datetime
    page: str = ""

    @property
    def place(self) -> str:
        """The page in words."""
        return PAGES.get(self.page, "Another page")


def report_problem(db: Connection, session: RatingSession, words: str, where: AssignmentView | str) -> None:
    """Store what a rater reports about the item of a trial, or about the page with this name.

    Raises:
        ProblemError: no text, a text that is too long, or as many reports from this rater as are taken.
    """
    words = typed(words)
    if not words:
        raise ProblemError(message("Please describe the problem, then send it."))
    if len(words) > MAX_CHARACTERS:
        raise ProblemError(message("This text is too long: at most %(most)s characters.", most=MAX_CHARACTERS))
    who = {"study": session.study_id, "rater": session.rater_id}
    if db.execute(_COUNT, who).scalar_one() >= MAX_PER_RATER:
        raise ProblemError(
            message(
                "No more reports can be sent: the researchers have received your %(n)s.",
                n=MAX_PER_RATER,
            )
        )
    if isinstance(where, str):
        place: dict[str, object] = {"assignment": None, "page": where if where in PAGES else OTHER}
    else:
        place = {"assignment": where.id, "page": None}
    db.execute(_REPORT, who | place | {"text": words})


def list_reported_problems(db: Connection, study_id: int, item_id: int) -> list[ReportedProblem]:
    """What raters reported about an item, newest first."""
    return [ReportedProblem(*row) for row in db.execute(_LIST, {"study": study_id, "item": item_id})]


def list_problems_of_pages(db: Connection, study_id: int) -> list[ReportedProblem]:
    """What raters reported on pages that show no item, newest first."""
    return [ReportedProblem(*row) for row in db.execute(_OF_PAGES, {"study": study_id, "most": MAX_LISTED})]
