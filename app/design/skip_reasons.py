"""Skipping: the reasons for which a rater may pass a trial by."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.design.protocol.study import Protocol

CONTENT_NOTE = "content note"


def skip_reasons(protocol: Protocol, *, has_note: bool) -> tuple[str, ...]:
    """The reasons that a rater may give at a trial; without any it cannot be skipped.

    Args:
        protocol: the study.
        has_note: whether the item bears a content note: a warning that nobody may heed would be none, so that this
            one is always a reason.
    """
    return (*protocol.flow.skip_reasons, *([CONTENT_NOTE] if has_note else []))
