import csv
import html
import io
import tempfile
import zipfile
from pathlib import Path
from unittest.mock import Mock

import pytest
from sqlalchemy import Connection, text
from starlette.testclient import TestClient

from app.base.processes.side_process import OutOfMemoryError
from app.results.downloads import download_files, workbook
from app.results.making import page as making_page
from app.results.making.making import FILES, InTheMaking, Making, Wanted
from app.results.registration.preregister import record_registration
from app.studies.creation.read_new_study import read_upload
from tests.kit.folder import rated_folder
from tests.kit.making_here import jobs_here
from tests.studies.web.test_new_study import FOLDER, parts


def rows(content: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(content)))


def test_csv_has_one_row_per_answer(client: TestClient) -> None:
    client.post("/studies/new", files=parts(FOLDER))
    answer = client.get("/studies/warmth/ratings.csv")
    assert answer.headers["content-disposition"] == 'attachment; filename="warmth-ratings.csv"'
    assert [(row["rater"], row["response"], row["value"]) for row in rows(answer.text)] == [
        ("r1", "a:person", "3"),
        ("r1", "b:machine", "1"),
    ]


def test_formulas_are_escaped_for_spreadsheets_only(client: TestClient) -> None:
    ratings = FOLDER["ratings.csv"].replace("r1", "=HYPERLINK(1)")
    client.post("/studies/new", files=parts(FOLDER | {"ratings.csv": ratings}))
    raw = rows(client.get("/studies/warmth/ratings.csv").text)
    sheet = rows(client.get("/studies/warmth/ratings.csv?spreadsheet=1").text.removeprefix("\ufeff"))
    assert raw[0]["rater"] == "=HYPERLINK(1)"
    assert sheet[0]["rater"] == "'=HYPERLINK(1)"
    assert sheet[0]["value"] == raw[0]["value"]


def test_exported_zip_is_a_loadable_study_folder(client: TestClient) -> None:
    client.post("/studies/new", files=parts(FOLDER))
    content = client.get("/studies/warmth/export.zip").content
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        names = {Path(name).name for name in archive.namelist()}
    assert set(FOLDER) | {"agreement.csv", "comparisons.csv", "codebook.csv", "datapackage.json"} <= names
    again = read_upload({"warmth.zip": content})
    assert (again.protocol.slug, len(again.ratings)) == ("warmth", 2)


def test_the_zip_holds_the_registered_plan(client: TestClient, db: Connection) -> None:
    client.post("/studies/new", files=parts(FOLDER))
    row = db.execute(text("SELECT id FROM studies WHERE slug = 'warmth'")).one()
    record_registration(db, row.id, version=1, sha256="0", document="{}\n")
    with zipfile.ZipFile(io.BytesIO(client.get("/studies/warmth/export.zip").content)) as archive:
        assert archive.read("warmth/preregistration.json") == b"{}\n"


def test_streamed_csv_matches_folder_export(client: TestClient) -> None:
    client.post("/studies/new", files=parts({name: text.decode() for name, text in rated_folder().items()}))
    streamed = rows(client.get("/studies/rated/ratings.csv").text)
    with zipfile.ZipFile(io.BytesIO(client.get("/studies/rated/export.zip").content)) as archive:
        written = rows(archive.read("rated/ratings.csv").decode())
    assert list(streamed[0]) == list(written[0])
    assert sorted(map(str, streamed)) == sorted(map(str, written))


def test_downloads_page_explains_and_links_every_file(client: TestClient) -> None:
    client.post("/studies/new", files=parts(FOLDER))
    page = client.get("/studies/warmth/downloads").text
    for file, begins in (
        ("wide.csv", b"rater,item"),
        ("study.xlsx", b"PK"),
        ("ratings.parquet", b"PAR1"),
        ("psych-ds.zip", b"PK"),
        ("hugging-face.zip", b"PK"),
        ("label-studio.zip", b"PK"),
        ("read.R", b"# Reads the answers"),
        ("read.sps", b"\xef\xbb\xbf* Encoding"),
    ):
        assert f'href="/studies/warmth/downloads/{file}"' in page
        answer = client.get(f"/studies/warmth/downloads/{file}")
        assert answer.headers["content-disposition"] == f'attachment; filename="warmth-{file}"'
        assert answer.content.startswith(begins)
    assert client.get("/studies/warmth/downloads/other.csv").status_code == 422
    assert "<code>value_label</code>" in page


