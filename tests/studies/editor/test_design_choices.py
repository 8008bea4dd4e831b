"""Trials, pools and quotas in forms: all is chosen by its label, and a renamed or removed pool leaves nothing."""

import json
import re
from typing import Any

import pytest

from app.base.problems import Problems
from app.protocol.yaml.study_yaml import read_protocol
from app.studies.editor.controls import Control, Option
from app.studies.editor.question_form import question_editor, with_edited
from app.studies.editor.section_form import section_form, with_edited_section, with_new_entry
from app.studies.editor.sections import BY_KEY, QUESTIONS, SECTIONS
from app.studies.editor.stored_texts import Columns, Stored
from tests.kit.builder import EMPATHY, PREFERENCE, protocol_of
from tests.kit.dyads import PERSON
from tests.studies.editor.posted import posted
from tests.studies.editor.test_forms_round_trip import TEXTS, data_of

GENDER = {
    "key": "gender",
    "target": "rater",
    "type": "category",
    "text": "What is your gender?",
    "codes": {"w": "Woman", "m": "Man", "d": "Another"},
}
STORED = Stored(
    Columns(items=("topic",), raters=("site", "group"), values={"group": ("a", "b"), "topic": ("work", "home")}),
    [Option("i1", "i1: A loss"), Option("i2", "i2: A quarrel")],
    {"i1": {"r1": "person", "r2": "model"}, "i2": {"r3": "person", "r4": "model"}},
)


def study(**parts: Any) -> dict[str, Any]:  # noqa: ANN401 - any part of the protocol
    return protocol_of(questions=[PREFERENCE, EMPATHY, GENDER], **parts)


def controls(data: dict[str, Any], page: str, stored: Stored = STORED) -> dict[str, Control]:
    return {one.name: one for control in section_form(BY_KEY[page], data, stored) for one in control.all}


def sent(
    data: dict[str, Any],
    page: str,
    changed: dict[str, list[str]],
    stored: Stored = STORED,
) -> dict[str, Any]:
    """The data after fields of a page were changed."""
    fields = posted(*section_form(BY_KEY[page], data, stored)) | changed
    return with_edited_section(BY_KEY[page], data, fields, stored)


def check_valid(data: dict[str, Any]) -> None:
    problems = Problems()
    assert read_protocol(json.dumps(data), problems) is not None, problems.list_of("study.yaml")


def words_of(control: Control) -> list[str]:
    return [one.words for one in control.options]


POOLS = {
    "design": {"pools": {"nurses": {}, "crowd": {}}, "open_pool": "crowd"},
    "flow": {"before": [{"questions": ["gender"], "pools": ["crowd"]}]},
    "analysis": {"primary": [{"question": "empathy", "test": "pool_difference", "pool": "crowd"}]},
}


def test_key_of_a_pool_follows_its_name_wherever_it_is_named() -> None:
    named = sent(study(**POOLS), "assignment", {"design.pools.1.label": ["Jede Person"]})
    assert named["design"] == {
        "pools": {"nurses": {}, "jede_person": {"label": "Jede Person"}},
        "open_pool": "jede_person",
    }
    assert named["flow"]["before"][0]["pools"] == ["jede_person"]
    assert named["analysis"]["primary"][0]["pool"] == "jede_person"
    check_valid(named)


def test_groups_of_trials_are_shown_at_once_only_if_they_are_used() -> None:
    first = [name for name, one in controls(study(), "assignment").items() if one.is_main]
    assert not {"design.pools", "design.quotas", "design.blocks", "design.repeats", "design.human_sample"} & {*first}
    assert controls(study(**POOLS), "assignment")["design.pools"].is_main


def test_key_of_a_pool_that_raters_have_met_stays() -> None:
    stored = Stored(fixed={"design.pools": frozenset({"crowd"})})
    named = sent(study(**POOLS), "assignment", {"design.pools.1.label": ["Everybody"]}, stored)
    assert named["design"]["pools"] == {"nurses": {}, "crowd": {"label": "Everybody"}}
    assert named["design"]["open_pool"] == "crowd"


