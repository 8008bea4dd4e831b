"""A rater from Prolific who takes too long there, or returns the submission, and perhaps comes back."""

from collections.abc import Callable

import pytest
from sqlalchemy import Engine, text

from app.rating.prolific.approvals import Submission, submissions_of, with_statuses
from app.rating.review.exclusions import list_identities, list_platform_parameters
from app.rating.review.rater_review import review
from app.rating.review.rater_rows import list_rater_rows
from app.studies.protocols import get_protocol
from tests.kit.prolific_server import prolific_server
from tests.kit.rater_pages import Visitor, heading

FINISHED = "You have finished. Thank you."
CODES = {"code": "D0NE", "otherwise": {"full": {"code": "FULL1"}}}


def two_hours_later(engine: Engine) -> None:
    with engine.begin() as db:
        db.execute(
            text(
                "UPDATE rating_sessions SET last_seen_at = last_seen_at - interval '2 hours',"
                " lease_expires_at = lease_expires_at - interval '2 hours' WHERE state <> 'finished'"
            )
        )


def n_rated(engine: Engine) -> dict[str, int]:
    """The number of items that each rater rated, as ratings.csv has them: with no reason to leave them out."""
    with engine.connect() as db:
        rows = db.execute(
            text("SELECT key, count(DISTINCT item_id) AS n FROM ratings JOIN raters r ON r.id = rater_id GROUP BY key")
        )
        return {row.key: row.n for row in rows}


def on_prolific(engine: Engine, study_id: int, **statuses: str) -> dict[str, Submission]:
    """Each rater's submission, by participant ID, with its status on Prolific."""
    with engine.connect() as db:
        ids = {key: one for key, _, one in list_identities(db, study_id)}
        sessions = list_platform_parameters(db, study_id, "prolific", "SESSION_ID")
        studies = list_platform_parameters(db, study_id, "prolific", "STUDY_ID")
        reviewed = review(get_protocol(db, study_id, 1), list_rater_rows(db, study_id))
    found = submissions_of(reviewed, ids, sessions, studies)
    with prolific_server() as server:
        server.statuses = {sessions[who]: status for who, status in statuses.items()}
        return {ids[one.rater]: one for one in with_statuses(server.client(), found)}


def test_rater_who_times_out_leaves_their_trial_to_another_and_their_answers_stay(
    engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    study_id = study(n_items=2, design={"raters_per_trial": 1, "trials_per_rater": 2}, completion=CODES)
    anna, ben = visitor(), visitor()
    anna.rate(anna.begin("anna"))
    now = on_prolific(engine, study_id, anna="ACTIVE")["anna"]
    assert (now.suggestion, now.advice) == ("wait", "")
    two_hours_later(engine)
    timed_out = on_prolific(engine, study_id, anna="TIMED-OUT")["anna"]
    assert (timed_out.suggestion, timed_out.reason) == ("return", "did not finish")
    assert timed_out.advice.startswith("Nothing to do: Prolific has ended this submission")
    page = ben.rate(ben.begin("ben"))
    assert heading(page) == FINISHED
    # All trials are rated now: she finishes with what she did, and gets the code.
    page = anna.arrive("anna")
    assert (heading(page), "D0NE" in page.text) == (FINISHED, True)
    late = on_prolific(engine, study_id, anna="TIMED-OUT", ben="AWAITING REVIEW")
    assert late["ben"].can_be_approved
    assert (late["anna"].suggestion, late["anna"].can_be_approved) == ("approve", False)
    assert late["anna"].reason == "finished the study without 1 trial that others took over"
    assert late["anna"].advice.startswith("Finished here after Prolific's time limit")
    assert n_rated(engine) == {late["anna"].rater: 1, late["ben"].rater: 1}


def test_rater_who_comes_back_in_time_keeps_their_trials(
    engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    study_id = study(n_items=2, design={"raters_per_trial": 1, "trials_per_rater": 2}, completion=CODES)
    anna = visitor()
    anna.rate(anna.begin("anna"))
    two_hours_later(engine)
    page = anna.rate(anna.arrive("anna"))
    assert heading(page) == FINISHED
    found = on_prolific(engine, study_id, anna="AWAITING REVIEW")["anna"]
    assert (found.reason, found.can_be_approved, found.advice) == ("finished the study", True, "")
    assert n_rated(engine) == {found.rater: 2}


@pytest.mark.parametrize(
    ("has_finished", "status", "advice"),
    [
        (True, "RETURNED", "Finished here, but returned on Prolific"),
        (True, "ACTIVE", "Finished here, but not submitted on Prolific yet"),
        (True, "APPROVED", ""),
        (False, "RETURNED", "Nothing to do"),
        (False, "AWAITING REVIEW", "Submitted on Prolific, but not finished here"),
        (False, "ACTIVE", ""),
    ],
)
def test_status_on_prolific_says_what_is_left_to_do(
    engine: Engine,
    study: Callable[..., int],
    visitor: Callable[[], Visitor],
    has_finished: bool,  # noqa: FBT001
    status: str,
    advice: str,
) -> None:
    study_id = study(n_items=1, completion=CODES)
    anna = visitor()
    page = anna.begin("anna")
    if has_finished:
        anna.rate(page)
    found = on_prolific(engine, study_id, anna=status)["anna"]
    assert not found.can_be_approved
    assert found.advice.startswith(advice) if advice else not found.advice
