"""The report as files: one document in every format, with the digits of the JSON and the words of the page."""

import io
import json
import re
from collections.abc import Sequence
from dataclasses import replace
from html import unescape
from pathlib import Path

import docx
import pytest

from app.analysis import analyze
from app.analysis.document.report_context import ReportContext
from app.analysis.estimate import Estimate
from app.analysis.report.report import Report
from app.analysis.report.report_tables import records_csv
from app.results.charts.chart import Chart
from app.results.charts.distribution import distribution_finding, distribution_spec, distribution_table
from app.results.charts.table import Table
from app.results.charts.theme import Spec, Theme, Width
from app.results.documents.document_formats import FORMATS, ReportJob, zipped
from app.results.documents.report_files import MAX_HEIGHT, on_pages, report_files
from app.studies.folder.read import read_folder
from tests.kit.frames import FIVE, frames, protocol
from tests.real_data.ayers import write_ayers


@pytest.fixture(scope="module")
def made(shared: Path, tmp_path_factory: pytest.TempPathFactory, ayers: Report) -> tuple[Report, dict[str, bytes]]:
    folder = read_folder(write_ayers(tmp_path_factory.mktemp("ayers"), shared))
    return ayers, report_files(ReportJob(ayers, folder.protocol, ReportContext("2026-11-22"), tuple(FORMATS)))


def plain(name: str, content: bytes) -> str:
    """What a file says, without its markup."""
    if name.endswith(".docx"):
        made = docx.Document(io.BytesIO(content))
        cells = [cell.text for table in made.tables for row in table.rows for cell in row.cells]
        return "\n".join([*(paragraph.text for paragraph in made.paragraphs), *cells])
    text = content.decode()
    if name.endswith(".html"):
        return unescape(re.sub(r"<[^>]+>", "\n", text))
    return text.replace("\\allowbreak{}", "").replace("-{}", "-").replace("\\", "")


@pytest.mark.parametrize("name", ["report.html", "report.docx", "report.md", "report.tex"])
def test_published_estimates_appear_in_every_format(made: tuple[Report, dict[str, bytes]], name: str) -> None:
    text = plain(name, made[1][name])
    for number in ("0.88 (0.75 to 1.00)", "1.51 (1.35 to 1.66)", "−0.03 to 0.39", "78.6", "55.7"):
        assert number in text


@pytest.mark.parametrize("name", ["report.html", "report.docx", "report.md", "report.tex"])
def test_json_csv_and_report_agree_exactly(made: tuple[Report, dict[str, bytes]], name: str) -> None:
    report, files = made
    text, csv = plain(name, files[name]), records_csv(report.estimates)
    shown = {
        value
        for record in json.loads(files["report.json"])["estimates"]
        if (value := repr(record["estimate"])) in text and len(value) > len("0.1234567890")
    }
    assert len(shown) >= 20
    assert all(value in csv for value in shown)
    assert {"0.7863247863247863", "0.8752136752136757"} <= shown


def test_every_referenced_chart_file_exists(made: tuple[Report, dict[str, bytes]]) -> None:
    files = made[1]
    named = set(re.findall(r"\]\((charts/[^)]+)\)", files["report.md"].decode()))
    named |= set(re.findall(r"\{(charts/[^}]+)\}", files["report.tex"].decode()))
    assert named
    assert named == {path for path in files if path.startswith("charts/")}


def test_report_archive_is_reproducible(made: tuple[Report, dict[str, bytes]]) -> None:
    assert zipped(made[1]) == zipped(made[1])


def test_captions_of_charts_say_from_how_many_answers(made: tuple[Report, dict[str, bytes]]) -> None:
    text = made[1]["report.md"].decode()
    # raters of these data are not known, so they are not counted
    assert "Each estimate is from 585 choices, 195 items." in text
    assert "Each estimate is from 585 to 1,170 ratings, 195 items." in text


def _spec_of_rows(estimates: Sequence[Estimate], *, title: str, theme: Theme, width: Width) -> Spec:
    return {"height": 20 * len(estimates)}


def test_chart_that_is_taller_than_a_page_is_drawn_in_parts() -> None:
    """A page cut both ends of a chart of forty questions, and of one question about 45 sources."""
    asked = [Estimate("comparison", f"q{n // 2}", {"source": f"s{n % 2}"}, "mean_difference", 0.1) for n in range(80)]
    rows = Table(("Question",), ())
    chart = Chart("comparison", "comparison", None, "Rated", tuple(asked), _spec_of_rows, lambda _: rows, str)
    parts = on_pages(chart)
    assert [part.key for part in parts] == ["comparison-1", "comparison-2", "comparison-3"]
    assert [part.title for part in parts] == ["Rated (1 of 3)", "Rated (2 of 3)", "Rated (3 of 3)"]
    assert [one for part in parts for one in part.estimates] == asked
    assert [len(part.estimates) for part in parts] == [26, 26, 28], "two estimates of a question stay together"
    short = replace(chart, estimates=tuple(asked[:38]))
    assert on_pages(short) == [short]
    of_one = tuple(replace(one, question="q", scope={"source": f"s{n}"}) for n, one in enumerate(asked))
    assert [len(part.estimates) for part in on_pages(replace(chart, estimates=of_one))] == [26, 27, 27]


def test_chart_of_the_ratings_of_60_sources_is_not_cut() -> None:
    detail = {"counts": [1, 2, 3], "words": ["1", "2", "3"]}
    rated = tuple(
        Estimate("distribution", "care", {"source": f"s{n}"}, statistic, 2.0, n_ratings=6, detail=detail)
        for n in range(60)
        for statistic in ("median", "mean")
    )
    kinds = (distribution_spec, distribution_table, distribution_finding)
    parts = on_pages(Chart("distribution-1", "comparison", "care", "Ratings", rated, *kinds))
    assert [len(part.table.rows) for part in parts] == [30, 30]
    assert all((part.in_print or {})["height"] <= MAX_HEIGHT for part in parts)


def test_report_of_excluded_answers_does_not_say_that_nobody_rated() -> None:
    study = protocol(FIVE)
    rows = [{"rater": "a", "item": "i", "response": "i:model", "question": "empathy", "value": 3, "exclude": "bot"}]
    job = ReportJob(analyze(frames(study, rows), study), study, ReportContext("2026-11-22"), ("md",))
    text = report_files(job)["report.md"].decode()
    assert text.count("Every answer is excluded from the results: 1 (bot).") == 2
    assert "No rater has answered" not in text