def test_removed_pool_leaves_nothing_that_names_it() -> None:
    gone = sent(study(**POOLS), "assignment", {"design.pools.1:remove": [""]})
    assert gone["design"] == {"pools": {"nurses": {}}}
    assert gone["flow"] == {"before": [{"questions": ["gender"]}]}
    assert "analysis" not in gone


def test_pools_questions_and_columns_are_chosen_by_label() -> None:
    found = controls(study(**POOLS, attributes={"topic": {"label": "Topic of the post"}}), "assignment")
    assert words_of(found["design.open_pool"]) == ["None: only raters with an invitation", "Nurses", "Crowd"]
    assert words_of(found["design.adaptive"]) == ["No", "Which response is better?"]
    data = study(design={"blocks": {"size": 2}}, attributes={"topic": {"label": "Topic of the post"}})
    found = controls(data, "assignment")
    assert words_of(found["design.blocks.column"]) == ["None: blocks of one size", "Topic of the post"]
    pages = controls(study(**POOLS), "questionnaires")
    assert words_of(pages["flow.before.0.pools"]) == ["Crowd", "Nurses"]


def test_new_pool_is_named_and_removed_again() -> None:
    data = with_new_entry(study(), "design.pools", STORED)
    assert data["design"]["pools"] == {"new_pool": {"label": "New pool"}}
    named = sent(data, "assignment", {"design.pools.0.label": ["Nurses"]})
    assert named["design"]["pools"] == {"nurses": {"label": "Nurses"}}
    check_valid(named)


def test_quota_is_a_number_for_each_answer() -> None:
    data = with_new_entry(study(design={"max_raters": 60}), "design.quotas", STORED)
    assert data["design"]["quotas"] == {"gender": {"w": 20, "m": 20, "d": 20}}
    check_valid(data)
    quota = controls(data, "assignment")["design.quotas.0"]
    assert [(one.label, one.value) for one in quota.children] == [("Woman", "20"), ("Man", "20"), ("Another", "20")]
    fewer = sent(data, "assignment", {"design.quotas.0.2": [""], "design.quotas.0.0": ["40"]})
    assert fewer["design"]["quotas"] == {"gender": {"w": 40, "m": 20}}
    column = sent(data, "assignment", {"design.quotas.0:key": ["group"]})
    assert column["design"]["quotas"] == {"group": {"a": 30, "b": 30}}
    options = [one.value for one in controls(data, "assignment")["design.quotas"].options]
    assert options == ["gender", "group", "site"]


def test_listed_trials_are_an_item_and_ticked_responses() -> None:
    data = with_new_entry(with_new_entry(study(), "design.listed", STORED), "design.listed", STORED)
    assert data["design"]["listed"] == [["r1", "r2"], ["r3", "r4"]]
    row = controls(data, "assignment")["design.listed"].children[1]
    assert [one.value for one in row.children] == ["i2", "r3\nr4"]
    assert words_of(row.children[1]) == ["Person", "Model"]
    moved = sent(data, "assignment", {"design.listed.1:item": ["i1"]})
    assert moved["design"]["listed"] == [["r1", "r2"], ["r1", "r2"]]
    one = sent(data, "assignment", {"design.listed.1": ["", "r4"], "design.listed.0:down": [""]})
    assert one["design"]["listed"] == [["r4"], ["r1", "r2"]]


def test_practice_trial_of_another_item_shows_all_its_responses() -> None:
    data = study(flow={"practice": {"trials": [{"item": "i1", "responses": ["r2"], "expect": {}}]}})
    responses = controls(data, "practice")["flow.practice.trials.0.responses"]
    assert (responses.value, words_of(responses)) == ("r2", ["Model", "Person"])
    moved = sent(data, "practice", {"flow.practice.trials.0.item": ["i2"]})
    assert moved["flow"]["practice"]["trials"] == [{"item": "i2", "expect": {}}]


