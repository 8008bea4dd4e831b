"""The declared looks of a running study, computed in a process of their own."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import TYPE_CHECKING

from app.base.processes.side_process import SideProcess, SideProcessTimeoutError
from app.results.blinding import is_blinded
from app.studies.protocols import get_protocol

if TYPE_CHECKING:
    from app.analysis.data.frames import Frames
    from app.analysis.monitoring import Monitored
    from app.base.database.engine import Begin
    from app.protocol.study import Protocol
    from app.studies.studies import StudyRow

    Job = tuple[Frames, Protocol]

REST_S = 300
TIMEOUT_S = 120
KEPT = 64


def look(job: Job) -> Monitored | None:
    """Return `analysis.monitoring.monitored`, computed in that process."""
    from app.analysis.monitoring import monitored

    return monitored(*job)


# One for each web process.
MONITORING_PROCESS = SideProcess(look, name="attune-monitoring", rest_s=REST_S)


class KnownLooks:
    """The most recent states, by the fingerprint of their data: a look is computed once, whoever reads the page."""

    def __init__(self, process: SideProcess) -> None:
        """`process` computes what is not known yet."""
        self._process, self._turn = process, Lock()
        self._known: OrderedDict[str, Monitored | None] = OrderedDict()

    def of(self, frames: Frames, protocol: Protocol) -> Monitored | None:
        """The state for these data.

        Raises:
            SideProcessError: the process is gone, or took too long.
        """
        from app.results.reports.fingerprint import fingerprint

        name = fingerprint(frames, protocol)
        if name not in self._known:
            self._compute(name, (frames, protocol))
        return self._known.get(name)

    def _compute(self, name: str, job: Job) -> None:
        if not self._turn.acquire(timeout=TIMEOUT_S):
            raise SideProcessTimeoutError
        try:
            if name not in self._known:  # another viewer may have waited for the same
                self._known[name] = self._process.ask(job, timeout_s=TIMEOUT_S)
            while len(self._known) > KEPT:
                self._known.popitem(last=False)
        finally:
            self._turn.release()


KNOWN_LOOKS = KnownLooks(MONITORING_PROCESS)


def monitoring_lines(begin: Begin, study: StudyRow) -> list[str]:
    """Progress and looks of a stored study in sentences; empty where its protocol declares none.

    The sentences say whether a bound was crossed, and contain no estimates.

    Raises:
        SideProcessError: the process is gone, or took too long.
    """
    with begin() as db:
        protocol = get_protocol(db, study.id, study.protocol_version)
        if not protocol.monitoring.looks:
            return []
        from app.analysis.data.simulated import counted_frames
        from app.results.data.frames import study_frames

        frames, _ = counted_frames(study_frames(db, study.id))
    from app.analysis.monitoring import progress_sentences

    state = KNOWN_LOOKS.of(frames, protocol)
    return progress_sentences(state, is_blinded=is_blinded(study, protocol)) if state else []
