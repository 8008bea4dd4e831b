"""What a rater writes before the questions, as it is drawn where nothing can be sent: for its lead, and in previews."""

from typing import Any

from app.protocol.study import Protocol
from app.rating.conversations.conversation_page import conversation_context
from app.rating.conversations.draft_page import draft_context
from app.rating.conversations.drafts import DraftText, example_draft
from app.rating.conversations.turns import Talk, example_talk
from app.rating.seats.assignment_view import AssignmentView


def shown_writing(protocol: Protocol, view: AssignmentView, written: Talk | DraftText) -> tuple[str, dict[str, Any]]:
    """The template and its context."""
    if isinstance(written, DraftText):
        return "draft.html", draft_context(protocol, view, written)
    is_waiting = written.room is not None and not written.room.is_paired
    return "waiting_room.html" if is_waiting else "converse.html", conversation_context(protocol, view, written)


def example_writing(protocol: Protocol, view: AssignmentView, condition: str) -> tuple[str, dict[str, Any]]:
    """The same as it begins in a condition."""
    written = example_talk(protocol, condition) if protocol.conversation else example_draft(protocol, condition)
    return shown_writing(protocol, view, written)
