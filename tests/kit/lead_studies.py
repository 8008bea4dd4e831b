"""A small study of a lead, and data from its raters."""

from typing import Any

from sqlalchemy import Connection, text

from app.accounts.leads import Lead
from app.studies.members.members import record_member
from tests.kit.builder import build_study, protocol_of


def study_of(
    db: Connection,
    lead: Lead | None,
    *,
    slug: str = "small",
    title: str = "A small study",
    item_keys: tuple[str, ...] = ("exam", "voicemail"),
    **parts: Any,  # noqa: ANN401 - whatever a protocol takes
) -> int:
    """Create a draft with a human and a model response per item, and two raters per trial."""
    design = {"trials": "pairs", "raters_per_trial": 2} | parts.pop("design", {})
    protocol = protocol_of(slug, title=title, design=design, **parts)
    study_id = build_study(db, protocol, n_items=0, texts=[{"key": key} for key in item_keys])
    if lead is not None:
        record_member(db, study_id, lead.id, "owner")
    return study_id


def rate(
    db: Connection,
    study_id: int,
    *,
    rater: str,
    is_simulated: bool = False,
    state: str = "done",
    n_trials: int = 1,
    with_answer: bool = True,
) -> None:
    """Add a rater who was shown the study's first trials and left them in `state`."""
    rater_id = db.execute(
        text("INSERT INTO raters (study_id, key, is_simulated) VALUES (:study, :key, :simulated) RETURNING id"),
        {"study": study_id, "key": rater, "simulated": is_simulated},
    ).scalar_one()
    session_id = db.execute(
        text(
            "INSERT INTO rating_sessions (study_id, rater_id, token_hash, protocol_version, state, lease_expires_at)"
            " VALUES (:study, :rater, :token, 1, 'active', now() + interval '1 hour') RETURNING id"
        ),
        {"study": study_id, "rater": rater_id, "token": rater.encode()},
    ).scalar_one()
    assignment_ids = _assign(db, study_id, session_id, state, n_trials)
    if state == "done" and with_answer:
        _choose_the_left(db, assignment_ids)


def _assign(db: Connection, study_id: int, session_id: int, state: str, n_trials: int) -> list[int]:
    """Add assignments of the study's first trials to a session, and return their IDs."""
    added = db.execute(
        text(
            "INSERT INTO assignments (study_id, trial_id, rater_id, rating_session_id, position, response_ids, state,"
            " served_at, submitted_at)"
            " SELECT t.study_id, t.id, s.rater_id, s.id, row_number() OVER (ORDER BY t.id) - 1, t.response_ids,"
            " :state, now(), CASE WHEN :state = 'done' THEN now() END"
            " FROM trials t JOIN rating_sessions s ON s.id = :session"
            " WHERE t.study_id = :study ORDER BY t.id LIMIT :n RETURNING id"
        ),
        {"study": study_id, "session": session_id, "state": state, "n": n_trials},
    )
    return list(added.scalars())


def _choose_the_left(db: Connection, assignment_ids: list[int]) -> None:
    """Add the choice of the left response to each of these assignments."""
    db.execute(
        text(
            "INSERT INTO ratings (study_id, rater_id, assignment_id, question, item_id, outcome, chosen_response_id,"
            " left_response_id, right_response_id, side, rated_at)"
            " SELECT a.study_id, a.rater_id, a.id, 'preference', t.item_id, 'response', a.response_ids[1],"
            " a.response_ids[1], a.response_ids[2], 'left', now()"
            " FROM assignments a JOIN trials t ON t.id = a.trial_id WHERE a.id = ANY(:ids) ORDER BY a.id"
        ),
        {"ids": assignment_ids},
    )