# What leads write: names, texts, and what recruitment platforms and servers of models give them.
WRITTEN = {
    *("title", "rater_title", "label", "shown_label", "agree", "refuse", "version"),
    *("code", "url", "contact", "controller", "name", "model", "server", "number"),
}
LISTS = {"codes", "skip_reasons", "looks", "hypotheses", "alert_words"}


def test_raters_who_write_with_each_other_have_two_roles_at_once() -> None:
    path = "conversation.partners.0"
    data = study(conversation={"partners": {"person": {"replies": "none"}}})
    assert f"{path}.roles" not in controls(data, "conversation")
    chosen = sent(data, "conversation", {f"{path}.replies": ["person"]})
    assert chosen["conversation"]["partners"]["person"]["roles"] == {
        "seeker": {"label": "Seeker"},
        "supporter": {"label": "Supporter"},
    }
    shown = controls(chosen, "conversation")
    assert not shown[f"{path}.roles"].is_open
    assert [one.key_name for one in shown[f"{path}.roles"].children] == ["", ""]
    named = sent(chosen, "conversation", {f"{path}.roles.0.label": ["Teller"], f"{path}.roles.1:up": [""]})
    assert [*named["conversation"]["partners"]["person"]["roles"].values()] == [
        {"label": "Supporter"},
        {"label": "Teller"},
    ]


def fields_of_partner(partner: dict[str, Any], kind: str = "conversation") -> set[str]:
    data = study(design={"trials": kind}, **{kind: {"partners": {"person": partner}}})
    path = f"{kind}.partners.0."
    return {name.removeprefix(path) for name in controls(data, kind) if name.startswith(path)} - {"replies"}


def test_form_of_a_partner_has_only_what_can_be_said_of_them() -> None:
    model = {"model", "server", "prompt", "temperature", "reply_tokens"}
    assert fields_of_partner({"model": "m"}) == {*model, "name", "opening"}
    assert fields_of_partner({"replies": "none"}) == {"name", "opening"}
    of_person = {"wait_minutes", "when_alone", "silence_minutes"}
    roles = {"roles", *(f"roles.{n}{field}" for n in (0, 1) for field in ("", ".label", ".task"))}
    assert fields_of_partner(PERSON) == of_person | roles
    assert fields_of_partner({"model": "m"}, "draft") == {*model, "name", "suggestions"}
    assert fields_of_partner({"replies": "none"}, "draft") == {"name"}


def test_what_was_said_of_another_partner_can_be_removed() -> None:
    left = fields_of_partner({"replies": "none", "prompt": "Listen.", "wait_minutes": 5})
    assert left == {"name", "opening", "prompt", "wait_minutes"}


@pytest.mark.parametrize("kind", ["conversation", "draft"])
def test_forms_of_what_raters_write_have_no_words_of_code(kind: str) -> None:
    line = {"country": "GB", "name": "Samaritans", "number": "116 123"}
    partners = {"person": {"model": "m"}, "model": {"replies": "none"}, **({"peer": PERSON} if kind != "draft" else {})}
    bounds = {"partners": partners, "alert_words": ["hopeless"], "alert": "Call.", "help_lines": [line]}
    for control in controls(study(design={"trials": kind}, **{kind: bounds}), kind).values():
        assert not re.search(r"\b(Url|Min|Max|Patience|Replies|_)\b", control.label), control.name
        assert not re.search(r"`|\.md|\bdefault:", control.help), control.name
        said = {one.words for one in control.options}
        assert not said & {"Model", "None", "Whole", "Inserted", "End"} or control.name.endswith(".partners")


@pytest.mark.parametrize("name", TEXTS)
def test_no_page_asks_for_a_key(name: str) -> None:
    data = data_of(TEXTS[name])
    for section in SECTIONS:
        if section.key == QUESTIONS:
            continue
        for control in (each for one in section_form(section, data, STORED) for each in one.all):
            field = control.name.rpartition(".")[2]
            assert "Keys of" not in control.help, control.help
            # Numbers and words of questions whose answers cannot be listed.
            is_answer = any(part in control.name for part in (".expect.", ".accept.", ".word_lists."))
            field = "label" if re.search(r"\.level_labels\.|:more\.", control.name) else field
            assert control.shape != "line" or field in WRITTEN, control.name
            assert control.shape != "lines" or field in LISTS or is_answer, control.name
            if control.shape in {"named", "pairs"}:
                labels = {
                    "Name of the level",
                    "Name of the role",
                    "Value in the link",
                    "What it says, such as Version",
                    "Name of the list",
                }
                assert {one.key_label for one in control.children if one.key_name and not control.options} <= labels


