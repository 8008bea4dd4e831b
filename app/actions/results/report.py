"""A study's report, computed from the database or from a folder, and written to files."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from app.actions.results.blinding import refuse_if_blinded
from app.analysis import analyze
from app.analysis.data.study_folder import frames_of
from app.analysis.report.report_tables import report_csvs, report_json
from app.charts.chart import charts_of
from app.storage.results.frames import study_frames
from app.storage.studies.protocols import get_protocol

if TYPE_CHECKING:
    from pathlib import Path

    from sqlalchemy import Connection

    from app.analysis.data.frames import Frames
    from app.analysis.data.study_folder import StudyFolder
    from app.analysis.report.report import Report
    from app.design.protocol.study import Protocol
    from app.storage.studies.studies import StudyRow


def report_of_folder(folder: StudyFolder, *, full: bool = False) -> Report:
    """The report of a study that was read from its folder."""
    return analyze(frames_of(folder), folder.protocol, full=full)


def report_of_study(db: Connection, study: StudyRow, *, full: bool = False) -> tuple[Report, Protocol]:
    """The report of a study in the database, and the protocol used for it."""
    frames, protocol = read_study(db, study)
    return analyze(frames, protocol, full=full), protocol


def read_study(db: Connection, study: StudyRow) -> tuple[Frames, Protocol]:
    """The data that a report is computed from.

    Raises:
        BlindedError: the study's estimates are hidden until it closes.
    """
    protocol = get_protocol(db, study.id, study.protocol_version)
    refuse_if_blinded(study, protocol)
    return study_frames(db, study.id), protocol


def write_report(report: Report, protocol: Protocol, out: Path) -> list[Path]:
    """Write report.json, agreement.csv, comparisons.csv and a Vega-Lite specification per chart.

    Returns:
        Paths of the written files, in that order. Existing files of these names are replaced.
    """
    charts = {f"charts/{chart.key}.vl.json": chart.spec() for chart in charts_of(report, protocol)}
    texts = {
        "report.json": report_json(report),
        **report_csvs(report),
        **{name: json.dumps(spec, ensure_ascii=False, indent=1) + "\n" for name, spec in charts.items() if spec},
    }
    (out / "charts").mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (out / name).write_text(text, encoding="utf-8", newline="")
    return [out / name for name in texts]
