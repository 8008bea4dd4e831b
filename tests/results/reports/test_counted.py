"""Preliminary results, counted by the database, against the report, which reads every row."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from sqlalchemy import text

from app.analysis.data.study_folder import frames_of, is_same
from app.analysis.findings.counted_results import DECISIVE
from app.rating.review.exclusions import record_exclusion
from app.rating.review.rater_kinds import has_only_simulated
from app.results.data.frames import study_frames
from app.results.reports.counted import count_results
from app.studies.export import study_folder
from app.studies.folder.read import read_folder
from app.studies.load import load_study
from app.studies.studies import get_study
from tests.analysis.golden import HERE
from tests.kit.reports_once import WRITERS
from tests.kit.study_report import report_of_study
from tests.studies.test_load import assert_same_frames

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from sqlalchemy import Connection

    from app.analysis.data.study_folder import StudyFolder
    from app.analysis.report.report import Report
    from app.studies.studies import StudyRow

OF_CHOICES = {"share_preferred", "first_side_share", "krippendorff_alpha_nominal", "percent_agreement"}
AGREEMENT = {"percent_agreement", "fleiss_kappa", "gwet_ac1", "gwet_ac2", "brennan_prediger", "unanimous_share"}


def loaded(db: Connection, study: StudyFolder) -> StudyRow:
    load_study(db, study)
    found = get_study(db, study.protocol.slug)
    assert found is not None
    return found


def estimates_of(report: Report) -> dict[tuple[str | None, str | None, str], float | None]:
    """The estimates that are of all persons, or of one source: by question, source and statistic."""
    return {
        (found.question, found.scope.get("source"), found.statistic): found.estimate
        for found in report.estimates
        if found.scope.keys() <= {"source", "cut"}
        and found.section in {"agreement", "distribution", "comparison"}
        and found.unit != "item_mean"
    }


def choices_of(report: Report) -> dict[tuple[str | None, str | None, str | None, str, bool], float | None]:
    """Estimates of choices of all persons by question, source, reference, statistic and whether ties are dropped."""
    found: dict[tuple[str | None, str | None, str | None, str, bool], float | None] = {}
    for one in report.estimates:
        if one.scope.keys() <= {"source", "reference"} and one.section in {"agreement", "choice"}:
            is_decisive = "decisive choices only" in one.method
            key = (one.question, one.scope.get("source"), one.scope.get("reference"), one.statistic, is_decisive)
            found.setdefault(key, one.estimate)
    return found


def assert_same(db: Connection, study: StudyRow, report: Report | None = None) -> int:
    """Compare with `report`, or else with the report of the stored answers."""
    counted, protocol = count_results(db, study)
    report = report or report_of_study(db, study)[0]
    by_rows, choices = estimates_of(report), choices_of(report)
    asked = {question.key for question in protocol.choice_questions}
    for found in counted:
        if found.question in asked:
            is_decisive = found.result.method == DECISIVE
            of_rows = choices[found.question, found.source, found.reference, found.statistic, is_decisive]
        else:
            of_rows = by_rows[found.question, found.source, found.statistic]
        same = None if of_rows is None else pytest.approx(of_rows, rel=1e-12, abs=1e-15)
        assert found.result.estimate == same, found
    expected = ({*AGREEMENT, "mean", "sd"} if protocol.scaled_questions else set()) | (OF_CHOICES if asked else set())
    assert {found.statistic for found in counted} >= expected
    return len(counted)


@pytest.mark.parametrize("name", ["epitome", "label-experiment", "ayers-pair", "ab-tie"])
def test_counted_results_match_report(db: Connection, name: str) -> None:
    assert assert_same(db, loaded(db, read_folder(HERE / name))) > 0


@pytest.mark.parametrize("name", WRITERS)
def test_published_data_are_stored_exactly_and_counted_like_the_report(
    db: Connection, tmp_path: Path, shared: Path, report_of_real_data: Callable[[str], Report], name: str
) -> None:
    folder = read_folder(WRITERS[name](tmp_path, shared))
    study = loaded(db, folder)
    assert_same_frames(study_frames(db, study.id), frames_of(folder))
    assert is_same(study_folder(db, study.id), folder)
    assert assert_same(db, study, report_of_real_data(name)) > 0


def test_excluded_raters_are_not_counted(db: Connection) -> None:
    study = loaded(db, read_folder(HERE / "epitome"))
    before = {(f.question, f.source, f.statistic): f.result for f in count_results(db, study)[0]}
    rater = db.execute(text("SELECT min(id) FROM raters WHERE study_id = :study"), {"study": study.id}).scalar_one()
    lead = db.execute(text("INSERT INTO leads (email) VALUES ('a@b.example') RETURNING id")).scalar_one()
    record_exclusion(db, study.id, rater, is_excluded=True, reason="test", lead_id=lead)
    after = {(f.question, f.source, f.statistic): f.result for f in count_results(db, study)[0]}
    means = [key for key in before if key[2] == "mean"]
    assert means
    assert all((after[key].n_ratings or 0) < (before[key].n_ratings or 0) for key in means)
    assert_same(db, study)


def test_simulated_raters_are_counted_only_while_there_is_nobody_else(db: Connection) -> None:
    study = loaded(db, read_folder(HERE / "epitome"))
    db.execute(text("UPDATE raters SET is_simulated = true WHERE study_id = :study"), {"study": study.id})
    assert has_only_simulated(db, study.id)
    all_of_them = assert_same(db, study)
    db.execute(
        text("UPDATE raters SET is_simulated = false WHERE id = (SELECT min(id) FROM raters WHERE study_id = :study)"),
        {"study": study.id},
    )
    assert not has_only_simulated(db, study.id)
    people = {result.result.n_raters for result in count_results(db, study)[0] if result.statistic == "mean"}
    assert people == {1}
    assert assert_same(db, study) <= all_of_them
