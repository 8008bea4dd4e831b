"""The reasons for which a rater may skip a trial."""

from __future__ import annotations

from app.protocol.study import Protocol

CONTENT_NOTE = "content note"


def skip_reasons(protocol: Protocol, *, has_note: bool) -> tuple[str, ...]:
    """The reasons a rater may give for skipping a trial; without any, it cannot be skipped.

    Args:
        protocol: the study.
        has_note: whether the item has a content note. Raters must be able to act on the warning, so it is always a
            valid reason.
    """
    return (*protocol.flow.skip_reasons, *([CONTENT_NOTE] if has_note else []))
