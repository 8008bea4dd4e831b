"""The same report from any form of the study, and as files."""

import csv
import json
from pathlib import Path

from sqlalchemy import Connection

from app.analysis import analyze
from app.analysis.data.study_folder import frames_of
from app.analysis.estimate import FIELDS
from app.analysis.report.recompute import again
from app.analysis.report.report import Report
from app.results.documents.report_files import write_report
from app.studies.export import study_folder
from app.studies.folder.read import read_folder
from app.studies.folder.write import write_folder
from app.studies.load import load_study
from app.studies.studies import get_study
from tests.analysis.golden import HERE
from tests.kit.study_report import report_of_study
from tests.real_data.ayers import write_ayers


# That published data come from the database as the same rows is held by test_counted.py.
def test_database_and_folder_give_identical_reports_and_records(db: Connection, tmp_path: Path) -> None:
    folder = read_folder(HERE / "ayers-pair")
    load_study(db, folder)
    study = get_study(db, folder.protocol.slug)
    assert study is not None
    report, _ = report_of_study(db, study)
    assert report.as_document() == analyze(frames_of(folder), folder.protocol).as_document()
    write_folder(tmp_path / "exported", study_folder(db, study.id), estimates=report.estimates)
    drawn = next(estimate for estimate in report.estimates if estimate.recipe["seed"] is not None)
    record = json.loads(json.dumps(drawn.as_record()))
    folder = read_folder(tmp_path / "exported")
    made = again(frames_of(folder), folder.protocol, record)
    assert made.differences == ()
    assert made.estimate is not None
    assert made.estimate.as_record() == record


def test_report_files_hold_every_estimate_once_and_charts(tmp_path: Path, shared: Path, ayers: Report) -> None:
    folder, report = read_folder(write_ayers(tmp_path / "study", shared)), ayers
    written = write_report(report, folder.protocol, tmp_path / "out")
    assert [path.relative_to(tmp_path / "out").as_posix() for path in written] == [
        "report.json",
        "agreement.csv",
        "comparisons.csv",
        "charts/comparison.vl.json",
        "charts/distribution-1.vl.json",
        "charts/agreement.vl.json",
        "charts/plane.vl.json",
        "charts/choice-1.vl.json",
        *(f"charts/specifications-{n}.vl.json" for n in (1, 2, 3)),
    ]
    document = json.loads(written[0].read_text(encoding="utf-8"))
    assert document.pop("answers")
    assert [one["key"] for one in document.pop("objections")] == ["length", "agreement"]
    assert document.pop("judge_conclusions") == []
    assert document == report.as_document()
    agreement, comparisons = (list(csv.DictReader(path.read_text("utf-8").splitlines())) for path in written[1:3])
    rows = agreement + comparisons
    assert len(rows) == len(report.estimates)
    assert {tuple(row) for row in rows} == {FIELDS}
    estimates = [None if row["estimate"] == "" else float(row["estimate"]) for row in rows]
    assert sorted(estimates, key=str) == sorted((estimate.estimate for estimate in report.estimates), key=str)
    assert {row["section"] for row in agreement} == {"agreement"}
    assert "agreement" not in {row["section"] for row in comparisons}
