"""The declared looks of a running study: a job computes them once for the same data, whoever reads the page."""

import hashlib
import json

from app.base.database.engine import Begin
from app.results.blinding import is_blinded
from app.results.data.study_mark import get_data
from app.results.making.making import LONG_PARTS, Making, Wanted
from app.results.making.task import Task
from app.studies.protocols import get_protocol
from app.studies.studies import StudyRow


def monitoring_lines(making: Making, begin: Begin, study: StudyRow) -> list[str]:
    """Progress and looks of a stored study in sentences; empty where its protocol declares none.

    The sentences say whether a bound was crossed, and contain no estimates.

    Raises:
        SideProcessError: the job was stopped, or took too long.
    """
    with begin() as db:
        protocol = get_protocol(db, study.id, study.protocol_version)
        if not protocol.monitoring.looks:
            return []
        data = get_data(db, study.id)
    depends_on = study.protocol_version, is_blinded(study, protocol), data
    part = f"looks-{hashlib.sha256(repr(depends_on).encode()).hexdigest()}"
    lines: list[str] = json.loads(making.content(study, Wanted("looks", part, kind=LONG_PARTS, is_lasting=True)))
    return lines


def write_looks(task: Task) -> None:
    """Write the sentences, in the process of a job: of the data that were marked, or of newer ones."""
    from app.analysis.data.simulated import counted_frames
    from app.analysis.monitoring import monitored, progress_sentences
    from app.results.data.frames import study_frames

    with task.begin() as db:
        protocol = get_protocol(db, task.study.id, task.study.protocol_version)
        frames, _ = counted_frames(study_frames(db, task.study.id))
    state = monitored(frames, protocol)
    lines = progress_sentences(state, is_blinded=is_blinded(task.study, protocol)) if state else []
    task.path.write_text(json.dumps(lines), encoding="utf-8")
