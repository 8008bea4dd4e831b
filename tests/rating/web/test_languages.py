"""A study in another language: built-in texts, numbers and direction follow, and the left response stays left."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import Engine, text

from tests.kit.builder import EMPATHY, PREFERENCE
from tests.kit.rater_pages import Visitor, form_address, heading

SLIDER = {"key": "s", "target": "item", "type": "slider", "text": "?", "min": 0, "max": 1, "step": 0.5}
PAIR = text("""
    SELECT l.key AS left_key, r.key AS right_key, x.side, c.key AS chosen FROM ratings x
    JOIN responses l ON l.study_id = x.study_id AND l.id = x.left_response_id
    JOIN responses r ON r.study_id = x.study_id AND r.id = x.right_response_id
    JOIN responses c ON c.study_id = x.study_id AND c.id = x.chosen_response_id
""")
RATED = text("""
    SELECT p.key, x.side, x.number FROM ratings x JOIN responses p ON p.study_id = x.study_id AND p.id = x.response_id
    ORDER BY x.number
""")


def named(page: Any) -> dict[str, str]:  # noqa: ANN401
    """The text below each response's name, in the order of the page."""
    found = re.findall(r'(?s)id="response-\d">([^<]+)<.*?class="verbatim"[^>]*>([^<]*)<', page.text)
    return dict(found)


def test_german_study_is_german_throughout(study: Callable[..., int], visitor: Callable[[], Visitor]) -> None:
    study(language="de", questions=[PREFERENCE, EMPATHY, SLIDER])
    anna = visitor()
    assert ">Beginnen</button>" in anna.arrive().text
    page = anna.begin()
    assert heading(page) == "Aufgabe 1 von 3"
    assert re.search(r"<title>\s*Aufgabe 1 von 3 · A study\s*</title>", page.text)
    assert "Zahl von 0 bis 1" in page.text
    wrong = anna.rate(page, {"q0": "left", "q1r0": "4", "q2": "0.3"})
    assert wrong.status_code == 422
    assert "Bitte prüfen Sie 2 Angaben" in wrong.text
    assert "Bitte geben Sie eine Zahl von 0 bis 1 in Schritten von 0,5 an." in wrong.text
    assert "Antwort B: " in wrong.text
    saved = anna.post(form_address(page) + "/save", data={"slot": "q2", "q2": "7"})
    assert saved.json()["detail"].startswith("Bitte geben Sie eine Zahl")


@pytest.mark.parametrize(("pressed", "side"), [("A", "right"), ("B", "left")])
def test_right_to_left_pair_stores_sides_as_shown(
    engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor], pressed: str, side: str
) -> None:
    study(language="ar", n_items=1)
    anna = visitor()
    page = anna.begin()
    shown = {name[-1]: words for name, words in named(page).items()}
    assert list(shown) == ["A", "B"]
    sides = dict(re.findall(r'value="(left|right)"\s+aria-keyshortcuts="([AB])"', page.text))
    assert sides == {"right": "A", "left": "B"}
    fields = re.findall(r'name="(q1r\d)"', page.text)
    read_first, read_last = fields[0], fields[-1]
    anna.rate(page, {"q0": next(s for s, key in sides.items() if key == pressed), read_first: "1", read_last: "5"})
    keys = {name: f"item-0:{words.split(' ')[0]}" for name, words in shown.items()}
    with engine.connect() as db:
        (row,) = db.execute(PAIR)
        rated = [tuple(row) for row in db.execute(RATED)]
    assert (row.right_key, row.left_key) == (keys["A"], keys["B"])
    assert (row.side, row.chosen) == (side, keys[pressed])
    assert rated == [(keys["A"], "right", 1), (keys["B"], "left", 5)]


def test_error_labels_use_letters_shown_on_page(study: Callable[..., int], visitor: Callable[[], Visitor]) -> None:
    study(language="ar", n_items=1)
    anna = visitor()
    page = anna.begin()
    first = re.findall(r'name="(q1r\d)"', page.text)[0]
    wrong = anna.rate(page, {"q0": "left", first: "4"})
    assert re.findall(r'<li><a href="#([^"]+)">([^<:]+):', wrong.text) == [
        ("q1r0-1" if first == "q1r1" else "q1r1-1", "الرد B")
    ]


