"""Each line of the checklist before raters come: what it finds, how bad it is, and where it is fixed."""

from pathlib import Path
from typing import Any

import pytest

from app.protocol.allocation.feasibility import feasibility
from app.studies.creation.read_new_study import feasibility_of_folder
from app.studies.creation.templates import new_study
from app.studies.editor.sections import BY_KEY, section_controls
from app.studies.folder.read import read_folder
from app.studies.folder.study_templates import list_templates
from app.studies.opening_checklist import Check, Fix, Opening, Revealing, minutes_in, place_of, template_words
from tests.kit.builder import TEMPLATE_WORDS
from tests.kit.protocols import protocol

CONSENT = {"flow": {"consent": {"version": "1", "text": "This takes about 10 minutes. You receive £2.00."}}}


def of_folder(path: Path, **known: Any) -> Opening:  # noqa: ANN401 - any field
    """What is known about a study folder."""
    found = read_folder(path)
    return Opening(found.protocol, found.yaml, feasibility_of_folder(found), **known)


def line(opening: Opening, title: str) -> Check:
    """The one line with this title."""
    (found,) = [check for check in opening.checklist() if check.title == title]
    return found


def about(title: str, parts: dict[str, Any], **known: Any) -> Check:  # noqa: ANN401 - any field
    """The line with this title for a small protocol."""
    return line(Opening(protocol(**parts), "", None, **known), title)


def test_template_that_was_not_changed_is_looked_at_everywhere(tmp_path: Path) -> None:
    opening = of_folder(new_study("ayers-pair", tmp_path / "s", "s", "My title"))
    states = {check.title: check.state for check in opening.checklist()}
    assert states["Title for raters"] == states["Instructions"] == "look"
    (stopped,) = [check for check in opening.checklist() if check.state == "stop"]
    assert (stopped.title, stopped.fix) == ("Consent form", place_of("flow.consent.text"))
    assert all(words in stopped.words for words in TEMPLATE_WORDS)
    confirmed = of_folder(tmp_path / "s", as_written=TEMPLATE_WORDS)
    assert not [check for check in confirmed.checklist() if check.state == "stop"]


def test_own_title_and_instructions_are_good(tmp_path: Path) -> None:
    path = new_study("ayers-pair", tmp_path / "s", "s", "My title") / "study.yaml"
    yaml = path.read_text().replace("rater_title: Responses to questions from patients", "rater_title: Own words")
    path.write_text(yaml.replace("You will read questions that patients asked", "You will read letters"))
    opening = of_folder(tmp_path / "s")
    assert line(opening, "Title for raters").state == line(opening, "Instructions").state == "good"


def test_title_made_from_the_name_of_a_file_is_looked_at() -> None:
    found = about("Title", {"title": "Posts and replies"}, file_name="posts_and_replies.xlsx")
    assert (found.state, found.fix) == ("look", Fix("show_section", {"part": "study"}, "title"))
    titles = [check.title for check in Opening(protocol(title="Own words"), "", None, file_name="a.csv").checklist()]
    assert "Title" not in titles


@pytest.mark.parametrize("name", [template.name for template in list_templates()])
def test_every_template_is_recognized_by_its_words(name: str, tmp_path: Path) -> None:
    opening = of_folder(new_study(name, tmp_path / "s", "s", template_words(name)["title"]))
    assert line(opening, "Instructions").words == "Still the template's, which are about its own example texts."
    assert line(opening, "Title for raters").state == "look"


def test_design_that_cannot_be_carried_out_or_fulfilled_stops(tmp_path: Path) -> None:
    path = new_study("ab-tie", tmp_path / "s", "s", "T") / "study.yaml"
    words = path.read_text().replace("trials_per_rater: 5", "trials_per_rater: 5, repeats: {n: 2}")
    words = words.replace("flow:\n", "flow:\n  practice: {trials: [{item: p}]}\n")
    path.write_text(words + "conditions: {turn: {kind: scale_direction}}\n")
    opening = of_folder(tmp_path / "s")
    assert "flow.practice (line " in line(opening, "Design").words
    assert (
        "5 trials per rater are too few for 2 repeats at least 5 trials apart."
        in line(opening, "Trials and raters").words
    )


