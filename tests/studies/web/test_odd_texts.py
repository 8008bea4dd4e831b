"""Spreadsheets with problems, uploaded as the texts of a study: a clear answer, and the study keeps what it has."""

from sqlalchemy import Connection
from starlette.testclient import TestClient

from tests.base.files.test_odd_spreadsheets import LONG, PROBLEMS
from tests.studies.web.test_texts import PAGE, texts, upload, use

N_COLUMNS = 5_000


def test_unreadable_columns_are_named_and_the_texts_stay(client: TestClient, db: Connection, study_id: int) -> None:
    before = texts(db)
    wide = (",".join(f"c{n}" for n in range(N_COLUMNS)).encode(), "5,000 columns")
    for name, (data, found) in {**PROBLEMS, "wide.csv": wide}.items():
        answer = upload(client, data, name)
        assert answer.status_code == 422, name
        assert found in answer.text
    assert "Another spreadsheet" not in client.get(PAGE).text
    assert texts(db) == before


def test_mixed_encodings_emoji_and_right_to_left_texts_are_kept(
    client: TestClient, db: Connection, study_id: int
) -> None:
    family, arabic = "That is hard 😢👩‍👩‍👧 and you are not alone. " * 2, "هذا صعب جدا، وأنا آسف لسماع ذلك. " * 2
    upload(client, f"Question,Physician,ChatGPT\n{LONG},{family},{arabic}\n".encode())
    use(client)
    assert [words.strip() for _, _, words in texts(db)] == [family.strip(), arabic.strip()]


def test_two_encodings_in_one_file_are_both_read(client: TestClient, db: Connection, study_id: int) -> None:
    reply = "I’m sorry to hear about the night in the café and the day after it"
    row = f"{LONG},{reply},{reply}\n"
    upload(client, b"Question,Physician,ChatGPT\n" + row.encode() + row.replace(LONG, f"{LONG} now").encode("cp1252"))
    use(client)
    assert [words for _, _, words in texts(db)] == [reply] * 4
