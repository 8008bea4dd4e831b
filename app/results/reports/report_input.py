"""A study's report, computed from the database or from a folder."""

import hashlib

from pandas.util import hash_pandas_object
from sqlalchemy import Connection

from app.analysis import analyze
from app.analysis.data.frames import Frames
from app.analysis.data.report_filters import ALL, Filters
from app.analysis.data.study_folder import StudyFolder, frames_of
from app.analysis.report.report import Report
from app.protocol.study import Protocol
from app.results.blinding import refuse_if_blinded
from app.results.data.frames import study_frames
from app.studies.protocols import get_protocol
from app.studies.studies import StudyRow

# The fingerprint of a report: a hash of everything that it depends on.


def fingerprint(frames: Frames, protocol: Protocol, filters: Filters = ALL) -> str:
    """SHA-256 of everything that a report depends on."""
    digest = hashlib.sha256(protocol.model_dump_json().encode())
    digest.update(repr(filters).encode() if filters else b"")
    every = (
        *(frames.items, frames.responses, frames.raters, frames.ratings),
        *(frames.checks, frames.arrivals, frames.sample),
    )
    for frame in (frame for frame in every if frame is not None):
        digest.update("\0".join(map(str, frame.columns)).encode())
        digest.update(hash_pandas_object(frame, index=False).to_numpy().tobytes())
    return digest.hexdigest()


def report_of_folder(folder: StudyFolder) -> Report:
    """The report of a study that was read from its folder."""
    return analyze(frames_of(folder), folder.protocol)


def read_study(db: Connection, study: StudyRow) -> tuple[Frames, Protocol]:
    """The data that a report is computed from.

    Raises:
        BlindedError: the study's estimates are hidden until it closes.
    """
    protocol = get_protocol(db, study.id, study.protocol_version)
    refuse_if_blinded(study, protocol)
    return study_frames(db, study.id), protocol
