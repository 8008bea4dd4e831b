"""The document for an ethics board is there to take away, from a draft and from an open study."""

import io
import zipfile

from sqlalchemy import Connection, text
from starlette.testclient import TestClient

from tests.studies.web.test_new_study import FOLDER, parts

ADDRESSES = [f"/studies/warmth/ethics.{ending}" for ending in ("docx", "zip")]


def unpacked(content: bytes) -> dict[str, str]:
    with zipfile.ZipFile(io.BytesIO(content)) as files:
        return {name: files.read(name).decode(errors="replace") for name in files.namelist()}


def test_leads_take_the_document_from_a_draft_and_from_an_open_study(client: TestClient, db: Connection) -> None:
    client.post("/studies/new", files=parts(FOLDER))
    draft = client.get("/studies/warmth").text
    assert [address in draft for address in ADDRESSES] == [True, True]
    word = client.get(ADDRESSES[0])
    assert word.headers["content-disposition"] == 'attachment; filename="warmth-ethics.docx"'
    assert "to be completed: retention date" in unpacked(word.content)["word/document.xml"]

    db.execute(text("UPDATE studies SET status = 'open', opened_at = now(), keep_until = '2031-12-31'"))
    downloads = client.get("/studies/warmth/downloads").text
    assert [address in downloads for address in ADDRESSES] == [True, True]
    files = unpacked(client.get(ADDRESSES[1]).content)
    assert sorted(files) == [f"ethics.{ending}" for ending in ("docx", "html", "md", "pdf", "tex")]
    assert "until 31 December 2031" in files["ethics.md"]
    assert "at most 35 days" in files["ethics.md"]