@pytest.mark.parametrize("name", TEXTS)
def test_no_question_asks_for_a_key(name: str) -> None:
    data = data_of(TEXTS[name])
    for number in range(1, len(data[QUESTIONS]) + 1):
        editor = question_editor(data, number, STORED.columns)
        for control in (each for one in (*editor.main, *editor.marks, *editor.more) for each in one.all):
            assert control.shape != "line" or control.name.endswith("_words"), control.name
            assert control.shape not in {"lines", "pairs", "named"}, control.name


def test_column_of_the_correct_answer_and_the_language_are_chosen() -> None:
    question = {key: value for key, value in GENDER.items() if key != "target"} | {"target": "item"}
    data = protocol_of(questions=[question], attributes={"topic": {"label": "Topic of the post"}})
    more = {one.name: one for one in question_editor(data, 1, STORED.columns).more}
    assert words_of(more["questions.0.correct_column"]) == ["None", "Topic of the post"]
    language = controls(data | {"language": "de-AT"}, "study")["language"]
    assert (language.value, words_of(language)[:3]) == ("de-AT", ["English", "Arabic", "German"])
    assert words_of(language)[-1] == "German (de-AT)"
    assert controls(data, "study")["language"].value == "en"


def test_country_and_date_of_a_help_line_are_chosen() -> None:
    line = {"country": "gb", "name": "Samaritans", "number": "116 123", "checked": "2026-11-28"}
    lines = [line, {"country": "UK", "name": "Samaritans", "number": "116 123"}]
    data = study(conversation={"partners": {}, "help_lines": lines})
    found = controls(data, "conversation")
    country = found["conversation.help_lines.0.country"]
    assert (country.shape, country.value, country.options[0].words) == ("choice", "GB", "Choose a country")
    assert "United Kingdom" in words_of(country)
    assert "UK" in words_of(found["conversation.help_lines.1.country"])
    checked = found["conversation.help_lines.0.checked"]
    assert (checked.shape, checked.value) == ("date", "2026-11-28")
    assert found["conversation.help_lines.0"].title == "Samaritans"


TOLD: dict[str, Any] = {
    "conditions": {
        "told": {
            "kind": "instruction",
            "levels": {"facts": "Stick to the facts.", "other": "Imagine how they feel."},
            "weights": {"facts": 2, "other": 1},
            "reference_level": "other",
        }
    },
    "analysis": {"primary": [{"question": "empathy", "test": "factor_effect", "factor": "told", "level": "facts"}]},
}
WARM = EMPATHY | {"key": "warm", "text": "How warm is it?", "condition": "told=facts"}


def told() -> dict[str, Any]:
    return protocol_of(questions=[PREFERENCE, EMPATHY, WARM], **TOLD)


def test_keys_of_a_condition_and_its_levels_follow_their_names() -> None:
    names = {"conditions.0.label": ["Instruction"], "conditions.0.levels.0:key": ["Only facts"]}
    named = sent(told(), "conditions", names)
    assert named["conditions"]["instruction"] == {
        "kind": "instruction",
        "label": "Instruction",
        "levels": {"only_facts": "Stick to the facts.", "other": "Imagine how they feel."},
        "level_labels": {"only_facts": "Only facts"},
        "weights": {"only_facts": 2, "other": 1},
        "reference_level": "other",
    }
    assert named["questions"][2]["condition"] == "instruction=only_facts"
    assert [named["analysis"]["primary"][0][part] for part in ("factor", "level")] == ["instruction", "only_facts"]
    check_valid(named)
    opened = sent(told(), "conditions", names, Stored(fixed={"conditions": frozenset({"told"})}))
    assert opened["conditions"]["told"]["level_labels"] == {"facts": "Only facts"}
    assert opened["analysis"] == TOLD["analysis"]
    check_valid(opened)


