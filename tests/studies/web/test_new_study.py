import io
import re
import zipfile
from collections.abc import Callable

import pytest
from fastapi import FastAPI
from sqlalchemy import Connection, text
from starlette.testclient import TestClient

from app.accounts.lead_access import add_lead
from app.accounts.leads import Lead

YAML = """\
attune: 1
slug: warmth
title: Warmth
sources:
  person: {kind: human}
  machine: {kind: model}
questions:
  - {key: warmth, target: response, type: rating, text: How warm is it?, scale: {1: cold, 2: mild, 3: warm}}
"""
ITEMS = "item,text\na,I passed\nb,I failed\n"
RESPONSES = "item,source,text\na,person,Well done\na,machine,Congratulations\nb,person,Oh no\nb,machine,Sorry\n"
RATINGS = "rater,item,response,question,value\nr1,a,a:person,warmth,3\nr1,b,b:machine,warmth,1\n"
FOLDER = {"study.yaml": YAML, "items.csv": ITEMS, "responses.csv": RESPONSES, "ratings.csv": RATINGS}
Parts = list[tuple[str, tuple[str, bytes]]]


def parts(files: dict[str, str]) -> Parts:
    return [("files", (name, content.encode())) for name, content in files.items()]


def zipped(files: dict[str, str]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in files.items():
            archive.writestr(f"warmth/{name}", content)
    return buffer.getvalue()


def n_studies(db: Connection) -> int:
    return int(db.execute(text("SELECT count(*) FROM studies")).scalar_one())


@pytest.mark.parametrize("address", ["/studies", "/studies/new", "/studies/new/template?name=epitome"])
def test_page_of_a_new_study_has_one_main_button(client: TestClient, address: str) -> None:
    page = client.get(address).text.partition("<main")[2]
    buttons = re.findall(r'<(?:button type="submit"|a class="button)[^>]*>', page)
    assert len([one for one in buttons if "quiet" not in one]) == 1, buttons


def test_uploaded_folder_files_create_a_study(client: TestClient, db: Connection) -> None:
    answer = client.post("/studies/new", files=parts(FOLDER))
    assert (answer.status_code, answer.headers["location"]) == (303, "/studies/warmth")
    page = client.get("/studies/warmth").text
    assert "Warmth" in page
    assert n_studies(db) == 1


def test_zipped_folder_creates_the_same_study(client: TestClient) -> None:
    answer = client.post("/studies/new", files=[("files", ("warmth.zip", zipped(FOLDER)))])
    assert answer.headers["location"] == "/studies/warmth"


def test_all_problems_are_listed_and_nothing_is_saved(client: TestClient, db: Connection) -> None:
    bad = FOLDER | {
        "responses.csv": RESPONSES + "c,person,Lost\nb,nobody,Who\n",
        "ratings.csv": RATINGS + "r1,a,a:machine,warmth,7\n",
    }
    answer = client.post("/studies/new", files=parts(bad))
    assert answer.status_code == 422
    assert "Nothing was saved." in answer.text
    for place in ("responses.csv", "ratings.csv", "nobody", "7"):
        assert f"<bdi>{place}</bdi>" in answer.text
    assert n_studies(db) == 0


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("study.yaml", b"attune: [1"),
        ("study.yaml", b"\x00\x01\x02\xff\xfe\x00"),
        ("items.csv", b"\x89PNG\r\n\x1a\n\x00\x00"),
        ("responses.csv", b"source,text\nperson,Well done\n"),
        ("study.zip", b"PK\x03\x04 not a zip"),
        ("notes.docx", b"nothing of a study"),
    ],
)
def test_invalid_upload_lists_problems(client: TestClient, db: Connection, name: str, content: bytes) -> None:
    whole = {part: text.encode() for part, text in FOLDER.items()}
    files = {**whole, name: content} if name in FOLDER else {name: content}
    answer = client.post("/studies/new", files=[("files", part) for part in files.items()])
    assert answer.status_code == 422
    assert "Nothing was saved." in answer.text
    assert "Traceback" not in answer.text
    assert n_studies(db) == 0


def test_reserved_slug_new_is_rejected(client: TestClient) -> None:
    answer = client.post(
        "/studies/new", files=parts(FOLDER | {"study.yaml": YAML.replace("slug: warmth", "slug: new")})
    )
    assert answer.status_code == 422
    assert "slug" in answer.text


def test_upload_without_files_is_rejected(client: TestClient) -> None:
    answer = client.post("/studies/new", files=[("files", ("", b""))])
    assert answer.status_code == 422
    assert "1 problem." in answer.text


def test_quoted_html_and_formulas_are_escaped_in_problems(client: TestClient) -> None:
    bad = FOLDER | {"ratings.csv": RATINGS + "r1,a,a:machine,warmth,<script>alert(1)</script>\n"}
    answer = client.post("/studies/new", files=parts(bad))
    assert "<script>alert" not in answer.text
    assert "&lt;script&gt;alert(1)" in answer.text


def test_taken_slug_is_rejected_and_other_study_unchanged(
    client: TestClient, db: Connection, sign_in: Callable[[Lead], TestClient]
) -> None:
    client.post("/studies/new", files=parts(FOLDER))
    other = sign_in(add_lead(db, "other@example.org"))
    answer = other.post("/studies/new", files=parts(FOLDER))
    assert answer.status_code == 422
    assert "warmth" in answer.text
    assert n_studies(db) == 1


def test_repeated_upload_creates_one_study(client: TestClient, db: Connection) -> None:
    for _ in range(2):
        assert client.post("/studies/new", files=parts(FOLDER)).status_code == 303
    assert n_studies(db) == 1


def test_oversized_streamed_upload_is_rejected_with_message(client: TestClient, app: FastAPI, db: Connection) -> None:
    def endless(n_bytes: int) -> object:
        yield b'--x\r\nContent-Disposition: form-data; name="files"; filename="items.csv"\r\n\r\n'
        for _ in range(n_bytes // 2**20):
            yield b"x" * 2**20

    answer = client.post(
        "/studies/new",
        content=endless(200 * 2**20),  # type: ignore[arg-type]  # an iterator of bytes
        headers={"content-type": "multipart/form-data; boundary=x"},
    )
    assert answer.status_code == 413
    assert "too large" in answer.text
    assert n_studies(db) == 0


def test_oversized_content_length_is_rejected_with_message(client: TestClient) -> None:
    content = b"x" * (101 * 2**20)
    answer = client.post("/studies/new", content=content, headers={"content-type": "multipart/form-data; boundary=x"})
    assert answer.status_code == 413
    assert "too large" in answer.text


def test_zip_bomb_is_rejected(client: TestClient, db: Connection) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("study.yaml", YAML)
        with archive.open("items.csv", "w", force_zip64=True) as file:
            for _ in range(600):
                file.write(b"\0" * 2**20)
    answer = client.post("/studies/new", files=[("files", ("bomb.zip", buffer.getvalue()))])
    assert answer.status_code == 422
    assert "MiB" in answer.text
    assert n_studies(db) == 0


def test_anonymous_upload_is_not_read(visitor: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: object, **__: object) -> None:
        pytest.fail("the body was read")

    monkeypatch.setattr("starlette.requests.Request.form", never)
    answer = visitor.post("/studies/new", files=parts(FOLDER))
    assert answer.status_code == 303
    assert answer.headers["location"].startswith("/sign-in")


def test_other_forms_are_limited_to_one_megabyte(client: TestClient) -> None:
    assert client.post("/sign-in", data={"email": "x" * 2**21, "password": ""}).status_code == 413
