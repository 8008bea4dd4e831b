from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import pandas as pd
import pytest
from sqlalchemy import text

from tests.studies.web.test_new_study import n_studies

if TYPE_CHECKING:
    from pathlib import Path

    from sqlalchemy import Connection
    from starlette.testclient import TestClient

SHEET = "Question,Physician Response,ChatGPT Response,Topic\nI have a cough,Drink tea,I am sorry to hear that,lungs\n"
FIELDS: dict[str, Any] = {
    "title": "Replies: to patients",
    "slug": "patients",
    "text": "Question",
    "item": "",
    "source": ["physician", "chatgpt", "", ""],
    "kind": ["human", "model", "human", "human"],
    "column": ["Physician Response", "ChatGPT Response", "", ""],
}


def send(client: TestClient, name: str = "replies.csv", content: bytes = SHEET.encode(), **fields: object) -> Any:  # noqa: ANN401 - httpx's response
    return client.post("/studies/new/spreadsheet", data=FIELDS | fields, files={"sheet": (name, content)})


def test_spreadsheet_creates_a_study_that_can_be_opened(client: TestClient, db: Connection) -> None:
    assert send(client).headers["location"] == "/studies/patients"
    assert db.execute(text("SELECT text, attributes FROM items")).one() == ("I have a cough", {"Topic": "lungs"})
    assert list(db.execute(text("SELECT text FROM responses ORDER BY position")).scalars()) == [
        "Drink tea",
        "I am sorry to hear that",
    ]
    assert client.post("/studies/patients/status", data={"status": "open"}).status_code == 303
    assert db.execute(text("SELECT status FROM studies")).scalar_one() == "open"


def test_excel_file_creates_a_study(client: TestClient, db: Connection) -> None:
    from openpyxl import Workbook

    book, buffer = Workbook(write_only=True), io.BytesIO()
    sheet = book.create_sheet()
    for row in SHEET.splitlines():
        sheet.append(row.split(","))
    book.save(buffer)
    assert send(client, "replies.xlsx", buffer.getvalue()).status_code == 303
    assert n_studies(db) == 1


def test_parquet_file_creates_a_study(client: TestClient, db: Connection, tmp_path: Path) -> None:
    pd.read_csv(io.StringIO(SHEET)).to_parquet(tmp_path / "a", index=False)
    assert send(client, "replies.parquet", (tmp_path / "a").read_bytes()).status_code == 303
    assert n_studies(db) == 1
    assert db.execute(text("SELECT text, attributes FROM items")).one() == ("I have a cough", {"Topic": "lungs"})


def test_single_source_is_rated_without_choice_question(client: TestClient, db: Connection) -> None:
    send(client, source=["chatgpt"], kind=["model"], column=["ChatGPT Response"])
    assert "choice" not in set(db.execute(text("SELECT type FROM questions")).scalars())


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"text": "Situation"}, "a column named Situation"),
        ({"slug": "No Slug"}, "slug"),
        ({"slug": "new"}, "slug"),
        ({"source": ["", ""], "column": ["", ""]}, "at least one source"),
        ({"source": ["a", "a"], "kind": ["human", "human"]}, "each source once"),
        ({"kind": ["alien", "model"]}, "alien"),
        ({"title": ""}, "title"),
    ],
)
def test_invalid_field_is_reported_and_input_kept(
    client: TestClient, db: Connection, fields: dict[str, Any], words: str
) -> None:
    answer = send(client, **fields)
    assert answer.status_code == 422
    assert words in answer.text
    assert 'value="ChatGPT Response"' in answer.text or fields.get("column")
    assert n_studies(db) == 0


@pytest.mark.parametrize("name", ["../../etc/passwd", "a/b\\c.csv", "\u202egnp.csv", "x" * 300 + ".csv", ".csv"])
def test_hostile_file_name_is_harmless(client: TestClient, name: str) -> None:
    assert send(client, name).status_code == 303


def test_missing_spreadsheet_is_reported(client: TestClient) -> None:
    answer = client.post("/studies/new/spreadsheet", data=FIELDS, files={"sheet": ("", b"")})
    assert answer.status_code == 422
    assert "a spreadsheet" in answer.text
