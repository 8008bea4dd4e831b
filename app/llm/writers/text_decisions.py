"""What a person decides about a text that a model wrote."""

from sqlalchemy import Connection

from app.accounts.leads import Lead
from app.llm.outcomes import Decision
from app.llm.runs.runs import RunRow
from app.llm.writers.texts import TextRow, record_decision


class UndecidedError(ValueError):
    """The texts cannot be decided or used in this way; the message says why."""


def decide_text(
    db: Connection, run: RunRow, row: TextRow, lead: Lead, decision: Decision, edited: str | None = None
) -> None:
    """Store what a person decided about a text. An edit that changes nothing accepts the text.

    Raises:
        UndecidedError: the edited text is empty, or the text is a response of the study already.
    """
    words = (edited or "").replace("\r\n", "\n").strip()
    if decision == "edited" and not words:
        raise UndecidedError("The edited text is empty. To leave the text out, reject it.")
    if decision == "edited" and words == row.text.replace("\r\n", "\n").strip():
        decision = "accepted"
    if not record_decision(db, run, row.id, decision, words if decision == "edited" else None, lead.id):
        raise UndecidedError("This text is already a response in the study.")