def test_removed_level_and_condition_leave_nothing_that_names_them() -> None:
    level = {"conditions.0.levels.1:key": [""], "conditions.0.levels.1": [""]}
    gone = sent(told(), "conditions", level)["conditions"]["told"]
    assert gone == {"kind": "instruction", "levels": {"facts": "Stick to the facts."}, "weights": {"facts": 2}}
    gone = sent(told(), "conditions", {"conditions.0:remove": [""]})
    assert {"conditions", "analysis"}.isdisjoint(gone)
    assert gone["questions"][2] == {name: value for name, value in WARM.items() if name != "condition"}


def test_levels_are_ticked_and_follow_the_kind_of_a_condition() -> None:
    data = with_new_entry(study(), "conditions", STORED)
    check_valid(data)
    told_who = sent(data, "conditions", {"conditions.0.kind": ["shown_label"]})
    assert told_who["conditions"] == {"new_condition": {"kind": "shown_label", "label": "New condition"}}
    levels = controls(told_who, "conditions")["conditions.0.levels"]
    assert words_of(levels) == ["Nothing", "Who wrote it", "That another source wrote it", "That it is not known"]
    two = sent(told_who, "conditions", {"conditions.0.levels": ["", "none", "true"], "conditions.0.weights.0": ["2"]})
    assert two["conditions"]["new_condition"] == {
        "kind": "shown_label",
        "label": "New condition",
        "levels": ["none", "true"],
        "weights": {"none": 2},
    }
    within = sent(two, "conditions", {"conditions.0.assign": ["within"]})["conditions"]["new_condition"]
    assert "weights" not in within
    of_source = sent(data, "conditions", {"conditions.0.kind": ["source"]})
    assert of_source["conditions"]["new_condition"]["levels"] == ["person", "model"]
    check_valid(of_source)


def test_new_level_is_named_by_words() -> None:
    added = {"conditions.0.levels.2:key": ["Für sich selbst"], "conditions.0.levels.2": ["Think of yourself."]}
    factor = sent(told(), "conditions", added)["conditions"]["told"]
    assert factor["levels"]["fur_sich_selbst"] == "Think of yourself."
    assert factor["level_labels"] == {"fur_sich_selbst": "Für sich selbst"}


def named() -> dict[str, Any]:
    """A study whose contrasts, guesses, swaps and conditions name its sources."""
    return protocol_of(
        questions=[PREFERENCE, EMPATHY, GENDER | {"key": "writer", "target": "response"}],
        sources={
            "person": {"kind": "human"},
            "model": {"kind": "model", "family": "example"},
            "old": {"kind": "model"},
        },
        conditions={
            "label": {"kind": "shown_label", "swaps": {"person": "model", "model": "person"}},
            "whose": {"kind": "source", "levels": ["person", "model"], "caps": {"model": 40}},
        },
        analysis={
            "reference": "model",
            "primary": [{"question": "empathy", "source": "person", "reference": "model"}, "preference"],
            "believed_source": {"question": "writer", "means": {"w": ["person"], "m": ["model", "old"]}},
        },
    )


def test_key_of_a_source_follows_its_name_wherever_it_is_named() -> None:
    changed = sent(named(), "sources", {"sources.1.label": ["GPT-5"]})
    assert list(changed["sources"]) == ["person", "gpt_5", "old"]
    assert changed["conditions"]["label"]["swaps"] == {"person": "gpt_5", "gpt_5": "person"}
    assert changed["conditions"]["whose"] == {"kind": "source", "levels": ["person", "gpt_5"], "caps": {"gpt_5": 40}}
    assert changed["analysis"] == {
        "reference": "gpt_5",
        "primary": [{"question": "empathy", "source": "person", "reference": "gpt_5"}, "preference"],
        "believed_source": {"question": "writer", "means": {"w": ["person"], "m": ["gpt_5", "old"]}},
    }
    kept = sent(
        named(),
        "sources",
        {"sources.1.label": ["GPT-5"]},
        Stored(used=frozenset({"model"}), fixed={"sources": frozenset({"model"})}),
    )
    assert kept["sources"]["model"]["label"] == "GPT-5"


