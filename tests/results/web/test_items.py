"""The items pages: search, reading an item with its sources named, its estimates, and retiring it."""

import pytest
from httpx2 import Response
from sqlalchemy import Connection, text
from starlette.testclient import TestClient

from app.accounts.leads import Lead
from app.rating.life_cycle import open_study
from app.studies.export import study_folder
from app.studies.load import load_study
from tests.kit.images import a_png
from tests.kit.lead_studies import rate, study_of

PAGE = "/studies/small/items"


@pytest.fixture
def study_id(db: Connection, lead: Lead) -> int:
    study_id = study_of(db, lead)
    open_study(db, "small")
    for number, rater in enumerate(("anna", "ben")):
        rate(db, study_id, rater=rater)
        db.execute(
            text(
                "INSERT INTO ratings (study_id, rater_id, question, item_id, response_id, number)"
                " SELECT :s, r.id, 'empathy', p.item_id, p.id, CAST(:n AS float8) FROM raters r, responses p"
                " WHERE r.key = :r AND right(p.key, 5) = 'model' AND p.item_id = (SELECT min(id) FROM items)"
            ),
            {"s": study_id, "r": rater, "n": 2 + 2 * number},
        )
    return study_id


def item_id(db: Connection, key: str) -> int:
    return int(db.execute(text("SELECT id FROM items WHERE key = :key"), {"key": key}).scalar_one())


def test_items_are_found_by_words_of_their_responses(client: TestClient, study_id: int) -> None:
    page = client.get(f"{PAGE}?words=person on VOICE").text
    assert "voicemail" in page
    assert "exam" not in page.partition("<tbody")[2]
    assert "No item matches" in client.get(f"{PAGE}?words=100%25").text


def test_items_are_filtered_by_attribute_and_sorted_by_spread(
    client: TestClient, db: Connection, study_id: int
) -> None:
    db.execute(text("""UPDATE items SET attributes = jsonb_build_object('topic', key)"""))
    rows = client.get(f"{PAGE}?where=topic=voicemail").text.partition("<tbody")[2]
    assert ("voicemail" in rows, "exam" in rows) == (True, False)
    db.execute(text("UPDATE ratings SET item_id = :i WHERE question = 'preference'"), {"i": item_id(db, "voicemail")})
    rows = client.get(f"{PAGE}?order=spread").text.partition("<tbody")[2]
    assert rows.index("exam") < rows.index("voicemail")
    assert "1.41" in rows


def test_item_is_read_with_sources_named_and_shows_its_ratings(
    client: TestClient, db: Connection, study_id: int
) -> None:
    address = f"{PAGE}/{item_id(db, 'exam')}"
    page = client.get(address)
    assert "frame-src 'self'" in page.headers["content-security-policy"]
    assert "3.00" in page.text
    assert "1.41" in page.text
    texts = client.get(f"{address}/texts").text
    assert texts.index("Person</span>") < texts.index("person on exam") < texts.index("model on exam")
    assert "<form" not in texts
    assert client.get(f"{PAGE}/999999").status_code == 404


def test_estimates_of_a_blinded_study_stay_hidden(client: TestClient, db: Connection, lead: Lead) -> None:
    monitoring = {"blind_interim": True}
    study_of(db, lead, monitoring=monitoring)
    page = client.get(f"{PAGE}/{item_id(db, 'exam')}").text
    assert "hidden until it closes" in page
    assert "Spread" not in client.get(PAGE).text


def test_item_is_retired_with_a_reason_and_brought_back(client: TestClient, db: Connection, study_id: int) -> None:
    address = f"{PAGE}/{item_id(db, 'voicemail')}/retirement"
    assert client.post(address, data={"retire": "true", "reason": " "}).status_code == 400
    assert client.post(address, data={"retire": "true", "reason": "Names its source"}).status_code == 303
    assert "Names its source" in client.get(f"{PAGE}?state=yes").text
    assert "voicemail" not in client.get(f"{PAGE}?state=no").text
    overview = client.get("/studies/small").text
    assert "1 item is retired" in overview
    assert "(2 needed + 2 no longer needed = 4 planned)" in overview
    assert "Item retired" in client.get("/studies/small/settings").text
    client.post(address, data={"retire": "false", "reason": "The source was cut out"})
    assert "retired:" not in client.get("/studies/small").text


def test_gold_items_are_not_retired(client: TestClient, db: Connection, study_id: int) -> None:
    item = item_id(db, "voicemail")
    db.execute(text("UPDATE trials SET purpose = 'gold' WHERE item_id = :i"), {"i": item})
    assert "gold trial" in client.get(f"{PAGE}/{item}").text
    assert client.post(f"{PAGE}/{item}/retirement", data={"retire": "true", "reason": "x"}).status_code == 400


def test_export_says_why_an_item_is_retired_and_loads_again(client: TestClient, db: Connection, study_id: int) -> None:
    client.post(f"{PAGE}/{item_id(db, 'exam')}/retirement", data={"retire": "true", "reason": "Names its source"})
    folder = study_folder(db, study_id)
    assert folder.items["retired_because"].tolist() == ["Names its source", None]
    db.execute(text("UPDATE studies SET slug = 'earlier'"))
    again = load_study(db, folder)
    assert study_folder(db, again).items.equals(folder.items)


def image_form(client: TestClient, item: int, content: bytes, alt: str, **more: str) -> Response:
    files = {"image": ("a face.png", content)} if content else {"image": ("", b"")}
    return client.post(f"/studies/new/small/items/{item}/image", data={"alt": alt, **more}, files=files)


def test_an_image_is_added_described_and_removed_while_the_study_is_a_draft(
    client: TestClient, db: Connection, lead: Lead
) -> None:
    study_id = study_of(db, lead)
    item = item_id(db, "exam")
    assert "a GIF, which can move" in image_form(client, item, b"GIF89a", "A face").text
    assert "Describe the image in at most 500 characters" in image_form(client, item, a_png(), " ").text
    assert "Choose an image." in image_form(client, item, b"", "A face").text
    assert image_form(client, item, a_png(), "A face").status_code == 303
    shown = client.get(f"{PAGE}/{item}").text
    assert ("a_face.png" in shown, "A face</textarea>" in shown) == (True, True)
    image_form(client, item_id(db, "voicemail"), a_png((9, 9)), "Another")
    image_form(client, item, b"", "A sad face")
    stored = study_folder(db, study_id)
    assert list(stored.items["image"]) == ["a_face.png", "a_face-1.png"]
    assert {*stored.images} == {"a_face.png", "a_face-1.png"}
    assert list(stored.items["image_alt"]) == ["A sad face", "Another"]
    assert 'alt="A sad face"' in client.get(f"{PAGE}/{item}/texts").text
    assert "Image:\n> A sad face\n" in client.get("/studies/small/design/preview/text").text
    image_form(client, item, b"", "", remove="yes")
    assert list(study_folder(db, study_id).images) == ["a_face-1.png"]
    open_study(db, "small")
    assert 'id="image"' not in client.get(f"{PAGE}/{item}").text
    assert image_form(client, item, a_png(), "A face").status_code == 400
    assert list(study_folder(db, study_id).images) == ["a_face-1.png"]
