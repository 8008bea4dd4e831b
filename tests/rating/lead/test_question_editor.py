"""The question editor: opening and saving changes nothing, and each change is seen on the page and kept."""

import json
import re
from html import unescape
from html.parser import HTMLParser
from typing import Any

import pytest
from sqlalchemy import Connection, text
from starlette.testclient import TestClient

from app.accounts.leads import Lead
from app.rating.life_cycle import open_study
from app.results.data.frames import study_frames
from app.studies.load import load_study
from app.studies.members.members import record_member
from app.studies.protocols import get_protocol
from tests.kit.builder import PREFERENCE, build_study, protocol_of
from tests.kit.lead_studies import rate, study_of
from tests.kit.templates import every_template, template_study

LIST = "/studies/small/design/questions"
HX = {"hx-request": "true"}
# Between them, these have every target and kind of question that templates have.
TEMPLATES = every_template(
    in_gate={"emotion-cause", "expert-panel", "ranking", "recipient", "refusal-by-turn", "theory-of-mind"}
)
WARM = {"key": "warm", "target": "response", "type": "slider", "text": "How warm?"}
AGREE = "agreement-7"


class Form(HTMLParser):
    """The fields that a browser sends for the form of a question, without scripts."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.fields: dict[str, list[str]] = {}
        self.is_in, self.area, self.select = False, "", ""
        self.options: list[tuple[str, bool]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        name = given.get("name") or ""
        if tag == "form":
            self.is_in = given.get("id") == "design-form"
        if not self.is_in and given.get("form") != "design-form":
            return
        if tag == "input" and (given.get("type") not in {"checkbox", "radio"} or "checked" in given):
            self.fields.setdefault(name, []).append(given.get("value") or "")
        elif tag == "textarea":
            self.area = name
            self.fields[name] = [""]
        elif tag == "select":
            self.select, self.options = name, []
        elif tag == "option" and self.select:
            self.options.append((given.get("value") or "", "selected" in given))

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self.is_in = False
        elif tag == "textarea":
            self.fields |= {self.area: [self.fields[self.area][0].removeprefix("\n")]} if self.area else {}
            self.area = ""
        elif tag == "select" and self.select:
            self.fields[self.select] = [next((value for value, chosen in self.options if chosen), self.options[0][0])]
            self.select = ""

    def handle_data(self, data: str) -> None:
        if self.area:
            self.fields[self.area][0] += data


def form_on(client: TestClient, address: str) -> dict[str, list[str]]:
    return Form(client.get(address).text).fields


def document(db: Connection, version: int = 1) -> dict[str, Any]:
    words = "SELECT document FROM protocols WHERE version = :version ORDER BY study_id DESC LIMIT 1"
    found: dict[str, Any] = db.execute(text(words), {"version": version}).scalar_one()
    return found


def last_yaml(db: Connection) -> str:
    found: str = db.execute(text("SELECT yaml FROM protocol_edits ORDER BY number DESC LIMIT 1")).scalar_one()
    return found


def n_listed(client: TestClient, address: str) -> int:
    """Questions on the page; a document also has those that later waves ask again, behind them."""
    return client.get(address).text.count('class="asked-one')


def keys(db: Connection) -> list[str]:
    return [question["key"] for question in document(db)["questions"]]


def press(client: TestClient, do: str, **fields: str) -> str:
    """Press a button of the list, follow the redirect, and return the page."""
    number = re.search(r'name="number"\s+value="(\d+)"', client.get(LIST).text)
    assert number
    return unescape(client.post(LIST, data={"number": number[1], "do": do, **fields}, follow_redirects=True).text)


def save(client: TestClient, number: int, **fields: str) -> str:
    """Save the editor of a question with some fields changed, and return the page."""
    form = form_on(client, f"{LIST}/{number}") | {name: [value] for name, value in fields.items()}
    return unescape(client.post(f"{LIST}/{number}", data=form, follow_redirects=True).text)


def as_seen(page: str, number: int) -> str:
    found = re.search(rf'id="asked-{number}".*?(?=<form|id="asked-{number + 1}"|id="add-heading")', page, re.DOTALL)
    assert found
    return found[0]


@pytest.mark.parametrize("name", TEMPLATES)
def test_template_is_unchanged_after_opening_and_saving_each_question(
    client: TestClient, db: Connection, lead: Lead, name: str
) -> None:
    load_study(db, template_study(name), lead.id)
    address = f"/studies/{name}/design/questions"
    for number in range(1, n_listed(client, address) + 1):
        form = form_on(client, f"{address}/{number}")
        assert client.post(f"{address}/{number}", data=form | {"do": ["done"]}).status_code == 303
    assert db.execute(text("SELECT count(*) FROM protocol_edits")).scalar_one() == 0


@pytest.mark.parametrize("name", TEMPLATES)
def test_preview_follows_a_new_text_another_scale_and_a_removal(
    client: TestClient, db: Connection, lead: Lead, name: str
) -> None:
    load_study(db, template_study(name), lead.id)
    address = f"/studies/{name}/design/questions"
    questions = document(db)["questions"][: n_listed(client, address)]
    for number in range(1, len(questions) + 1):
        form = form_on(client, f"{address}/{number}") | {"text": [f"Is it so, {number}?"]}
        assert f"Is it so, {number}?" in as_seen(client.post(f"{address}/{number}", data=form, headers=HX).text, number)
    scaled = [number for number, one in enumerate(questions, 1) if one["type"] in {"rating", "slider"}]
    for number in scaled:
        form = form_on(client, f"{address}/{number}") | {"do": ["scale agreement-7"]}
        assert client.post(f"{address}/{number}", data=form).status_code == 303
    page = client.get(address).text
    assert all("Neither agree nor disagree" in as_seen(page, number) for number in scaled)
    if len(questions) > 1:
        form = {"number": form_on(client, f"{address}/1")["number"], "do": [f"remove {questions[-1]['key']}"]}
        page = client.post(address, data=form, follow_redirects=True).text
        assert page.count('class="asked-one') == len(questions) - 1
        assert "Is it so, 1?" in as_seen(page, 1)


def test_questions_are_asked_beside_the_image_of_an_item(client: TestClient, db: Connection, lead: Lead) -> None:
    study_id = build_study(db, protocol_of("face"), texts=[{"key": "face", "image": "face.png", "image_alt": "A face"}])
    record_member(db, study_id, lead.id, "owner")
    page = client.get("/studies/face/design/questions")
    assert page.status_code == 200
    image = re.search(r'<img class="item-image"\s+src="([^"]+)"\s+alt="A face"', page.text)
    assert image is not None
    assert client.get(image[1]).headers["content-type"] == "image/png"


def test_a_new_question_has_no_error_and_must_be_written_before_opening(
    client: TestClient, db: Connection, study_id: int
) -> None:
    page = press(client, "new", kind="rating")
    assert 'class="field-problem"' not in as_seen(page, 3)
    assert "problem" not in re.findall(r'<p role="status" class="soft">.*?</p>', page, re.DOTALL)[0]
    assert document(db)["questions"][2]["text"] == "[Your question]"
    refused = client.post("/studies/small/status", data={"status": "open"})
    assert "[Your question]" in refused.text


def test_the_key_follows_the_text_and_is_changed_wherever_it_is_named(
    client: TestClient, db: Connection, study_id: int
) -> None:
    press(client, "statements", statements="Warm.\nCalm.", about="response", scale=AGREE, combine="true", score="Tone")
    assert keys(db)[2:] == ["warm", "calm"]
    assert document(db)["analysis"]["composites"]["tone"]["questions"] == ["warm", "calm"]
    save(client, 3, text="It sounds friendly.")
    assert keys(db)[2:] == ["it_sounds_friendly", "calm"]
    assert document(db)["analysis"]["composites"]["tone"]["questions"] == ["it_sounds_friendly", "calm"]


def test_a_key_that_has_answers_or_was_opened_stays(client: TestClient, db: Connection, lead: Lead) -> None:
    study_of(db, lead, questions=[PREFERENCE, WARM | {"key": "how_warm"}])
    open_study(db, "small")
    save(client, 2, text="How friendly?", label="Friendliness")
    assert "how_warm" in last_yaml(db)
    assert "How friendly?" in last_yaml(db)
    assert client.post("/studies/small/design/version").status_code == 303
    assert [one["key"] for one in document(db, 2)["questions"]] == ["preference", "how_warm"]


def test_a_renamed_question_of_an_open_study_keeps_its_results_together(
    client: TestClient, db: Connection, study_id: int
) -> None:
    open_study(db, "small")
    rate(db, study_id, rater="anna")
    save(client, 1, label="Liking", text="Which one do you like more?")
    page = unescape(client.get("/studies/small/design").text)
    assert "“Preference” is called “Liking” from then on, also for what has been collected." in page
    assert "The wording of “Liking” changes. Answers to both versions count together; the results say" in page
    assert client.post("/studies/small/design/version").status_code == 303
    rate(db, study_id, rater="ben")
    ratings = study_frames(db, study_id).ratings
    assert ratings["question"].tolist() == ["preference", "preference"]
    assert get_protocol(db, study_id, 2).labels.question("preference") == "Liking"


def test_a_question_added_to_an_open_study_gets_its_key_from_its_text(
    client: TestClient, db: Connection, study_id: int
) -> None:
    open_study(db, "small")
    press(client, "new", kind="rating")
    save(client, 3, text="How calm is it?")
    save(client, 3, text="How warm is it?")
    assert "key: how_warm_is_it" in last_yaml(db)


def test_statements_get_one_scale_and_are_added_once(client: TestClient, db: Connection, study_id: int) -> None:
    page = press(client, "statements", statements=" Warm.\n\nCalm.\nwarm.\n", about="response", scale=AGREE)
    assert "1 statement was pasted more than once and added once." in page
    assert "there already" not in page
    assert keys(db)[2:] == ["warm", "calm"]
    assert [len(one["scale"]["points"]) for one in document(db)["questions"][2:]] == [7, 7]
    again = press(client, "statements", statements="Warm.", about="response", scale=AGREE)
    assert "There is no new statement." in again


def test_statements_take_the_place_of_the_questions_of_the_rating_page(
    client: TestClient, db: Connection, study_id: int
) -> None:
    before = document(db)
    page = press(client, "statements", statements="Warm.\nCalm.", about="response", scale=AGREE, instead="true")
    assert keys(db) == ["warm", "calm"]
    assert "This went or changed with it" in page
    undo = re.search(r'value="(undo \d+)"', page)
    assert undo
    press(client, undo[1])
    assert document(db) == before


def test_an_answer_that_goes_takes_what_names_it(client: TestClient, db: Connection, lead: Lead) -> None:
    who = {
        "key": "who",
        "target": "response",
        "type": "category",
        "text": "Who?",
        "codes": {"a": "Person", "b": "Model", "c": "Both"},
    }
    analysis = {
        "believed_source": {"question": "who", "means": {"a": ["person"], "b": ["model"]}},
        "primary": [
            "preference",
            {"question": "who", "test": "category_difference", "code": "b"},
            {"question": "who", "test": "category_difference", "code": "a"},
        ],
    }
    study_of(db, lead, questions=[PREFERENCE, who], analysis=analysis)
    fields = form_on(client, f"{LIST}/2")
    assert fields["labels"] == ["Person\nModel\nBoth"]
    save(client, 2, labels="Person\nBoth")
    made = document(db)["analysis"]
    assert made["believed_source"]["means"] == {"a": ["person"]}
    assert [one.get("code") for one in made["primary"]] == [None, "a"]
    save(client, 2, labels="A person\nTogether")
    assert document(db)["analysis"] == made
    save(client, 2, labels="One\nTwo\nThree")
    assert document(db)["analysis"]["believed_source"] is None
    assert len(document(db)["analysis"]["primary"]) == 1


def test_a_cut_off_that_a_shorter_scale_does_not_have_goes(client: TestClient, db: Connection, lead: Lead) -> None:
    rating = {"target": "response", "type": "rating", "scale": {str(n): f"{n} of 7" for n in range(1, 8)}}
    asked = [{"key": key, "text": f"How {key}?", **rating} for key in ("warm", "clear")]
    contrasts = [{"question": one["key"], "test": "share_at_least_ratio"} for one in asked]
    analysis = {"cut": {"warm": 6, "clear": 5}, "primary": contrasts}
    study_of(db, lead, questions=[PREFERENCE, *asked], analysis=analysis)
    for number in (2, 3):
        form = form_on(client, f"{LIST}/{number}") | {"do": ["scale agreement-5"]}
        assert client.post(f"{LIST}/{number}", data=form).status_code == 303
    made = document(db)
    assert [len(one["scale"]["points"]) for one in made["questions"][1:]] == [5, 5]
    assert made["analysis"]["cut"] == {"clear": 5}
    assert [one["test"] for one in made["analysis"]["primary"]] == [None, "share_at_least_ratio"]


@pytest.mark.parametrize(("n", "is_added"), [(200, True), (201, False)])
def test_at_most_200_statements_at_once(
    client: TestClient, db: Connection, study_id: int, n: int, *, is_added: bool
) -> None:
    statements = "\n".join(f"Statement {number}" for number in range(n))
    page = press(client, "statements", statements=statements, about="rater", scale=AGREE)
    assert (len(keys(db)) == 2 + n) == is_added
    assert ("At most 200 can be added at once." in page) != is_added
    assert is_added or "Statement 200" in page


def test_a_statement_of_300_characters_gets_a_short_key(client: TestClient, db: Connection, study_id: int) -> None:
    press(client, "statements", statements="word " * 60, about="response", scale=AGREE)
    assert document(db)["questions"][2]["text"] == ("word " * 60).strip()
    assert len(keys(db)[2]) <= 40


def test_labels_that_do_not_fit_the_points_are_said_and_chosen(
    client: TestClient, db: Connection, study_id: int
) -> None:
    save(client, 2, do=f"scale {AGREE}")
    five = "1 = a\n2 = b\n3 = c\n4 = d\n5 = e"
    page = save(client, 2, labels=five)
    assert "These are 5 labels, and the scale has 7 points." in page
    assert "1 = a" in page
    assert len(document(db)["questions"][1]["scale"]["points"]) == 7
    save(client, 2, labels=five, do="fit points")
    points = document(db)["questions"][1]["scale"]["points"]
    assert [(one["value"], one["words"]) for one in points] == [(1, "a"), (2, "b"), (3, "c"), (4, "d"), (5, "e")]
    save(client, 2, labels="never\nalways", do="fit ends")
    points = document(db)["questions"][1]["scale"]["points"]
    assert [one["words"] for one in points] == ["never", "", "", "", "always"]
    page = save(client, 2, labels="never")
    assert "This is 1 label, and the scale has 5 points." in page
    assert "write one label on each line" in page
    assert 'value="fit points"' not in page


def test_answers_of_a_category_keep_their_codes_when_reworded(client: TestClient, db: Connection, lead: Lead) -> None:
    harm = {"key": "harm", "target": "response", "type": "category", "text": "Harm?", "codes": {"y": "Yes", "n": "No"}}
    study_of(db, lead, questions=[PREFERENCE, harm])
    save(client, 2, labels="Yes, it does\nNo")
    assert document(db)["questions"][1]["codes"] == {"y": "Yes, it does", "n": "No"}
    save(client, 2, labels="No\nYes, it does\nNot sure")
    assert document(db)["questions"][1]["codes"] == {"n": "No", "y": "Yes, it does", "not_sure": "Not sure"}


def test_removing_takes_along_what_needs_the_question_says_so_and_is_undone(
    client: TestClient, db: Connection, lead: Lead
) -> None:
    analysis = {"composites": {"tone": ["warm"]}, "primary": [{"question": "warm"}, {"question": "tone"}, "preference"]}
    study_of(db, lead, questions=[PREFERENCE, WARM], analysis=analysis)
    before = document(db)
    page = press(client, "remove warm")
    assert keys(db) == ["preference"]
    assert (document(db)["analysis"]["composites"], len(document(db)["analysis"]["primary"])) == ({}, 1)
    assert "This went or changed with it" in page
    assert "Analysis: Scores from several questions" in page
    undo = re.search(r'value="(undo \d+)"', page)
    assert undo
    press(client, undo[1])
    assert document(db) == before
    assert "Not undone" in press(client, undo[1])


def test_a_removed_mood_before_takes_the_contrast_of_the_change(client: TestClient, db: Connection, lead: Lead) -> None:
    load_study(db, template_study("before-after"), lead.id)
    address = "/studies/before-after/design/questions"
    assert "change_difference" in [one["test"] for one in document(db)["analysis"]["primary"]]
    form = {"number": form_on(client, f"{address}/1")["number"], "do": ["remove mood_before"]}
    page = client.post(address, data=form, follow_redirects=True).text
    assert "in this draft" not in page
    assert document(db)["analysis"]["changes"] == []
    assert [one["question"] for one in document(db)["analysis"]["primary"]] == ["comforting"]


def test_a_question_with_answers_is_not_removed(client: TestClient, db: Connection, study_id: int) -> None:
    open_study(db, "small")
    rate(db, study_id, rater="anna")
    page = press(client, "remove preference")
    assert "it stays in the study, and its answers stay in the results." in page
    assert db.execute(text("SELECT count(*) FROM protocol_edits")).scalar_one() == 0


def test_questions_are_moved_and_duplicated(client: TestClient, db: Connection, study_id: int) -> None:
    press(client, "up empathy")
    assert keys(db) == ["empathy", "preference"]
    press(client, "up empathy")
    assert keys(db) == ["empathy", "preference"]
    press(client, "place 1 empathy")
    assert keys(db) == ["preference", "empathy"]
    press(client, "duplicate preference")
    assert keys(db) == ["preference", "preference_2", "empathy"]
    press(client, "down nothing")
    assert keys(db) == ["preference", "preference_2", "empathy"]


def test_questions_about_the_rater_move_among_themselves(client: TestClient, db: Connection, lead: Lead) -> None:
    age, tired = ({"key": key, "target": "rater", "type": "text", "text": key} for key in ("age", "tired"))
    study_of(db, lead, questions=[age, PREFERENCE, tired])
    press(client, "up tired")
    assert keys(db) == ["tired", "age", "preference"]


def test_scales_of_other_studies_and_of_the_question_before_are_offered(
    client: TestClient, db: Connection, lead: Lead
) -> None:
    own = {"1": "icy", "2": "mild", "3": "hot"}
    warm = {"key": "warm", "target": "response", "type": "rating", "text": "Warm?", "scale": own}
    study_of(db, lead, slug="other", questions=[PREFERENCE, warm])
    study_of(db, lead)
    press(client, "new", kind="rating")
    assert "scale mine:icy, mild, hot" in client.get(f"{LIST}/3").text
    save(client, 3, do="scale mine:icy, mild, hot")
    assert [point["words"] for point in document(db)["questions"][2]["scale"]["points"]] == [*own.values()]
    save(client, 3, do="scale previous")
    assert document(db)["questions"][2]["scale"] == document(db)["questions"][1]["scale"]


def test_other_questions_are_seen_as_edited_while_one_is_not_valid(
    client: TestClient, db: Connection, lead: Lead
) -> None:
    study_of(db, lead, questions=[PREFERENCE, WARM])
    save(client, 2, **{"questions.1.min": "10", "questions.1.max": "1"})
    page = save(client, 1, text="Which one comforts more?")
    assert "Which one comforts more?" in as_seen(page, 1)
    assert "The slider's max must be greater than its min. Found: 10 to 1." in as_seen(page, 2)
    frame = client.get("/studies/small/design/preview").text
    assert "Which one comforts more?" in frame
    assert "How warm?" not in frame


def test_two_leads_at_once_lose_nothing(client: TestClient, db: Connection, study_id: int) -> None:
    first, second = (form_on(client, f"{LIST}/2") for _ in range(2))
    assert client.post(f"{LIST}/2", data=first | {"text": ["Mine?"]}).status_code == 303
    conflict = client.post(f"{LIST}/2", data=second | {"text": ["Theirs?"]})
    assert conflict.status_code == 409
    assert "Mine?" in conflict.text
    assert "Theirs?" in conflict.text
    other = form_on(client, f"{LIST}/1") | {"number": second["number"], "text": ["Which?"]}
    assert client.post(f"{LIST}/1", data=other).status_code == 303
    assert [one["text"] for one in document(db)["questions"]] == ["Which?", "Mine?"]


def test_a_study_without_texts_shows_its_questions(client: TestClient, db: Connection, study_id: int) -> None:
    db.execute(text("DELETE FROM responses"))
    assert "Response 2 will be here." in client.get(LIST).text


def test_rare_parts_are_added_and_removed(client: TestClient, db: Connection, lead: Lead) -> None:
    age, since = ({"key": key, "target": "rater", "type": "slider", "text": key} for key in ("age", "since"))
    study_of(db, lead, questions=[PREFERENCE, age, since])
    save(client, 3, asked_when="age>=")
    save(client, 3, asked_when_lowest="18")
    rule = document(db)["questions"][2]["show_if"]
    assert (rule["question"], rule["at_least"]) == ("age", 18)
    press(client, "remove age")
    assert document(db)["questions"][1]["show_if"] is None


def test_question_is_copied_from_template(client: TestClient, db: Connection, study_id: int) -> None:
    key = next(iter(re.findall(r'value="four-dimensions/(\w+)"', client.get(LIST).text)))
    press(client, "copy", question=f"four-dimensions/{key}")
    assert keys(db)[-1] == key


def test_a_question_is_asked_only_after_chosen_answers(client: TestClient, db: Connection, lead: Lead) -> None:
    uses = {"key": "uses", "target": "rater", "type": "category", "text": "Do you use chatbots?"}
    why = {"key": "why", "target": "rater", "type": "text", "text": "Why?"}
    study_of(db, lead, questions=[PREFERENCE, uses | {"codes": {"y": "Yes", "s": "Sometimes", "n": "No"}}, why])
    assert "Do you use chatbots? is Sometimes" in client.get(f"{LIST}/3").text
    page = save(client, 3, asked_when="uses=y")
    assert document(db)["questions"][2]["show_if"]["equals"] == "y"
    assert "Any of these answers to “Do you use chatbots?”" in unescape(client.get(f"{LIST}/3").text), page
    form = form_on(client, f"{LIST}/3") | {"asked_when_answers": ["y", "s"]}
    client.post(f"{LIST}/3", data=form)
    assert document(db)["questions"][2]["show_if"]["one_of"] == ["y", "s"]
    save(client, 3, asked_when="")
    assert document(db)["questions"][2]["show_if"] is None


def test_questions_about_the_rater_are_put_on_pages_and_ordered_there(
    client: TestClient, db: Connection, lead: Lead
) -> None:
    rater = [{"key": key, "target": "rater", "type": "text", "text": f"{key}?"} for key in ("age", "since", "why")]
    study_of(db, lead, questions=[PREFERENCE, *rater])
    save(client, 4, page="before")
    save(client, 2, page="before.0")
    assert document(db)["flow"]["before"][0]["questions"] == ["why", "age"]
    page = press(client, "up age")
    assert document(db)["flow"]["before"][0]["questions"] == ["age", "why"]
    assert (
        page.index("Before the instructions")
        < page.index("age?")
        < page.index("After the last trial")
        < page.index("since?")
    )
    save(client, 2, page="")
    save(client, 4, page="after")
    flow = document(db)["flow"]
    assert (flow["before"], flow["after"][0]["questions"]) == ([], ["why"])


def test_marks_of_answers_follow_the_answers(client: TestClient, db: Connection, lead: Lead) -> None:
    many = {"key": "does", "target": "response", "type": "category", "text": "What does it do?", "multiple": True}
    study_of(db, lead, questions=[many | {"codes": {"asks": "Asks", "helps": "Helps", "none": "None"}}])
    form = form_on(client, f"{LIST}/1") | {"questions.0.exclusive": ["", "none"], "questions.0.correct": ["asks"]}
    client.post(f"{LIST}/1", data=form)
    question = document(db)["questions"][0]
    assert (question["exclusive"], question["correct"]) == (["none"], "asks")
    page = client.post(
        f"{LIST}/1", data=form_on(client, f"{LIST}/1") | {"labels": ["Helps\nNothing of this"]}, headers=HX
    )
    assert "Nothing of this" in page.text[page.text.index('id="answer-marks"') :]
    question = document(db)["questions"][0]
    assert (question["exclusive"], question["correct"]) == ([], None)


def test_a_published_scale_is_inserted_whole(client: TestClient, db: Connection, study_id: int) -> None:
    page = unescape(client.get(LIST).text)
    assert "Free to use and to share under Creative Commons BY" in page
    page = press(client, "published pets")
    assert "The system understood my intentions." in page
    composites = document(db)["analysis"]["composites"]
    assert len(composites["pets_emotional_responsiveness"]["questions"]) == 6
    again = press(client, "published teq", words="Only one")
    assert "This is 1 statement." in again
    assert "Only one" in again
    press(client, f"remove {keys(db)[-1]}")
    assert len(document(db)["analysis"]["composites"]["pets_understanding_and_trust"]["questions"]) == 3


@pytest.mark.parametrize(
    "broken",
    [
        {"analysis": None},
        {"analysis": [1]},
        {"conditions": [1], "flow": 3},
        {"conditions": {"told": {"kind": "instruction", "levels": 4}}},
        {"questions": "none"},
        {"questions": [3, {"key": "a"}, {"key": "a", "type": "odd"}, {"type": "rating", "text": "?", "scale": 3}]},
        {"design": {"quotas": 3}, "checks": {"gold": 3, "attention": [3]}, "title": 3},
    ],
)
def test_the_editor_opens_whatever_the_file_says(
    client: TestClient, db: Connection, study_id: int, broken: dict[str, Any]
) -> None:
    whole = {name: part for name, part in document(db).items() if name in {"attune", "slug", "title", "sources"}}
    questions = [PREFERENCE, WARM]
    yaml = json.dumps({**whole, "questions": questions, **broken})
    assert client.post("/studies/small/design/text", data={"number": "0", "yaml": yaml}).status_code == 303
    n = len(broken["questions"]) if isinstance(broken.get("questions"), list) else 2
    for number in range(1, n + 1):
        status = client.get(f"{LIST}/{number}").status_code
        assert status in {200, 404}
        if status == 200:
            save(client, number, text="Another?", do="done")
    press(client, "statements", statements="Warm.\nCalm.", about="response", scale=AGREE, combine="true", score="Tone")
    page = press(client, "remove calm")
    assert 'id="question-editor"' in page


def test_statements_take_labels_of_their_own(client: TestClient, db: Connection, study_id: int) -> None:
    press(client, "statements", statements="Warm.\nCalm.", about="response", scale=AGREE, labels="no\na bit\nyes")
    assert [[one["words"] for one in question["scale"]["points"]] for question in document(db)["questions"][2:]] == [
        ["no", "a bit", "yes"]
    ] * 2
    one = press(client, "statements", statements="Kind.", about="response", scale=AGREE, labels="only one")
    assert "A scale has at least two labels." in one
    assert "only one" in one


def test_a_score_with_a_name_needs_no_tick(client: TestClient, db: Connection, study_id: int) -> None:
    press(client, "statements", statements="Warm.\nCalm.", about="response", scale=AGREE, score="Tone")
    assert document(db)["analysis"]["composites"]["tone"]["questions"] == ["warm", "calm"]
