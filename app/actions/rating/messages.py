"""A lead writes to raters: plain text that names no source of a blind study, noted in the audit log."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.design.opening.blinding import sources_named
from app.storage.leads.audit import record_act
from app.storage.raters.messages import record_message
from app.storage.studies.protocols import get_protocol

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from app.storage.leads.leads import Lead
    from app.storage.studies.studies import StudyRow

LONGEST_MESSAGE = 2000


class MessageError(ValueError):
    """The message cannot be sent; the sentence says why."""


def send_message(db: Connection, study: StudyRow, lead: Lead, words: str, *, rater: str = "") -> int:
    """Send a message to one rater, by pseudonym, or to all with an open session; returns to how many.

    Raises:
        MessageError: no usable text, a text that names a model of a blind study, or no rater to send it to.
    """
    words = words.replace("\r\n", "\n").strip()
    if not words or len(words) > LONGEST_MESSAGE or not all(one.isprintable() or one in "\n\t" for one in words):
        raise MessageError(f"Write a message of 1 to {LONGEST_MESSAGE:,} characters of plain text.")
    if named := sources_named(get_protocol(db, study.id, study.protocol_version), words):
        raise MessageError(f"The message names {', '.join(named)}. This study is blind: remove what reveals a source.")
    n_raters = record_message(db, study.id, words, lead_id=lead.id, rater=rater.strip() or None)
    if not n_raters:
        raise MessageError(
            f"No rater {rater.strip()} has an open session. Only raters who have not finished can receive messages."
            if rater.strip()
            else "No rater has an open session at the moment."
        )
    # Without the words: they may be about a person, and the log outlives the deletion of that person's data.
    record_act(db, lead, study, "message to raters sent", rater=rater.strip(), n_raters=n_raters)
    return n_raters
