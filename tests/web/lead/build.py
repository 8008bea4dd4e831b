"""A small study of a lead, and data from its raters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import text

from app.storage.studies.members import record_member
from tests.builder import build_study, protocol_of

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from app.storage.leads.leads import Lead


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
    protocol = protocol_of(slug, title=title, design={"trials": "pairs", "raters_per_trial": 2}, **parts)
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
        text("INSERT INTO raters (study_id, key, is_simulated) VALUES (:s, :key, :simulated) RETURNING id"),
        {"s": study_id, "key": rater, "simulated": is_simulated},
    ).scalar_one()
    session_id = db.execute(
        text(
            "INSERT INTO rating_sessions (study_id, rater_id, token_hash, protocol_version, state, lease_expires_at)"
            " VALUES (:s, :r, :token, 1, 'active', now() + interval '1 hour') RETURNING id"
        ),
        {"s": study_id, "r": rater_id, "token": rater.encode()},
    ).scalar_one()
    trials = db.execute(
        text("SELECT id, item_id, response_ids FROM trials WHERE study_id = :s ORDER BY id LIMIT :n"),
        {"s": study_id, "n": n_trials},
    ).all()
    for position, (trial_id, item_id, response_ids) in enumerate(trials):
        assignment_id = db.execute(
            text(
                "INSERT INTO assignments (study_id, trial_id, rater_id, rating_session_id, position, response_ids,"
                " state, served_at, submitted_at) VALUES (:s, :t, :r, :session, :position, :responses, :state,"
                " now(), CASE WHEN :state = 'done' THEN now() END) RETURNING id"
            ),
            {
                "s": study_id,
                "t": trial_id,
                "r": rater_id,
                "session": session_id,
                "position": position,
                "responses": response_ids,
                "state": state,
            },
        ).scalar_one()
        if state == "done" and with_answer:
            db.execute(
                text(
                    "INSERT INTO ratings (study_id, rater_id, assignment_id, question, item_id, outcome,"
                    " chosen_response_id, left_response_id, right_response_id, side, rated_at)"
                    " VALUES (:s, :r, :a, 'preference', :i, 'response', :left, :left, :right, 'left', now())"
                ),
                {
                    "s": study_id,
                    "r": rater_id,
                    "a": assignment_id,
                    "i": item_id,
                    "left": response_ids[0],
                    "right": response_ids[1],
                },
            )
