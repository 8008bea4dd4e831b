"""Whether the estimates of a study may be seen yet: a protocol can hide them until the study closes."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.design.protocol.study import Protocol
    from app.storage.studies.studies import StudyRow

HIDDEN = (
    "The estimates of this study are hidden until it closes, because its protocol says blind_interim. Progress, "
    "coverage, raters and the declared looks can be seen."
)


class BlindedError(Exception):
    """The estimates are hidden; the message says until when, and what can be seen."""

    def __init__(self) -> None:
        """The message is always the same."""
        super().__init__(HIDDEN)


def is_blinded(study: StudyRow, protocol: Protocol) -> bool:
    """Whether estimates, and files that tell ratings by source, are hidden now."""
    return protocol.monitoring.blind_interim and study.status != "closed"


def refuse_if_blinded(study: StudyRow, protocol: Protocol) -> None:
    """Refuse what is hidden.

    Raises:
        BlindedError: it is.
    """
    if is_blinded(study, protocol):
        raise BlindedError
