import pytest

from app.analysis.report.stored_report import (
    StoredReportError,
    read_report,
    read_stored,
    report_text,
    stored_text,
    without_single_raters,
)
from app.results.reports.report_input import report_of_folder
from app.studies.folder.read import read_folder
from tests.analysis.golden import HERE


@pytest.mark.parametrize("name", ["ayers-pair", "label-experiment"])
def test_stored_report_has_the_same_digits(name: str) -> None:
    report = report_of_folder(read_folder(HERE / name))
    again = read_report(report_text(report))
    assert again == without_single_raters(report)
    assert not any("raters" in {*one.scope, *one.detail} for one in again.estimates)


def test_stored_text_of_a_whole_report_has_the_results_of_individual_raters() -> None:
    report = report_of_folder(read_folder(HERE / "ayers-pair"))
    assert any("raters" in one.scope for one in report.estimates)
    assert read_stored(stored_text((report, None))) == (report, None)


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"of": "Unknown", "fields": {}}', '{"of": "Report", "fields": {}}'])
def test_unreadable_text_is_an_error(text: str) -> None:
    with pytest.raises(StoredReportError):
        read_report(text)