def test_removed_source_leaves_nothing_that_names_it_unless_it_has_responses() -> None:
    gone = sent(named(), "sources", {"sources.1:remove": [""]})
    assert gone["conditions"] == {"label": {"kind": "shown_label"}}
    assert gone["analysis"] == {
        "primary": ["preference"],
        "believed_source": {"question": "writer", "means": {"w": ["person"], "m": ["old"]}},
    }
    stored = Stored(used=frozenset({"model"}), fixed={"sources": frozenset({"model"})})
    assert sent(named(), "sources", {"sources.1:remove": [""]}, stored)["sources"] == named()["sources"]
    rows = controls(named(), "sources", stored)["sources"].children
    assert [row.is_removable for row in rows] == [True, False, True]


def test_details_of_a_source_are_named_and_columns_are_chosen() -> None:
    data = sent(named(), "sources", {"sources.1:more.1:key": ["Größe in Mrd."], "sources.1:more.1": ["70"]})
    assert data["sources"]["model"] == {"kind": "model", "family": "example", "grosse_in_mrd": "70"}
    assert data["attributes"] == {"grosse_in_mrd": {"label": "Größe in Mrd."}}
    assert sent(data, "sources", {}) == data
    added = with_new_entry(data, "attributes", STORED)
    column = controls(added, "sources")["attributes"]
    assert [one.value for one in column.options] == ["topic", "site", "group", "family", "grosse_in_mrd"]
    assert words_of(controls(added, "sources")["attributes.1.reference_level"]) == ["The first", "work", "home"]
    check_valid(added | {"conditions": {}})


def test_definitions_are_lines_in_the_order_of_the_answers() -> None:
    data = data_of(TEXTS[next(iter(TEXTS))])
    rating = {
        "key": "warm",
        "target": "response",
        "type": "rating",
        "text": "Warm?",
        "scale": {"1": "No", "2": "", "3": "Yes"},
    }
    data = {**data, QUESTIONS: [{**rating, "definitions": {3: "It names\nthe feeling."}}]}
    assert question_editor(data, 1, STORED.columns).meanings == "\n\nIt names the feeling."
    sent = {"definitions": ["To anybody.\r\n\r\nTo this person.\r\nNo such answer."]}
    edited, _ = with_edited(data, 1, sent, may_rename=False)
    assert edited[QUESTIONS][0]["definitions"] == {"1": "To anybody.", "3": "To this person."}
    shorter, _ = with_edited(edited, 1, {"labels": ["No\nYes"]}, may_rename=False)
    fewer, _ = with_edited(shorter, 1, {"definitions": [""]}, may_rename=False)
    assert "definitions" not in fewer[QUESTIONS][0]


def test_question_about_each_turn_of_a_conversation_says_whose_turns() -> None:
    mood = {"key": "mood", "target": "turn", "type": "slider", "text": "How did you feel?"}
    partners = {"person": {"replies": "none"}}
    talk = protocol_of(questions=[mood], design={"trials": "conversation"}, conversation={"partners": partners})
    (whose,) = (one for one in question_editor(talk, 1).main if one.name == "questions.0.turns")
    assert [whose.label, *(one.words for one in whose.options)] == [
        "Whose turns of the conversation",
        "All",
        "Own",
        "Partner",
    ]
    data, _ = with_edited(talk, 1, {"questions.0.turns": ["own"]}, may_rename=False)
    assert data["questions"][0]["turns"] == "own"
    # Where raters have no conversations, the field is there only to be put right.
    without = protocol_of(questions=[mood])
    assert not [one for one in question_editor(without, 1).main if one.name == "questions.0.turns"]
    odd = protocol_of(questions=[{**mood, "turns": "own"}])
    assert [one.value for one in question_editor(odd, 1).main if one.name == "questions.0.turns"] == ["own"]
