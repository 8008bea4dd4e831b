"""Ratings in the spreadsheet of the texts: they are checked first, and imported with the texts' own items."""

import re

from sqlalchemy import Connection, text
from starlette.testclient import TestClient

from app.accounts.leads import Lead
from app.studies.audit import list_acts
from tests.kit.lead_studies import study_of

PAGE, LONG = "/studies/new/small/ratings", "I have slept badly for weeks and do not know what else I could still try."
REPLY = "That is hard. Please see somebody about it as soon as you possibly can, because"
SHEET = "\n".join(
    [
        "Question,Physician Response,ChatGPT Response,Eval 1 Empathy (Physician),Eval 1 Empathy (ChatGPT),Warmth",
        *(f'{LONG} {n},"{REPLY} one {n}","{REPLY} two {n}",{n},{5 - n},{n}' for n in range(1, 5)),
    ]
).encode()


def use_texts(client: TestClient, content: bytes = SHEET) -> None:
    client.post("/studies/new/small/texts", files={"sheet": ("sheet.csv", content)})
    client.post("/studies/new/small/columns", data={"use": "1"})


def filled(client: TestClient) -> dict[str, str]:
    """The form as it is guessed."""
    page = " ".join(client.get(PAGE).text.split())
    assert 'value="Eval 1" aria-label="Rater of Eval 1 Empathy (ChatGPT)"' in page
    return {
        "question.0": "empathy",
        "source.0": "person",
        "rater.0": "Eval 1",
        "question.1": "empathy",
        "source.1": "model",
        "rater.1": "Eval 1",
    }


def stored(db: Connection) -> list[tuple[object, ...]]:
    query = text(
        "SELECT i.key, s.key, w.key, w.is_imported, r.number FROM ratings r JOIN items i ON i.id = r.item_id"
        " JOIN responses p ON p.id = r.response_id JOIN sources s ON s.id = p.source_id"
        " JOIN raters w ON w.id = r.rater_id ORDER BY i.position, p.position"
    )
    return [tuple(row) for row in db.execute(query)]


def test_ratings_are_checked_then_imported(client: TestClient, db: Connection, study_id: int) -> None:
    assert "Use the texts of a spreadsheet first" in client.get(PAGE).text
    use_texts(client)
    assert PAGE in client.get("/studies/new/small/texts").text
    checked = client.post(PAGE, data=filled(client)).text
    assert "What would be imported" in checked
    assert "1 to 4" in checked
    assert stored(db) == []
    assert client.post(PAGE, data=filled(client) | {"import": "1"}).headers["location"] == PAGE
    texts = " ".join(client.get("/studies/new/small/texts").text.split())
    assert "the same ratings cannot be imported twice" in texts
    assert "Import them once" not in texts
    found = stored(db)
    assert found[:2] == [("1", "person", "Eval 1", True, 1.0), ("1", "model", "Eval 1", True, 4.0)]
    assert len(found) == 8
    assert list_acts(db, study_id)[0].detail == {"file": "sheet.csv", "n_ratings": 8}
    again = client.post(PAGE, data=filled(client) | {"import": "1"})
    assert again.status_code == 422
    assert len(stored(db)) == 8


def test_column_without_rater_or_with_other_values_is_refused(
    client: TestClient, db: Connection, study_id: int
) -> None:
    use_texts(client, SHEET.replace(b",4,1,4", b",9,1,4"))
    assert "Choose the question of at least one column" in client.post(PAGE, data={}).text
    assert "Say who gave the ratings" in client.post(PAGE, data=filled(client) | {"rater.0": ""}).text
    wrong = client.post(PAGE, data=filled(client) | {"import": "1"})
    assert wrong.status_code == 422
    assert "row 5, column Eval 1 Empathy (Physician): found &#34;9&#34;" in wrong.text
    assert stored(db) == []


def test_value_that_is_no_answer_is_recoded_or_left_out(client: TestClient, db: Connection, study_id: int) -> None:
    coded = SHEET.replace(b",4,1,4", b",0.0,1,4").replace(b",1,4,1", b",high,4,1")
    use_texts(client, coded)
    sent = filled(client)
    page = " ".join(client.post(PAGE, data=sent).text.split())
    assert "2 cells from row 2 on: found &#34;high&#34; and &#34;0.0&#34;" in page
    fields = dict(re.findall(r'name="(recode[^"]*)" value="([^"]*)"', page))
    assert fields == {
        "recode.0.question": "empathy",
        "recode.0.found": "high",
        "recode.1.question": "empathy",
        "recode.1.found": "0.0",
    }
    assert '<select name="recode.0.value" aria-label="Read high in Empathy as">' in page
    half = client.post(PAGE, data=sent | fields | {"recode.0.value": "as:5", "import": "1"})
    assert (half.status_code, stored(db)) == (422, [])
    assert '<option value="as:5" selected>' in " ".join(half.text.split())
    decided = sent | fields | {"recode.0.value": "as:5", "recode.1.value": "skip"}
    checked = " ".join(client.post(PAGE, data=decided).text.split())
    assert "What would be imported" in checked
    assert '<option value="skip" selected>' in checked
    assert client.post(PAGE, data=decided | {"import": "1"}).status_code == 303
    found = [row for row in stored(db) if row[1] == "person"]
    assert [(item, number) for item, *_, number in found] == [("1", 5.0), ("2", 2.0), ("3", 3.0)]


