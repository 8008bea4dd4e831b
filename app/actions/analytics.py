"""The report of a study in the store."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.storage.protocols import get_protocol

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from app.analysis.report import Report
    from app.design.protocol import Protocol


def analyze_study(db: Connection, study_id: int, version: int) -> tuple[Report, Protocol]:
    """The figures of the study as it stands now, and the protocol they were computed by."""
    from app.analysis import analyze
    from app.storage.frames import study_frames

    protocol = get_protocol(db, study_id, version)
    return analyze(study_frames(db, study_id), protocol), protocol
