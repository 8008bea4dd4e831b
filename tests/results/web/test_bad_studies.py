"""Results of every kind of bad input in the five formats that people read: clear, bounded, and on the page."""

import io
import json
import re
import zipfile
from html import unescape
from pathlib import Path
from typing import Any

import docx
import pytest
from sqlalchemy import Connection, text
from starlette.testclient import TestClient

from app.accounts.leads import Lead
from app.rating.life_cycle import open_study
from app.results.documents.document_formats import FORMATS
from app.results.pages.sections.parts import TITLES
from app.studies.folder.read import read_files
from app.studies.load import load_study
from tests.kit.bad_studies import EXPECTED, study_files
from tests.kit.command_line import _outcome
from tests.kit.lead_studies import rate, study_of
from tests.kit.pdf_pages import pdf_pages

pytestmark = pytest.mark.slow
# bytes of a file and of a page, pages of a PDF, and the least white beside its text in points
MAX_FILE, MAX_PAGE, MAX_SHEETS, MARGIN = 4_000_000, 3_000_000, 40, 50
BROKEN = re.compile(r"\bnan\b|Traceback|\{\{|\bundefined\b")


def words(markup: str) -> str:
    """What a page says, without its markup and the marks around texts of other directions."""
    return " ".join(re.sub(r"[\u2066-\u2069\u200e]", "", unescape(re.sub(r"<[^>]+>", "", markup))).split())


def said_in_word(content: bytes) -> str:
    made = docx.Document(io.BytesIO(content))
    cells = [cell.text for table in made.tables for row in table.rows for cell in row.cells]
    return words(" ".join([*(paragraph.text for paragraph in made.paragraphs), *cells]))


def said_in_pdf(content: bytes) -> str:
    """What it says, without spaces: its pages are not too many, and no letter is beyond the margins of its paper."""
    pages = pdf_pages(content)
    assert len(pages) <= MAX_SHEETS
    for number, page in enumerate(pages, 1):
        assert page.runs, number
        assert min(left for _, left, _ in page.runs) >= MARGIN, number
        assert max(right for _, _, right in page.runs) <= page.width - MARGIN, number
    return "".join(page.text for page in pages)


def said_in(ending: str, content: bytes) -> str:
    if ending == "pdf":
        return said_in_pdf(content)
    if ending == "docx":
        return said_in_word(content)
    text = content.decode()
    return words(text) if ending == "html" else " ".join(text.replace("\\", "").split())


def holds(said: str, wanted: str, name: str) -> bool:
    """A PDF writes letters from left to right, whatever their direction."""
    bare = "".join(wanted.split())
    return wanted in said if name != "pdf" else bare in said or all(word[::-1] in said for word in wanted.split())


def read_in_every_format(client: TestClient, slug: str) -> dict[str, str]:
    """The words of the pages and of the documents; each of them was made, and is no larger than a reader bears."""
    found = {}
    for part in ("", *(f"/{key}" for key in TITLES)):
        answer = client.get(f"/studies/{slug}/results{part}")
        assert answer.status_code == 200, part
        assert len(answer.content) < MAX_PAGE, part
        found[f"page{part}"] = words(re.sub(r"<(script|pre)\b.*?</\1>", "", answer.text, flags=re.DOTALL))
    answer = client.get(f"/studies/{slug}/report.zip")
    assert answer.status_code == 200
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        files = {ending: archive.read(f"report.{ending}") for ending in FORMATS}
    for ending, content in files.items():
        assert len(content) < MAX_FILE, ending
        found[ending] = said_in(ending, content)
    for name, said in found.items():
        assert not BROKEN.search(said), (name, BROKEN.search(said))
    has_reasons(client.get(f"/studies/{slug}/results.json").json())
    return found


def has_reasons(document: dict[str, Any]) -> None:
    """Each estimate of the JSON that could not be made says why."""
    json.dumps(document, allow_nan=False)
    assert document["estimates"]
    assert all(one["note"] for one in document["estimates"] if one["estimate"] is None)


@pytest.mark.parametrize("case", EXPECTED)
def test_bad_input_is_told_in_every_format(
    case: str,
    client: TestClient,
    db: Connection,
    lead: Lead,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    files = study_files(case)
    load_study(db, read_files(files), lead.id)
    found = read_in_every_format(client, "bad")
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    outcome = _outcome(monkeypatch, capsys, ("analyze", tmp_path, "--json"))
    assert outcome.code == 0, outcome.err
    has_reasons(json.loads(outcome.out))
    outcome = _outcome(monkeypatch, capsys, ("analyze", tmp_path))
    assert outcome.code == 0, outcome.err
    found["command line"] = words(outcome.out)
    for name in ("page", *FORMATS, "command line"):
        for said in EXPECTED[case]:
            assert holds(found[name], said, name), (name, said, found[name][:4000])


def test_study_that_is_changed_between_versions_tells_so_in_every_format(
    client: TestClient,
    db: Connection,
    lead: Lead,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    study_id = study_of(db, lead)
    open_study(db, "small")
    for rater in "abc":
        rate(db, study_id, rater=rater, n_trials=2)
    reworded = {"number": "0", "instructions": "Read **both**."}
    assert client.post("/studies/small/design/study", data=reworded).status_code == 303
    assert client.post("/studies/small/design/version").status_code == 303
    for rater in "de":
        rate(db, study_id, rater=rater, n_trials=2)
    db.execute(text("UPDATE rating_sessions SET protocol_version = 2 WHERE token_hash IN ('d', 'e')"))
    found = read_in_every_format(client, "small")
    told = "Raters took part under version 1 (3 raters) and version 2 (2 raters) of the design."
    assert all(holds(found[name], told, name) for name in ("page", *FORMATS))
    reworded_answers = {"preference": {"1": 6, "current": 4}}
    assert client.get("/studies/small/results.json").json()["answers_by_version"] == reworded_answers
    zipfile.ZipFile(io.BytesIO(client.get("/studies/small/export.zip").content)).extractall(tmp_path)
    (folder,) = (file.parent for file in tmp_path.rglob("study.yaml"))
    outcome = _outcome(monkeypatch, capsys, ("analyze", folder, "--json"))
    assert outcome.code == 0, outcome.err
    assert json.loads(outcome.out)["answers_by_version"] == reworded_answers
