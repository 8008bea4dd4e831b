"""The declared looks of a running study, computed in a process of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.actions.results.blinding import is_blinded
from app.actions.side_process import SideProcess
from app.analysis.monitoring import Monitored, monitored, progress_sentences
from app.storage.results.frames import study_frames
from app.storage.studies.protocols import get_protocol

if TYPE_CHECKING:
    from app.analysis.data.frames import Frames
    from app.design.protocol.study import Protocol
    from app.storage.database.engine import Begin
    from app.storage.studies.studies import StudyRow

    Job = tuple[Frames, Protocol]

REST_S = 300
TIMEOUT_S = 120


def look(job: Job) -> Monitored | None:
    """Return `analysis.monitoring.monitored`, computed in that process."""
    return monitored(*job)


# One for each web process.
MONITORING_PROCESS = SideProcess(look, name="attune-monitoring", rest_s=REST_S)


def monitoring_lines(begin: Begin, study: StudyRow) -> list[str]:
    """Progress and looks of a stored study in sentences; empty where its protocol declares none.

    Nothing but whether a bound was crossed leaves this function: no estimate does.

    Raises:
        SideProcessError: the process is gone, or took too long.
    """
    with begin() as db:
        protocol = get_protocol(db, study.id, study.protocol_version)
        if not protocol.monitoring.looks:
            return []
        frames = study_frames(db, study.id)
    state: Monitored | None = MONITORING_PROCESS.ask((frames, protocol), timeout_s=TIMEOUT_S)
    return progress_sentences(state, is_blinded=is_blinded(study, protocol)) if state else []