def test_items_that_no_rater_would_see_are_named() -> None:
    check = about("Items", {}, left_out=["a", "b"])
    assert check.words == "2 items without the responses that a trial needs will not be shown: a and b."


def test_rows_of_the_spreadsheet_are_listed_with_what_became_of_them() -> None:
    rows = ("row 5, Post: the same texts as row 4 (drop)",)
    assert about("Rows of the spreadsheet", {}, file_name="s.xlsx").state == "good"
    assert about("Rows of the spreadsheet", {}, file_name="s.xlsx", decided=rows).more == rows
    kept = ("row 5, Reply: may reveal its source: an AI (keep)",)
    assert about("Rows of the spreadsheet", {}, file_name="s.xlsx", decided=kept).state == "look"


def test_text_that_reveals_its_source_leads_to_its_item() -> None:
    found = (Revealing("N1", "Model", "As an AI", 7), Revealing("N2", "Model", "chatbot", 8))
    check = about("Blinding", {}, revealing=found)
    assert check.state == "look"
    assert check.words == "2 responses may reveal who wrote them. Retire the item, or use other texts."
    assert check.more == ("N1, Model: As an AI", "N2, Model: chatbot")
    assert check.fix == Fix("show_item", {"item": "7"})
    assert about("Blinding", {}, revealing=()).state == "good"
    assert not [
        c
        for c in Opening(protocol(design={"blind": False}), "", None, revealing=found).checklist()
        if c.title == "Blinding"
    ]


def test_attention_checks_are_counted_with_what_flags_a_rater() -> None:
    one = {"key": "a", "text": "Choose yes", "codes": {"yes": "Yes", "no": "No"}, "correct": "yes", "after": 1}
    words = "1 check; raters are flagged after 1 failure."
    assert about("Attention checks", {"checks": {"attention": [one]}}).words == words
    assert about("Attention checks", {}).words.startswith("None.")


@pytest.mark.parametrize(
    ("minutes", "state", "words"),
    [
        (10, "good", "About 10 minutes for 5 trials; raters are told 10."),
        (20, "look", "About 20 minutes for 5 trials, but raters are told 10."),
    ],
)
def test_minutes_are_compared_with_what_raters_are_told(minutes: int, state: str, words: str) -> None:
    check = about("Minutes and pay", CONSENT, minutes=minutes, n_trials=5)
    assert (check.state, check.words) == (state, words)


def test_minutes_that_raters_are_not_told_and_low_pay_are_looked_at() -> None:
    untold = {"flow": {"consent": {"version": "1", "text": "You may stop at any time."}}}
    check = about("Minutes and pay", untold, minutes=5, n_trials=5, low_pay="£4.00 an hour.")
    words = "About 5 minutes for 5 trials. Raters read how long it takes only after they consent."
    assert (check.state, check.words) == ("look", f"{words} £4.00 an hour.")
    check = about("Minutes and pay", {}, minutes=5, n_trials=5)
    assert (check.state, check.words) == ("good", "About 5 minutes for 5 trials; raters are told 5.")
    check = about("Minutes and pay", CONSENT, minutes=10, n_trials=5, low_pay="£4.00 an hour.")
    assert (check.state, check.fix) == ("look", Fix("show_recruitment"))
    assert check.words.endswith("trials. £4.00 an hour.")


def test_minutes_are_read_in_each_language() -> None:
    assert minutes_in("Die Teilnahme dauert 15 bis 20 Minuten.") == 20
    assert minutes_in("about 7 mins") == 7
    assert minutes_in("يستغرق 12 دقيقة") == 12


