"""A study's report, from the store or from a folder, and as files."""

from __future__ import annotations

import hashlib
import json
from collections import OrderedDict
from concurrent.futures import Future
from threading import Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from sqlalchemy import Connection

    from app.analysis.folder import StudyFolder
    from app.analysis.frames import Frames
    from app.analysis.report import Report
    from app.design.protocol import Protocol
    from app.storage.studies import StudyRow


def report_of_folder(folder: StudyFolder, *, full: bool = False) -> Report:
    """The report of a study that was read from its folder."""
    from app.analysis import analyze
    from app.analysis.folder import frames_of

    return analyze(frames_of(folder), folder.protocol, full=full)


def report_of_study(db: Connection, study: StudyRow, *, full: bool = False) -> tuple[Report, Protocol]:
    """The report of a study in the store, and the protocol that it was made by."""
    from app.storage.frames import study_frames
    from app.storage.protocols import get_protocol

    protocol = get_protocol(db, study.id, study.protocol_version)
    return _report(study_frames(db, study.id), protocol, full=full), protocol


# A page, its charts and its files ask for the same report within seconds, and the mixed models take seconds each. What
# is kept depends on nothing but the data that it is named by, so that any number of processes agree.
KEPT = 4
_reports: OrderedDict[str, Future[Report]] = OrderedDict()
_guard = Lock()


def _report(frames: Frames, protocol: Protocol, *, full: bool) -> Report:
    from app.analysis import analyze

    name = _fingerprint(frames, protocol, full=full)
    with _guard:
        made = _reports.get(name)
        is_mine = made is None
        if made is None:
            made = _reports[name] = Future()
            while len(_reports) > KEPT:
                _reports.popitem(last=False)
        _reports.move_to_end(name)
    if is_mine:
        try:
            made.set_result(analyze(frames, protocol, full=full))
        except BaseException as error:  # noqa: BLE001 - whoever waits for it must hear of it
            made.set_exception(error)
            with _guard:
                _reports.pop(name, None)
    return made.result()


def _fingerprint(frames: Frames, protocol: Protocol, *, full: bool) -> str:
    """SHA-256 of everything that a report depends on."""
    from pandas.util import hash_pandas_object

    digest = hashlib.sha256(f"{full} {protocol.model_dump_json()}".encode())
    for frame in (frames.items, frames.responses, frames.raters, frames.ratings):
        digest.update("\0".join(map(str, frame.columns)).encode())
        digest.update(hash_pandas_object(frame, index=False).to_numpy().tobytes())
    return digest.hexdigest()


def write_report(report: Report, protocol: Protocol, out: Path) -> list[Path]:
    """report.json, agreement.csv, comparisons.csv and a Vega-Lite specification for each chart.

    Returns:
        What was written, in that order. Files of these names are replaced.
    """
    from app.analysis.tables import report_csvs, report_json
    from app.charts.chart import charts_of

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
