"""Whether the estimates of a study may be seen yet: a protocol can hide them until the study closes."""

from app.base.problem import BlindedError
from app.protocol.study import Protocol
from app.studies.studies import StudyRow


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