def test_value_of_a_slider_is_entered(client: TestClient, db: Connection, lead: Lead) -> None:
    slider = {
        "key": "empathy",
        "type": "slider",
        "target": "response",
        "text": "How much?",
        "max": 10,
        "cannot_judge": True,
    }
    study_of(db, lead, questions=[slider])
    use_texts(client, SHEET.replace(b",4,1,4", b",ten,1,4").replace(b",1,4,1", b",dk,4,1"))
    sent = filled(client) | {
        "recode.0.question": "empathy",
        "recode.0.found": "ten",
        "recode.1.question": "empathy",
        "recode.1.found": "dk",
        "recode.1.value": "as:cannot_judge",
    }
    page = " ".join(client.post(PAGE, data=sent).text.split())
    assert page.count('<span class="soft">0 to 10 in steps of 1</span>') == 2
    assert '<option value="as:cannot_judge" selected>Cannot judge</option>' in page
    wrong = client.post(PAGE, data=sent | {"recode.0.entered": "11"})
    assert wrong.status_code == 422
    assert 'value="11" aria-label="Value to read for ten in Empathy"' in " ".join(wrong.text.split())
    assert client.post(PAGE, data=sent | {"recode.0.entered": "10", "import": "1"}).status_code == 303
    assert [number for item, source, *_, number in stored(db) if source == "person"] == [None, 2.0, 3.0, 10.0]


def test_raters_can_be_named_in_a_column(client: TestClient, db: Connection, study_id: int) -> None:
    rows = [f'q{n},{LONG} {n},"{REPLY} one {n}","{REPLY} two {n}",nurse-{n},{n}' for n in range(1, 5)]
    head = "ID,Question,Physician Response,ChatGPT Response,Annotator,Empathy (Physician)"
    use_texts(client, "\n".join([head, *rows]).encode())
    assert chosen(client)["question.0"] == "names:raters"
    sent = {"question.0": "names:raters", "question.1": "empathy", "source.1": "person", "import": "1"}
    assert client.post(PAGE, data=sent).status_code == 303
    assert [row[2] for row in stored(db)] == [f"nurse-{n}" for n in range(1, 5)]


def chosen(client: TestClient) -> dict[str, str]:
    """What is chosen in the form as it is shown, without empty choices."""
    found = re.findall(r'<select name="([^"]+)".*?</select>', client.get(PAGE).text, re.DOTALL)
    shown = " ".join(client.get(PAGE).text.split())
    selects = {name: re.search(rf'<select name="{name}".*?</select>', shown) for name in found}
    values = {name: re.search(r'value="([^"]*)" selected', one[0]) for name, one in selects.items() if one}
    return {name: one[1] for name, one in values.items() if one}


def test_columns_that_name_the_raters_of_a_source_are_recognized(
    client: TestClient, db: Connection, lead: Lead
) -> None:
    """As `--rater 'annotator_{source}'` with `--question empathy='rating_{source}'` on the command line."""
    rows = [
        f'q{n},{LONG} {n},"{REPLY} one {n}","{REPLY} two {n}",ann-{n % 2},{n},ben-{n % 3},{5 - n}' for n in range(1, 5)
    ]
    scale = {"key": "empathy", "type": "rating", "target": "response", "text": "How?"}
    study_of(db, lead, questions=[{**scale, "scale": {n: str(n) for n in range(1, 6)}}])
    head = "ID,Question,Person Response,Model Response,annotator_person,rating_person,annotator_model,rating_model"
    use_texts(client, "\n".join([head, *rows]).encode())
    guessed = {
        "question.0": "names:raters",
        "source.0": "person",
        "question.1": "empathy",
        "source.1": "person",
        "question.2": "names:raters",
        "source.2": "model",
        "question.3": "empathy",
        "source.3": "model",
    }
    assert chosen(client) == guessed
    assert client.post(PAGE, data=guessed | {"import": "1"}).status_code == 303
    found = stored(db)
    assert found[:2] == [("q1", "person", "ann-1", True, 1.0), ("q1", "model", "ben-1", True, 4.0)]
    assert found[4:6] == [("q3", "person", "ann-1", True, 3.0), ("q3", "model", "ben-0", True, 2.0)]


def test_two_columns_cannot_name_the_raters_of_one_source(client: TestClient, study_id: int) -> None:
    use_texts(client)
    sent = {"question.0": "empathy", "question.1": "names:raters", "question.2": "names:raters"}
    answer = client.post(PAGE, data=sent)
    assert answer.status_code == 422
    assert (
        "Only one column can name the raters of the same ratings: Eval 1 Empathy (ChatGPT) and Warmth." in answer.text
    )
