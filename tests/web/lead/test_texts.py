"""Texts from a spreadsheet: the file is stored, its columns are guessed, a report is shown, then the texts are used."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from sqlalchemy import text

from app.actions.studies.creation.text_import import with_sources
from app.actions.studies.life_cycle import open_study
from tests.exchange.tabular.test_import_report import LONG, SHEET
from tests.web.lead.build import study_of

if TYPE_CHECKING:
    from httpx2 import Response
    from sqlalchemy import Connection
    from starlette.testclient import TestClient

    from app.storage.leads.leads import Lead

PAGE = "/studies/new/small/texts"


@pytest.fixture
def study_id(db: Connection, lead: Lead) -> int:
    return study_of(db, lead)


def upload(client: TestClient, content: bytes = SHEET, name: str = "my sheet.csv") -> Response:
    return client.post(PAGE, files={"sheet": (name, content)})


def use(client: TestClient, **fields: str) -> Response:
    return client.post("/studies/new/small/columns", data={"repair": "1", "use": "1", **fields})


def texts(db: Connection) -> list[tuple[str, str, str]]:
    query = text(
        "SELECT i.key, s.key, r.text FROM responses r JOIN items i ON i.id = r.item_id"
        " JOIN sources s ON s.id = r.source_id ORDER BY r.position"
    )
    return [tuple(row) for row in db.execute(query)]


def test_sheet_is_reported_on_before_use(client: TestClient, db: Connection, study_id: int) -> None:
    before = texts(db)
    assert upload(client).headers["location"] == PAGE
    page = client.get(PAGE).text
    assert "my_sheet.csv" in page
    assert "Garbled characters" in page
    assert "As an AI" in page
    assert texts(db) == before


def test_sheet_replaces_examples_with_repaired_texts(client: TestClient, db: Connection, study_id: int) -> None:
    upload(client)
    assert use(client).headers["location"] == "/studies/small/design/questions"
    found = texts(db)
    assert [(item, source) for item, source, _ in found] == [
        ("N1", "person"),
        ("N1", "model"),
        ("N2", "person"),
        ("N2", "model"),
    ]
    assert found[0][2].startswith("It’s hard")
    attributes = db.execute(text("SELECT attributes FROM items ORDER BY position")).scalars().all()
    assert attributes[0] == {"Topic": "night"}
    assert bytes(db.execute(text("SELECT content FROM text_uploads")).scalar_one()) == SHEET


def test_overview_repeats_that_a_text_reveals_its_author(client: TestClient, study_id: int) -> None:
    upload(client)
    assert "may reveal" not in client.get("/studies/small").text
    use(client)
    assert "A text of my_sheet.csv may reveal who wrote it (row 2, model: As an AI" in client.get("/studies/small").text


def test_texts_are_unchanged_without_repair(client: TestClient, db: Connection, study_id: int) -> None:
    upload(client)
    client.post("/studies/new/small/columns", data={"use": "1"})
    assert texts(db)[0][2].startswith("It‰Ûªs hard")


def test_guessed_columns_can_be_overridden(client: TestClient, db: Connection, study_id: int) -> None:
    upload(client)
    use(client, **{"role.3": "ignore", "source.2": "nurse", "role.5": "ignore"})
    assert {source for _, source, _ in texts(db)} == {"nurse"}
    assert db.execute(text("SELECT kind FROM sources")).scalars().all() == ["human"]


def test_sheet_with_one_row_per_response_is_read(client: TestClient, db: Connection, study_id: int) -> None:
    rows = [
        f"{item},{LONG} {item},{source},A reply by {source} to {item} that is long enough to be read as a text."
        for item in ("a", "b")
        for source in ("person", "model")
    ]
    upload(client, "\n".join(["id,situation,source,response", *rows]).encode())
    use(client)
    assert [(item, source) for item, source, _ in texts(db)] == [
        ("a", "person"),
        ("a", "model"),
        ("b", "person"),
        ("b", "model"),
    ]


def test_unreadable_file_keeps_previous_file(client: TestClient, study_id: int) -> None:
    upload(client)
    answer = upload(client, b"\x00\x01", "other.csv")
    assert answer.status_code == 422
    assert "my_sheet.csv" in answer.text
    assert client.post(PAGE, files={}).status_code == 422


def test_column_problem_keeps_file_and_choices(client: TestClient, study_id: int) -> None:
    upload(client)
    answer = use(client, **{"source.2": "same", "source.3": "same"})
    assert answer.status_code == 422
    assert "same twice" in answer.text
    assert "my_sheet.csv" in answer.text


def test_opened_study_keeps_its_texts(client: TestClient, db: Connection, study_id: int) -> None:
    upload(client)
    open_study(db, "small")
    before = texts(db)
    assert "has been opened" in client.get(PAGE).text
    assert use(client).status_code == 422
    assert texts(db) == before


def test_columns_without_file_redirect_to_page(client: TestClient, study_id: int) -> None:
    assert use(client).headers["location"] == PAGE


@pytest.mark.parametrize(
    ("content", "found"), [(b"", "an empty file"), (b"Question,Reply\n", "no rows below the column names")]
)
def test_sheet_without_texts_is_a_problem(client: TestClient, study_id: int, content: bytes, found: str) -> None:
    answer = upload(client, content, "mine.csv")
    assert answer.status_code == 422
    assert f"mine.csv: found “{found}”" in answer.text or f"mine.csv: found &#34;{found}&#34;" in answer.text


def test_column_named_after_a_source_has_its_responses(client: TestClient, study_id: int) -> None:
    upload(client, f"Question,Person\n{LONG},I am sorry.\n".encode())
    page = client.get(PAGE).text
    assert 'value="person"' in page
    assert "1 item, 1 source." in page


def test_study_no_longer_says_what_its_texts_are_once_they_are_replaced() -> None:
    described = {"description": "A test. The examples written for the template stay.", "about_texts": "Examples."}
    assert with_sources(described, {}) == {"description": described["description"], "sources": {}}


def test_sheet_without_column_names_is_noted_before_its_first_item_is_lost(client: TestClient, study_id: int) -> None:
    rows = [f'"{LONG}, says patient {n}","{LONG}, says physician {n}"' for n in range(3)]
    upload(client, "\n".join(rows).encode())
    assert "Column names that read like texts" in client.get(PAGE).text
    upload(client)
    assert "read like texts" not in client.get(PAGE).text


def test_sheet_without_a_situation_asks_for_its_column(client: TestClient, study_id: int) -> None:
    upload(client)
    answer = use(client, **{"role.1": "attribute"})
    assert (answer.status_code, "No column holds the situation." in answer.text) == (422, True)


def test_sheet_of_a_study_that_was_opened_meanwhile_is_refused_once(
    client: TestClient, db: Connection, study_id: int
) -> None:
    upload(client)
    open_study(db, "small")
    answer = use(client)
    assert (answer.status_code, answer.text.count("its texts cannot be replaced")) == (422, 1)
