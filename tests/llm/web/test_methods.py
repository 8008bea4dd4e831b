"""Paste your methods: guesses are confirmed one by one, and a model needs a sentence of the text for each."""

import re
from html import unescape
from html.parser import HTMLParser
from typing import Any

import pytest
from sqlalchemy import Connection, text
from starlette.testclient import TestClient

from app.accounts.leads import Lead
from app.llm.client.servers import ModelServer as Server
from app.llm.methods.model_reader import ReadingError, guesses_of, schema
from app.studies.methods.guesses import KINDS
from tests.kit.lead_studies import study_of
from tests.kit.models_server import ModelServer, serving
from tests.studies.methods.paraphrases import AYERS_2023, GERMAN, KUMAR_2025, PREREGISTRATION, ZHAN_2024

ADDRESS = "/studies/small/methods"


class Guesses(HTMLParser):
    """The fields of the guesses on a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.fields: dict[str, str] = {}
        self.area = self.select = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "input" and given.get("type") in {"hidden", "text"}:
            self.fields[given["name"]] = given.get("value", "")
        elif tag == "textarea":
            self.area = given["name"]
            self.fields[self.area] = ""
        elif tag == "select":
            self.select = given["name"]
        elif tag == "option" and self.select and (self.select not in self.fields or "selected" in given):
            self.fields[self.select] = given["value"]

    def handle_endtag(self, tag: str) -> None:
        if tag == "textarea":
            self.fields[self.area] = self.fields[self.area].removeprefix("\n")
            self.area = ""
        elif tag == "select":
            self.select = ""

    def handle_data(self, data: str) -> None:
        if self.area:
            self.fields[self.area] += data


def read(client: TestClient, words: str, **fields: str) -> dict[str, str]:
    answer = client.post(ADDRESS, data={"number": "0", "do": "find", "text": words, **fields})
    assert answer.status_code == 200, unescape(answer.text)
    return Guesses(answer.text).fields


def accept(client: TestClient, fields: dict[str, str], *kinds: str, leave: tuple[str, ...] = ()) -> str:
    decided = {}
    for name, kind in fields.items():
        if name.startswith("guess-") and (kind in kinds or not kinds):
            decided[name.replace("guess", "use")] = "accept"
        if name.startswith("guess-") and kind in leave:
            decided[name.replace("guess", "use")] = "leave"
    return unescape(client.post(ADDRESS, data=fields | decided | {"do": "use"}).text)


def document(db: Connection) -> dict[str, Any]:
    found: dict[str, Any] = db.execute(
        text("SELECT document FROM protocols ORDER BY version DESC LIMIT 1")
    ).scalar_one()
    return found


def test_nothing_changes_before_a_guess_is_accepted(client: TestClient, db: Connection, study_id: int) -> None:
    before = document(db)
    fields = read(client, PREREGISTRATION)
    assert sum(name.startswith("guess-") for name in fields) > 8
    page = client.post(ADDRESS, data=fields | {"do": "use"}).text
    assert document(db) == before
    assert page.count('class="group guess"') == sum(name.startswith("guess-") for name in fields)


def test_a_preregistration_becomes_the_study_that_it_describes(
    client: TestClient, db: Connection, study_id: int
) -> None:
    page = accept(client, read(client, PREREGISTRATION))
    assert 'class="field-problem"' not in page
    made = document(db)
    asked = made["questions"][-1]
    assert asked["text"] == "How empathetic is this response?"
    assert (asked["scale"]["points"][0]["words"], asked["scale"]["points"][-1]["value"]) == ("not at all", 7)
    assert (made["design"]["raters_per_trial"], made["design"]["trials_per_rater"]) == (8, 12)
    assert len(made["checks"]["attention"]) == 2
    assert {"gpt_4o", "counselor"} <= set(made["sources"])
    (contrast,) = made["analysis"]["primary"]
    assert (contrast["source"], contrast["reference"], contrast["test"]) == ("gpt_4o", "counselor", "t_paired")
    assert made["preregistration"]["stopping_rule"] == "Data collection stops when every response has eight ratings."
    assert "Added to the study" in page


def test_methods_pasted_for_a_new_study_make_a_draft_and_show_what_was_found(
    client: TestClient, db: Connection, lead: Lead
) -> None:
    empty = client.post("/studies/new/methods", files={"text": (None, " ")})
    assert empty.status_code == 422
    assert 'role="alert">There is no text' in empty.text
    assert db.execute(text("SELECT count(*) FROM studies")).scalar_one() == 0

    answer = client.post("/studies/new/methods", files={"text": (None, PREREGISTRATION)}, follow_redirects=True)
    assert answer.url.path == "/studies/study-from-a-methods-section/methods"
    fields = Guesses(answer.text).fields
    decided = {name.replace("guess", "use"): "accept" for name in fields if name.startswith("guess-")}
    page = client.post(answer.url.path, data=fields | decided | {"do": "use"}).text
    assert 'class="field-problem"' not in page
    made = document(db)
    assert "How empathetic is this response?" in [one["text"] for one in made["questions"]]
    assert "[Your question]" not in [one["text"] for one in made["questions"]]
    assert set(made["sources"]) == {"gpt_4o", "counselor"}
    assert made["analysis"]["primary"][0]["source"] == "gpt_4o"


def test_accepting_twice_adds_nothing_twice(client: TestClient, db: Connection, study_id: int) -> None:
    fields = read(client, PREREGISTRATION)
    accept(client, fields)
    once = document(db)
    page = accept(client, fields)
    assert document(db) == once
    assert "GPT-4o is in the study already." in page


def test_guesses_are_changed_left_out_and_kept_open(client: TestClient, db: Connection, study_id: int) -> None:
    fields = read(client, ZHAN_2024)
    place = next(name.partition("-")[2] for name, value in fields.items() if value == "raters_per_trial")
    fields[f"n-{place}"] = "5"
    page = accept(client, fields, "raters_per_trial", leave=("exclusion",))
    assert document(db)["design"]["raters_per_trial"] == 5
    assert "Rules for" not in page
    assert re.search(r'name="guess-\d+"\s+value="rating"', page)
    assert not re.search(r'name="guess-\d+"\s+value="exclusion"', page)


def test_a_contrast_of_a_source_that_was_not_accepted_stays_with_the_reason(
    client: TestClient, db: Connection, study_id: int
) -> None:
    page = accept(client, read(client, AYERS_2023), "contrast")
    assert "There is no question Empathy or bedside manner yet. Accept it first" in page
    assert document(db)["analysis"]["primary"] == []


def test_a_question_without_wording_keeps_the_study_from_opening(
    client: TestClient, db: Connection, study_id: int
) -> None:
    accept(client, read(client, KUMAR_2025), "source", "rating", "composite", "contrast")
    made = document(db)
    assert made["questions"][-1]["text"] == "[Question about dismissing emotions]"
    assert len(made["analysis"]["composites"]["empathic_communication"]["questions"]) == 6
    refused = client.post("/studies/small/status", data={"status": "open"})
    assert "[Question about dismissing emotions]" in refused.text


@pytest.mark.parametrize(
    ("field", "value", "sentence"),
    [
        ("n", "none", "Write a whole number from 1 to 1,000."),
        ("labels", "only one", "Write the points of the scale"),
        ("labels", "1 = a\n1 = b", "Write the points of the scale"),
        ("name", "", "Name the source."),
        ("test", "odd", "Choose: Test."),
    ],
)
def test_values_that_are_not_allowed_are_refused_in_words(
    client: TestClient, db: Connection, study_id: int, field: str, value: str, sentence: str
) -> None:
    before, fields = document(db), read(client, AYERS_2023)
    changed = {name: value for name in fields if name.startswith(f"{field}-")}
    kinds = [fields[name.replace(field, "guess")] for name in changed]
    assert sentence in accept(client, fields | changed, *kinds)
    assert document(db) == before


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("", "There is no text yet."),
        (GERMAN, "This text is in German."),
        ("word " * 120_000, "This text has about 200 pages."),
    ],
)
def test_a_text_that_cannot_be_read_is_kept_with_the_reason(
    client: TestClient, study_id: int, words: str, sentence: str
) -> None:
    answer = client.post(ADDRESS, data={"number": "0", "do": "find", "text": words})
    assert answer.status_code == 422
    assert sentence in unescape(answer.text)
    assert words.strip()[:200] in unescape(answer.text)


def test_a_published_scale_needs_its_words_or_comes_with_them(client: TestClient, db: Connection, lead: Lead) -> None:
    study_of(db, lead)
    words = "Participants rated each response of the chatbot. " * 3
    page = accept(client, read(client, f"{words} They completed the Toronto Empathy Questionnaire."), "published")
    assert "ask its authors for permission" in page
    accept(client, read(client, f"{words} They completed the Perceived Empathy of Technology Scale."), "published")
    assert document(db)["questions"][-1]["text"] == "The system understood my intentions."


# A model reads the text too.

SENTENCE = "Each response will be rated by eight raters."
GUESS = {"kind": "raters_per_trial", "sentence": SENTENCE, "n": "8"}
INVENTED = {"kind": "source", "sentence": "Responses were written by HAL.", "name": "HAL"}
BY_MODEL = {"kind": "layout", "sentence": "Each rater will rate 12 responses.", "trials": "single"}
ODD = {"kind": "layout", "sentence": SENTENCE, "trials": "upside down"}


def answered(*guesses: dict[str, str]) -> dict[str, Any]:
    names = [field.name for kind in KINDS.values() for field in kind.fields]
    return {"guesses": [dict.fromkeys(names) | guess for guess in guesses]}


def test_guesses_of_a_model_are_marked_and_need_a_sentence_of_the_text(client: TestClient, study_id: int) -> None:
    with serving(ModelServer(lambda _prompt, _rng: answered(GUESS, INVENTED, BY_MODEL, ODD))) as models:
        server = Server(name="Here", base_url=models.address, models=("small",), max_tokens=100_000)
        client.app.state.model_servers = (server,)  # type: ignore[attr-defined]  # the application of the test
        assert "Rules alone: the text stays on this server" in client.get(ADDRESS).text
        answer = client.post(ADDRESS, data={"number": "0", "do": "find", "text": PREREGISTRATION, "place": "0:small"})
        (sent,) = models.seen
    page = unescape(answer.text)
    assert sent["response_format"]["json_schema"] == {"name": "answer", "strict": True, "schema": schema()}
    assert "HAL" not in page
    assert "Guessed by a model from" in re.sub(r"\s+", " ", page)
    assert len(re.findall(r'value="layout"', page)) == 1
    assert len(re.findall(r'value="raters_per_trial"', page)) == 1


def test_without_an_answer_of_the_model_the_rules_say_what_they_found(client: TestClient, study_id: int) -> None:
    with serving(ModelServer(lambda _prompt, _rng: "I cannot do that.")) as models:
        server = Server(name="Here", base_url=models.address, models=("small",), max_tokens=100_000)
        client.app.state.model_servers = (server,)  # type: ignore[attr-defined]  # as above
        answer = client.post(ADDRESS, data={"number": "0", "do": "find", "text": PREREGISTRATION, "place": "0:small"})
    page = re.sub(r"\s+", " ", unescape(answer.text))
    assert "small has not read the text: The model's answer does not have the form that was asked for." in page
    assert "GPT-4o" in page


def test_a_text_above_the_limit_of_the_server_is_not_sent(client: TestClient, study_id: int) -> None:
    server = Server(name="Here", base_url="http://127.0.0.1:9/v1", models=("small",), max_tokens=4_100)
    client.app.state.model_servers = (server,)  # type: ignore[attr-defined]  # as above
    answer = client.post(ADDRESS, data={"number": "0", "do": "find", "text": PREREGISTRATION, "place": "0:small"})
    assert "longer than the limit of Here: 4,100 tokens." in answer.text


@pytest.mark.parametrize("answer", ["", "[]", "{}", '{"guesses": 4}', '{"guesses": [{"kind": "source"}]}', "[" * 5000])
def test_answers_without_the_schema_are_refused(answer: str) -> None:
    with pytest.raises(ReadingError):
        guesses_of(answer, PREREGISTRATION)