def test_missing_completion_code_is_looked_at() -> None:
    assert about("Completion code", {}).state == "look"
    assert about("Completion code", {"recruitment": {"platform": "prolific"}}).state == "look"
    assert about("Completion code", {"recruitment": {"platform": "sona"}}).state == "good"
    assert about("Completion code", {"completion": {"code": "C1"}}).state == "good"
    assert about("Completion code", {"design": {"links": "personal"}}).state == "good"


def test_missing_translation_and_consent_form_are_looked_at() -> None:
    assert "no translation for fa" in about("Language", {"language": "fa"}).words
    assert about("Language", {"language": "de"}).state == "good"
    assert about("Consent form", {}).state == "look"
    assert about("Consent form", CONSENT).state == "good"


@pytest.mark.parametrize(
    ("parts", "is_named"),
    [
        ({"title": "Replies by GPT"}, True),
        ({"title": "Replies by GPT", "rater_title": "Replies"}, False),
        ({"title": "Replies", "rater_title": "GPTs"}, False),
        ({"title": "Physician and GPT-4", "design": {"blind": False}}, False),
        ({"title": "A physician writes"}, False),
    ],
)
def test_model_in_the_title_of_a_blind_study_is_named(parts: dict[str, Any], *, is_named: bool) -> None:
    sources = {"physician": {"kind": "human"}, "m": {"kind": "model", "family": "gpt"}}
    check = about("Title for raters", {"sources": sources} | parts)
    assert check.words.startswith("This study is blind, but its title names 1 model: m.") == is_named
    assert (check.state == "look") == is_named


def test_typing_that_consent_does_not_declare_stops() -> None:
    asked = {"key": "why", "target": "rater", "type": "text", "text": "Why?", "typing_rhythm": True}
    assert about("Consent form", CONSENT | {"questions": [asked]}).state == "stop"


def test_instructions_with_words_in_brackets_are_not_ones_own() -> None:
    check = about("Instructions", {"instructions": "[Say here what raters read.] Read everything."})
    assert (check.state, check.words) == ("stop", "Raters would read [Say here what raters read.].")


def test_problems_of_the_draft_stop_and_lead_to_their_field() -> None:
    check = about(BY_KEY["checks"].title, {}, problems=[("checks.flag_at", "Must be at most 1. Found: 2.")])
    assert (check.state, check.words, check.fix) == ("stop", "Must be at most 1. Found: 2.", place_of("checks.flag_at"))


def test_uneven_design_is_looked_at_and_even_one_is_good() -> None:
    study = protocol()
    assert line(Opening(study, "", feasibility(study, (), {})), "Trials and raters").state == "stop"


def test_study_without_texts_asks_for_them_and_says_nothing_of_blinding() -> None:
    study = protocol()
    opening = Opening(study, "", feasibility(study, (), {}), revealing=())
    found = line(opening, "Trials and raters")
    assert found.words == "No trials can be made yet. Add texts that have the responses a trial needs."
    assert found.fix == Fix("show_texts")
    assert "Blinding" not in {check.title for check in opening.checklist()}


@pytest.mark.parametrize("path", ["flow.consent.text", "instructions", "rater_title", "completion.text"])
def test_field_of_a_placeholder_is_on_the_page_that_it_leads_to(path: str) -> None:
    fix = place_of(path)
    data = {"flow": {"consent": {"version": "1", "text": "T"}}}
    names = {control.name for control in walk(section_controls(BY_KEY[fix.parameters["part"]], data))}
    assert fix.anchor in names


def test_placeholder_of_a_question_or_an_entry_leads_to_its_page() -> None:
    assert place_of("questions.2.text") == Fix("show_questions_list")
    assert place_of("checks.attention.1.text").anchor == "checks.attention.0.text"
    assert place_of("unknown") == Fix("show_text")


def walk(controls: list[Any]) -> list[Any]:
    """All controls of a page, with those inside others."""
    return [one for control in controls for one in (control, *walk(list(control.children)))]
