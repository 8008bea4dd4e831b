"""Changes made by forms: entries that are added, moved, removed, or left without a name."""

from typing import Any

import pytest

from app.protocol.questions.registry import KINDS
from app.studies.editor.question_list import moved, with_copy, with_new, without
from app.studies.editor.sections import BY_KEY, question_control, section_controls, with_question, with_section
from tests.studies.editor.posted import posted

RATING = {"key": "warmth", "target": "response", "type": "rating", "text": "Warm?", "scale": {"1": "no", "2": "yes"}}
DATA: dict[str, Any] = {
    "sources": {"person": {"kind": "human", "training": "yes", "sites": ["a", "b"]}, "gpt": {"kind": "model"}},
    "questions": [RATING],
    "flow": {"before": [{"questions": ["a"]}, {"title": "Two", "questions": ["b"]}], "help": "Ask.\n"},
}


def saved(section: str, *, add: str = "", data: dict[str, Any] = DATA, **changes: Any) -> dict[str, Any]:  # noqa: ANN401 - fields
    """Submit a page with some fields changed; two underscores stand for the dot in a field's name."""
    form = posted(*section_controls(BY_KEY[section], data, add=add))
    sent = {
        name.replace("__", ".").replace("_KEY", ":key").replace("_MORE", ":more"): [v] for name, v in changes.items()
    }
    return with_section(BY_KEY[section], data, form | sent)


def pressed(button: str) -> dict[str, Any]:
    """Return what a button of an entry adds to the form."""
    return {button: ""}


def question(**changes: str) -> dict[str, Any]:
    form = posted(question_control(DATA, 0))
    sent = {
        f"questions.0.{name.replace('__', '.').replace('_KEY', ':key')}": [value] for name, value in changes.items()
    }
    found: dict[str, Any] = with_question(DATA, 0, form | sent)["questions"][0]
    return found


def test_changed_text_leaves_other_fields_unchanged() -> None:
    assert question(text="Kind?") == RATING | {"text": "Kind?"}


def test_cleared_text_is_not_written() -> None:
    assert "text" not in question(text=" ")


def test_default_values_are_not_written() -> None:
    assert question(required="true") == RATING
    assert question(required="")["required"] is False


def test_empty_row_adds_a_scale_point() -> None:
    assert question(scale__2_KEY="3", scale__2="very")["scale"] == {"1": "no", "2": "yes", "3": "very"}


def test_scale_point_without_value_gets_next_value() -> None:
    assert question(scale__2="very")["scale"] == {"1": "no", "2": "yes", "3": "very"}


def test_cleared_row_is_removed() -> None:
    assert question(scale__0_KEY="", scale__0="")["scale"] == {"2": "yes"}


def test_duplicate_names_are_both_kept() -> None:
    assert question(scale__1_KEY="1")["scale"] == {"1": "no", "1 2": "yes"}


def test_renamed_entry_keeps_its_position() -> None:
    assert list(saved("sources", sources__0_KEY="therapist")["sources"]) == ["therapist", "gpt"]


def test_added_attribute_keeps_nested_values() -> None:
    name = "sources__0_MORE__1"
    source = saved("sources", **dict[str, Any]({f"{name}_KEY": "years", name: "9"}))["sources"]["person"]
    assert source == {"kind": "human", "training": "yes", "years": "9", "sites": ["a", "b"]}


def test_list_entries_are_moved_and_removed_by_buttons() -> None:
    pages = DATA["flow"]["before"]
    assert saved("questionnaires", **pressed("flow__before__1:up"))["flow"]["before"] == [pages[1], pages[0]]
    assert saved("questionnaires", **pressed("flow__before__0:up"))["flow"]["before"] == pages
    assert saved("questionnaires", **pressed("flow__before__0:down"))["flow"]["before"] == [pages[1], pages[0]]
    assert saved("questionnaires", **pressed("flow__before__0:remove"))["flow"]["before"] == [pages[1]]


def test_last_list_entry_can_be_removed() -> None:
    data = DATA | {"flow": {"before": [{"questions": ["a"]}]}}
    assert "before" not in saved("questionnaires", data=data, **pressed("flow__before__0:remove"))["flow"]


def test_section_can_be_added_and_removed() -> None:
    data = saved("consent", add="flow.consent", flow__consent__version="1", flow__consent__text="You may stop.")
    assert data["flow"]["consent"] == {"version": "1", "text": "You may stop."}
    assert "consent" not in saved("consent", data=data, **pressed("flow__consent:remove"))["flow"]


def test_added_section_left_empty_is_not_written() -> None:
    assert saved("consent", add="flow.consent")["flow"] == DATA["flow"]


def test_numbers_are_parsed_and_invalid_input_is_kept() -> None:
    data = saved("assignment", design__raters_per_trial="4", design__max_raters="many", design__seed="0")
    assert data["design"] == {"raters_per_trial": 4, "max_raters": "many"}


def test_decimal_comma_is_read_but_no_separator_of_thousands() -> None:
    assert saved("recruitment", recruitment__pay="2,50", recruitment__minutes="7,5")["recruitment"] == {
        "pay": 2.5,
        "minutes": 7.5,
    }
    assert saved("recruitment", recruitment__pay="1,500")["recruitment"] == {"pay": "1,500"}


def test_lists_have_one_entry_per_line() -> None:
    assert saved("consent", flow__skip_reasons="Too long\r\n\r\n Too sad ")["flow"]["skip_reasons"] == [
        "Too long",
        "Too sad",
    ]


@pytest.mark.parametrize("kind", KINDS)
def test_new_question_of_each_kind_is_valid_and_its_text_is_to_be_filled_in(kind: str) -> None:
    *_, new = with_new(DATA, kind)["questions"]
    KINDS[kind].model_validate(new)
    assert new["text"] == "[Your question]"


def test_questions_can_be_added_copied_moved_and_removed() -> None:
    data = with_copy(with_new(DATA, "rating"), RATING)
    assert [one["key"] for one in data["questions"]] == ["warmth", "rating", "warmth_2"]
    assert [one["key"] for one in moved(data, 2, 1)["questions"]] == ["warmth", "warmth_2", "rating"]
    assert moved(data, 0, -1) == data
    assert [one["key"] for one in without(data, 0)["questions"]] == ["rating", "warmth_2"]
