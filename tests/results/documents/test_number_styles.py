"""The report in each style of numbers: one function for all, so that no number is left in another style."""

import re
from pathlib import Path

import pytest

from app.analysis.document.report_context import ReportContext
from app.analysis.document.study_report import study_report
from app.analysis.report.report import Report
from app.base.documents.markdown import markdown_document
from app.base.numbers import STYLES, current_style, number_style
from app.studies.folder.read import read_folder
from tests.real_data.ayers import write_ayers


@pytest.fixture(scope="module")
def written(shared: Path, tmp_path_factory: pytest.TempPathFactory, ayers: Report) -> dict[str, str]:
    """What people read of the report in each style: without code, recipes and references."""
    protocol = read_folder(write_ayers(tmp_path_factory.mktemp("styles"), shared)).protocol
    found: dict[str, str] = {}
    for style in STYLES:
        with number_style(style):
            document, _ = study_report(ayers, protocol, [], ReportContext("2026-11-22"))
        text = markdown_document(document).split("How each number was computed")[0]
        found[style] = re.sub(r"```.*?```", "", text, flags=re.DOTALL).replace("\\<", "<")
    assert current_style() == "plain"
    return found


@pytest.mark.parametrize(
    ("style", "expected"),
    [
        ("plain", ["78.6%", "+0.88, 95% CI 0.75 to 1.01", "p < .001", "alpha = 0.23 (95% CI 0.11 to 0.34)", "1,170"]),
        ("apa", ["78.6%", "+0.88, 95% CI 0.75 to 1.01", "p < .001", "alpha = .23 (95% CI .11 to .34)", "1,170"]),
        ("jama", ["78.6%", "+0.88, 95% CI 0.75 to 1.01", "P < .001", "alpha = 0.23 (95% CI 0.11 to 0.34)", "1,170"]),
        ("german", ["78,6 %", "+0,88, 95% CI 0,75 to 1,01", "p < 0,001", "alpha = 0,23", "1.170"]),
    ],
)
def test_report_has_published_numbers_in_this_style(written: dict[str, str], style: str, expected: list[str]) -> None:
    assert [one for one in expected if one not in written[style]] == []


def test_no_number_of_a_german_report_has_a_decimal_point(written: dict[str, str]) -> None:
    # what is in English style for good: references, versions of the software
    lines = [one for one in written["german"].splitlines() if not re.search("https:|[Ss]oftware", one)]
    without_thousands = [re.sub(r"\d{1,3}(\.\d{3})+", "", one) for one in lines]
    assert [one for one in without_thousands if re.search(r"(?<![\w.])\d*\.\d+(?![\w.])", one)] == []
