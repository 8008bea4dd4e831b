"""Texts from a spreadsheet: the file is stored, its columns are guessed, a report is shown, then the texts are used."""

import json
import re
from collections.abc import Iterable

import pytest
from httpx2 import Response
from sqlalchemy import Connection, text
from starlette.testclient import TestClient

from app.base.problems import Problems
from app.protocol.yaml.study_yaml import read_protocol
from app.rating.life_cycle import open_study
from app.studies.imports.text_import import with_sources
from tests.base.files.test_import_report import LONG, SHEET
from tests.kit.builder import EMPATHY, protocol_of

PAGE = "/studies/new/small/texts"


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
    page = client.get("/studies/small").text
    assert "A response may reveal who wrote it" in page
    assert "N1, Model: As an AI" in page
    assert "Every text of my_sheet.csv is used." in page or "my_sheet.csv had a problem" in page


def test_texts_are_unchanged_without_repair(client: TestClient, db: Connection, study_id: int) -> None:
    upload(client)
    client.post("/studies/new/small/columns", data={"use": "1"})
    assert texts(db)[0][2].startswith("It‰Ûªs hard")


def test_columns_of_another_spreadsheet_are_not_used(client: TestClient, db: Connection, study_id: int) -> None:
    """Two leads read a spreadsheet each: the first one does not get the texts of the second one unseen."""
    upload(client)
    [seen] = re.findall(r'name="uploaded_at" value="([^"]+)"', client.get(PAGE).text)
    before = texts(db)
    upload(client, name="theirs.csv")
    db.execute(text("UPDATE text_uploads SET uploaded_at = uploaded_at + interval '1 second'"))
    answer = use(client, uploaded_at=seen)
    assert answer.status_code == 422
    assert "Another spreadsheet was read in the meantime: theirs.csv." in answer.text
    assert texts(db) == before
    [now] = re.findall(r'name="uploaded_at" value="([^"]+)"', answer.text)
    assert use(client, uploaded_at=now).status_code == 303


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


# 26 sources as published studies name them, and one whose name says nothing.
MODELS = (
    *("gpt-4", "gpt-3.5-turbo", "ChatGPT", "claude-3-opus", "llama-2-7b", "Llama3", "alpaca", "vicuna-13b", "koala"),
    *("falcon_40b", "mistral", "mixtral-8x7b", "opt-7b", "bloom-7b", "pythia-6.9b", "cerebras-gpt-6.7B", "dolly", "t5"),
    *("BlenderBot", "gemini-pro", "PaLM 2"),
)
PEOPLE = ("human", "Physician", "peer_supporter", "crowd worker", "Therapist 2")


def rows_of(sources: Iterable[str], n_items: int = 4) -> bytes:
    rows = [
        f"{item},{LONG} {item},{source},A reply number {n} to {item} that is long enough to be read as a text."
        for item in range(n_items)
        for n, source in enumerate(sources)
    ]
    return "\n".join(["id,situation,source,response", *rows]).encode()


def kinds_of(db: Connection, study_id: int) -> dict[str, str]:
    rows = db.execute(text("SELECT key, kind FROM sources WHERE study_id = :study"), {"study": study_id})
    return {row.key: row.kind for row in rows}


def test_kinds_of_many_sources_are_found_said_and_corrected(client: TestClient, db: Connection, study_id: int) -> None:
    upload(client, rows_of([*MODELS, *PEOPLE, "B"]))
    page = " ".join(client.get(PAGE).text.split())
    assert "names 27 sources" in page
    assert page.count('name="written_kind"') == 27
    assert page.count("The name does not say it: please check") == 1
    use(client, written_source="B", written_kind="human+model")
    assert kinds_of(db, study_id) == {
        **dict.fromkeys(MODELS, "model"),
        **dict.fromkeys(PEOPLE, "human"),
        "B": "human+model",
    }


def test_kind_of_a_known_source_can_be_corrected(client: TestClient, db: Connection, study_id: int) -> None:
    upload(client, rows_of(["person", "model"]))
    use(client, written_source="person", written_kind="human+model")
    assert kinds_of(db, study_id) == {"person": "human+model", "model": "model"}


def test_second_response_of_a_source_to_an_item_is_refused(client: TestClient, study_id: int) -> None:
    answer = upload(client, rows_of(["person", "model", "person"], n_items=1))
    assert answer.status_code == 422
    assert "row 4, column response: found &#34;a second response of person to 0&#34;" in answer.text


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


def test_replaced_source_leaves_nothing_that_names_it() -> None:
    data = protocol_of(
        sources={"person": {"kind": "human"}, "model": {"kind": "model"}, "old": {"kind": "human"}},
        conditions={
            "author": {"kind": "source", "assign": "between", "levels": {"person": "", "old": ""}},
            "claimed": {"kind": "shown_label", "assign": "between", "levels": ["true", "swapped"]},
        },
        flow={"debrief": {"text": "Labels were swapped."}},
        questions=[{**EMPATHY, "condition": "author=old"}],
        analysis={
            "reference": "old",
            "primary": [
                {"question": "empathy", "source": "model", "reference": "old"},
                {"question": "empathy", "factor": "author", "test": "factor_effect"},
                {"question": "empathy", "source": "model", "reference": "person"},
            ],
        },
    )
    data["conditions"]["claimed"]["swaps"] = {"person": "model", "model": "person", "old": "model"}
    replaced = with_sources(data, {"person": {"kind": "human"}, "model": {"kind": "model"}})
    assert replaced["analysis"] == {"primary": [{"question": "empathy", "source": "model", "reference": "person"}]}
    assert replaced["conditions"].keys() == {"claimed"}
    assert replaced["conditions"]["claimed"]["swaps"] == {"person": "model", "model": "person"}
    assert "condition" not in replaced["questions"][0]
    problems = Problems()
    read_protocol(json.dumps(replaced), problems)
    assert problems.errors == []


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


def test_sheet_with_ratings_alone_says_what_to_do_instead(client: TestClient, study_id: int) -> None:
    """The page said to choose “Use these texts”, which refused."""
    rows = "".join(
        f"{rater},{item},{1 + (item + place) % 5}\n" for item in range(4) for place, rater in enumerate("ab")
    )
    upload(client, f"rater,item,warmth\n{rows}".encode())
    shown = client.get(PAGE).text
    assert "This spreadsheet has ratings, but no column holds the situation." in shown
    assert '/help/ratings-import"' in shown
    assert "Choose <em>Use these texts</em>" not in shown
    assert '<button type="submit" name="use" value="1" class="quiet">' in " ".join(shown.split())
    texts_too = "".join(f'"{LONG} {n}","{LONG}",{n + 1},{5 - n}\n' for n in range(4))
    upload(client, f"question,reply,Anna,Ben\n{texts_too}".encode())
    shown = client.get(PAGE).text
    assert "no column holds the situation" not in shown
    assert "Choose <em>Use these texts</em>" in shown
    assert 'name="use" value="1" class="quiet"' not in " ".join(shown.split())


def test_sheet_of_a_study_that_was_opened_meanwhile_is_refused_once(
    client: TestClient, db: Connection, study_id: int
) -> None:
    upload(client)
    open_study(db, "small")
    answer = use(client)
    assert (answer.status_code, answer.text.count("its texts cannot be replaced")) == (422, 1)
