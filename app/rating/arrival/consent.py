"""Consent: the text that a rater agreed to is stored with its version and hash; who declines leaves no data behind."""

import hashlib

from sqlalchemy import Connection

from app.rating.arrival.arrivals import record_refusal
from app.rating.rater_path import current_step, protocol_of
from app.rating.sessions import NotHereError, RatingSession, record_step


def agree(db: Connection, session: RatingSession) -> None:
    """Record that the rater consents, with the version and the hash of the text that they read."""
    consent = protocol_of(db, session).flow.consent
    if consent and current_step(db, session) == "consent":
        sha256 = hashlib.sha256(consent.text.encode()).hexdigest()
        record_step(db, session, "consent", {"version": consent.version, "sha256": sha256})


def refuse(db: Connection, session: RatingSession) -> bool:
    """Delete a rater who does not consent; False if they have already consented.

    Raises:
        NotHereError: the browser has only the rater's ID.
    """
    if session.is_moved:
        raise NotHereError
    if current_step(db, session) != "consent":
        return False
    record_refusal(db, session)
    return True