def test_download_leaves_no_temporary_file(client: TestClient, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    client.post("/studies/new", files=parts(FOLDER))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    assert client.get("/studies/warmth/ratings.csv").status_code == 200
    assert [*tmp_path.glob("attune-*")] == []


def test_failed_download_leaves_no_temporary_file(
    client: TestClient, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    client.post("/studies/new", files=parts(FOLDER))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(workbook, "MAX_ROWS", 0)
    before = set(Path(tempfile.gettempdir()).glob("attune-*"))
    page = client.get("/studies/warmth/downloads/study.xlsx")
    assert page.status_code == 400
    assert "more rows than a sheet of Excel can hold" in page.text
    assert set(Path(tempfile.gettempdir()).glob("attune-*")) == before


def test_a_download_that_takes_too_much_says_so(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    client.post("/studies/new", files=parts(FOLDER))
    monkeypatch.setattr(download_files, "write_workbook", _too_large)
    page = client.get("/studies/warmth/downloads/study.xlsx")
    assert page.status_code == 503
    assert "The computation needed more than 4,000 MB of memory and was stopped." in page.text


def test_browser_sees_how_far_a_file_is_and_then_gets_it_counted_once(
    client: TestClient, db: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    client.post("/studies/new", files=parts(FOLDER))
    begin = client.app.state.begin  # type: ignore[attr-defined]  # Starlette's client
    client.app.state.making = Making(begin)  # type: ignore[attr-defined]  # Starlette's client
    monkeypatch.setattr(making_page, "PATIENCE_S", 0)
    answer = client.get("/studies/warmth/downloads/read.R", headers={"Accept": "text/html"})
    assert answer.status_code == 303
    address = answer.headers["location"]
    assert 'content="2"' in (waiting := client.get(address).text)
    assert "Making the file. Waiting to begin." in waiting
    [args] = db.execute(text("SELECT args FROM procrastinate_jobs")).scalars()
    jobs_here(begin).work(FILES, **args)
    ready = client.get(address).text
    assert "The file is ready" in ready
    file = html.unescape(ready.partition('content="0; url=')[2].partition('"')[0])
    assert client.get(file).headers["content-disposition"] == 'attachment; filename="warmth-read.R"'
    n_counted = db.execute(text("SELECT count(*) FROM audit_log WHERE action = 'downloaded'")).scalar_one()
    assert n_counted == 1
    db.execute(text("DELETE FROM made_files"))
    db.execute(text("DELETE FROM procrastinate_jobs"))
    for gone in (address, file):
        assert "no longer kept. Download it again" in client.get(gone).text


def _too_large(*_: object) -> None:
    raise OutOfMemoryError("The computation needed more than 4,000 MB of memory and was stopped.")


def test_report_downloads_as_single_file_or_archive(client: TestClient) -> None:
    client.post("/studies/new", files=parts(FOLDER))
    page = client.get("/studies/warmth/report.html")
    assert page.headers["content-disposition"] == 'attachment; filename="warmth-report.html"'
    assert "How each number was computed" in page.text
    german = client.get("/studies/warmth/report.html?numbers=german")
    assert "alpha level of 0,05" in german.text
    assert client.get("/studies/warmth/report.html?numbers=roman").status_code == 422
    assert client.get("/studies/warmth/report.pdf").content.startswith(b"%PDF")
    archive = client.get("/studies/warmth/report.zip?source=person")
    assert archive.headers["content-disposition"] == 'attachment; filename="warmth-report-filtered.zip"'
    with zipfile.ZipFile(io.BytesIO(archive.content)) as files:
        assert {"report.tex", "report.md", "report.docx", "results.bib", "report.json"} <= set(files.namelist())


def test_unknown_report_format_is_rejected(client: TestClient) -> None:
    client.post("/studies/new", files=parts(FOLDER))
    assert client.get("/studies/warmth/report.odt").status_code == 422


def test_program_that_waits_for_too_long_is_told_to_ask_again(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where no worker runs: the file is never made."""
    client.post("/studies/new", files=parts(FOLDER))
    monkeypatch.setattr(making_page, "PATIENCE_OF_PROGRAMS_S", 0.0)
    monkeypatch.setattr(Making, "get", _never)
    answer = client.get("/studies/warmth/export.zip")
    assert answer.status_code == 503
    assert "The file is not ready after 0 seconds." in html.unescape(answer.text)


def _never(_: Making, _study: object, wanted: Wanted, *, patience_s: float) -> Mock:
    assert patience_s == 0
    return Mock(InTheMaking, part=wanted.part)