def test_scale_starts_with_lowest_point_in_reading_direction(
    study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    study(language="ar", questions=[EMPATHY], design={"trials": "single"})
    page = visitor().begin()
    assert 'dir="rtl"' in page.text
    assert re.findall(r'name="q0r0"\s+id="[^"]+"\s+value="(\d)"', page.text) == list("12345")


def test_more_than_two_responses_keep_order_without_sides(
    engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    sources = {key: {"kind": "model"} for key in ("x", "y", "z")}
    texts = [{"key": "i", "text": "Hm", "responses": dict.fromkeys(sources, "A reply.")}]
    study(language="ar", questions=[EMPATHY], design={"trials": "set"}, sources=sources, texts=texts)
    page = visitor().begin()
    assert list(dict.fromkeys(re.findall(r'name="(q0r\d)"', page.text))) == ["q0r0", "q0r1", "q0r2"]


def test_displayed_numbers_are_localized_and_form_values_are_not(
    study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    scale = dict.fromkeys((1, 2, 3), "")
    study(language="ar-EG", questions=[{**EMPATHY, "scale": scale}], design={"trials": "single"}, n_items=5)
    page = visitor().begin()
    assert heading(page) == "البند ١ من ١٠"
    assert re.findall(r'class="words"[^>]*>([^<]+)<', page.text)[:3] == ["١", "٢", "٣"]
    assert re.findall(r'name="q0r0"\s+id="[^"]+"\s+value="([^"]+)"', page.text)[:3] == ["1", "2", "3"]
    assert '<progress value="0"' in page.text


def test_disclosed_source_label_is_stored_as_shown(
    engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    study(language="de", n_items=1, design={"blind": False})
    anna = visitor()
    page = anna.begin()
    assert "Von einer KI geschrieben" in page.text
    anna.rate(page)
    with engine.connect() as db:
        told = set(db.execute(text("SELECT shown_label FROM ratings WHERE response_id IS NOT NULL")).scalars())
    assert told == {"Von einem Menschen geschrieben", "Von einer KI geschrieben"}


def test_only_default_strength_labels_are_translated(study: Callable[..., int], visitor: Callable[[], Visitor]) -> None:
    study(slug="usual", language="de", questions=[{**PREFERENCE, "strength": True}])
    study(slug="own", language="de", questions=[{**PREFERENCE, "strength": {1: "slightly", 2: "very"}}])
    anna = visitor()
    assert ">deutlich</span>" in anna.begin("anna", "usual").text
    assert ">slightly</span>" in anna.begin("anna", "own").text


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("/s/study", "Dieser Link ist unvollständig"),
        ("/s/study/rate", "Bitte öffnen Sie die Studie mit dem Link"),
        ("/s/study/rate/00000000-0000-0000-0000-000000000000", "Seite nicht gefunden"),
        ("/s/study?workerId=A&assignmentId=ASSIGNMENT_ID_NOT_AVAILABLE", "Dies ist eine Vorschau."),
    ],
)
def test_refusal_pages_use_study_language(
    study: Callable[..., int], visitor: Callable[[], Visitor], address: str, words: str
) -> None:
    study(language="de")
    page = visitor().get(address)
    assert words in page.text
    assert '<html lang="de" dir="ltr">' in page.text


def test_untranslated_language_uses_english_in_its_own_direction(
    study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    study(language="fa")
    page = visitor().begin()
    assert '<html lang="fa" dir="rtl">' in page.text
    assert heading(page) == "Item 1 of 3"


def test_each_page_uses_language_of_its_study(study: Callable[..., int], visitor: Callable[[], Visitor]) -> None:
    study(slug="german", language="de")
    study(slug="english")
    anna = visitor()
    assert [heading(anna.begin("anna", slug)) for slug in ("german", "english", "german")] == [
        "Aufgabe 1 von 3",
        "Item 1 of 3",
        "Aufgabe 1 von 3",
    ]
