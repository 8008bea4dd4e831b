"""Whether the estimates of a study may be seen yet: a protocol can hide them until the study closes."""

from app.base.database.engine import Begin
from app.base.problem import BlindedError
from app.protocol.study import Protocol
from app.studies.protocols import get_protocol
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


def readable(begin: Begin, study: StudyRow) -> Protocol:
    """The protocol of a study whose answers may be downloaded.

    Raises:
        BlindedError: they are hidden until the study closes.
    """
    with begin() as db:
        protocol = get_protocol(db, study.id, study.protocol_version)
    refuse_if_blinded(study, protocol)
    return protocol
