"""Primary contrasts as sentences: every choice is one that the study has, and a change leaves nothing that misfits."""

import json
from typing import Any

import pytest

from app.base.problems import Problems
from app.protocol.yaml.study_yaml import read_protocol
from app.studies.editor.controls import Control
from app.studies.editor.primary_form import (
    implied_contrast,
    with_new_contrast,
    with_parts_that_fit,
    with_sentences,
)
from app.studies.editor.sections import BY_KEY, section_controls, with_section
from tests.kit.builder import EMPATHY, PREFERENCE, protocol_of
from tests.studies.editor.posted import posted
from tests.studies.editor.test_forms_round_trip import TEXTS, data_of

ANALYSIS = BY_KEY["analysis"]
MOOD = {"key": "mood", "target": "rater", "type": "rating", "text": "Mood?", "scale": {1: "bad", 2: "good"}}
FACTORS = {"reading": {"kind": "profile", "levels": ["hidden", "shown"], "assign": "within"}}


def study(*primary: Any, **parts: Any) -> dict[str, Any]:  # noqa: ANN401 - any part of a protocol
    analysis = {"analysis": {"primary": [*primary]}} if primary else {}
    return protocol_of(**{"questions": [PREFERENCE, EMPATHY, MOOD], "conditions": FACTORS, **analysis, **parts})


def controls(data: dict[str, Any]) -> list[Control]:
    return [with_sentences(one, data) for one in section_controls(ANALYSIS, data)]


def sentences(data: dict[str, Any]) -> list[Control]:
    return [row for one in controls(data) if one.shape == "sentences" for row in one.children]


def said(row: Control) -> str:
    """A sentence as it is read."""
    words = {one.name: {option.value: option.words for option in one.options} for one in row.children}
    return " ".join(f"{one.label} [{words[one.name].get(one.value, one.value)}]" for one in row.children)


def sent(data: dict[str, Any], **changed: str) -> dict[str, Any]:
    """The data after the first sentence was changed."""
    fields = posted(*controls(data)) | {f"analysis.primary.0.{name}": [value] for name, value in changed.items()}
    return with_parts_that_fit(data, with_section(ANALYSIS, data, fields))


def is_valid(data: dict[str, Any]) -> bool:
    return read_protocol(json.dumps(data), Problems()) is not None


@pytest.mark.parametrize("name", TEXTS)
def test_every_primary_contrast_is_a_sentence_of_choices(name: str) -> None:
    data = data_of(TEXTS[name])
    rows = sentences(data)
    assert len(rows) == len(data.get("analysis", {}).get("primary", ()))
    for row in rows:
        shown = {one.name.rpartition(".")[2]: one for one in row.children}
        assert {"question", "test"} <= shown.keys()
        for part, one in shown.items():
            assert part == "margin" or one.value in {option.value for option in one.options}, (part, one.value)


def test_sentence_reads_as_a_question() -> None:
    (row,) = sentences(study({"question": "empathy", "test": "equivalence", "margin": 0.5}))
    assert said(row) == (
        "Do raters rate [each other source] differently from [Person] on [Empathy] Tested as [Equivalent] within [0.5]"
    )


@pytest.mark.parametrize(
    ("before", "change", "after"),
    [
        ("empathy", {"test": "non_inferiority"}, {"question": "empathy", "test": "non_inferiority"}),
        ({"question": "empathy", "test": "equivalence", "margin": 0.5}, {"test": "t_paired"},
         {"question": "empathy", "test": "t_paired"}),
        ({"question": "empathy", "test": "t_paired", "published": "wilcoxon"}, {"question": "preference"},
         {"question": "preference"}),
        ("empathy", {"test": "factor_effect"}, {"question": "empathy", "test": "factor_effect", "factor": "reading"}),
        ({"question": "empathy", "factor": "reading", "level": "shown"}, {"test": "mean_difference"},
         {"question": "empathy", "test": "mean_difference"}),
        ("empathy", {"source": "model"}, {"question": "empathy", "source": "model"}),
    ],
)  # fmt: skip
def test_changed_sentence_keeps_only_what_its_test_takes(before: Any, change: dict[str, str], after: Any) -> None:  # noqa: ANN401
    assert sent(study(before), **change)["analysis"]["primary"] == [after]


def test_margin_is_asked_for_where_the_claim_needs_one() -> None:
    data = sent(study("empathy"), test="equivalence")
    assert not is_valid(data)
    assert "within []" in said(sentences(data)[0])
    whole = sent(data, margin="0.5")
    assert is_valid(whole)
    assert whole["analysis"]["primary"] == [{"question": "empathy", "test": "equivalence", "margin": 0.5}]


def test_new_contrast_is_about_the_next_question_until_there_is_none() -> None:
    data = study()
    implied = implied_contrast(data)
    assert implied
    assert implied.question == "preference"
    data = with_new_contrast(with_new_contrast(data))
    assert data["analysis"]["primary"] == ["preference", "empathy"]
    assert implied_contrast(data) is None
    assert with_new_contrast(data) == data
    assert is_valid(data)


def test_sentence_of_a_broken_study_shows_what_is_written_and_loses_nothing() -> None:
    data = study({"question": "gone", "pool": "nobody"}) | {"questions": "none"}
    (row,) = sentences(data)
    assert [one.value for one in row.children] == ["gone", "nobody"]
    assert sent(data)["analysis"] == data["analysis"]
    unknown = study({"question": "gone", "test": "mean_difference"})
    assert sent(unknown, source="model")["analysis"]["primary"][0]["source"] == "model"


def test_new_contrast_of_a_question_without_a_usual_test_has_one() -> None:
    mood = {"key": "mood", "target": "rater", "type": "rating", "text": "Mood?", "scale": {1: "low", 2: "high"}}
    data = protocol_of(questions=[mood], design={"pools": {"a": {}, "b": {}}})
    data = with_new_contrast(data)
    assert data["analysis"]["primary"] == [{"question": "mood", "test": "pool_difference"}]
    assert is_valid(data)


def test_sentence_about_models_and_people_reads_as_a_question_without_pools() -> None:
    """Before, it began with "or all models", and an attribute of items asked for "no kind of raters"."""
    rows = sentences(data_of(TEXTS["theory-of-mind"]))
    assert said(rows[0]).startswith("Do all [models] answer differently from all [people] on [Belief] Tested as")
    assert said(rows[2]).startswith("Does [Version of the story] change [Belief] answered by [models] Tested as")
    of_people = sentences(data_of(TEXTS["bias-audit"]))
    begins = "Does [Group of the writer] change [Empathy] for [Model] answered by [people] Tested as"
    assert said(of_people[0]).startswith(begins)


def test_sentence_about_texts_reads_as_a_question_and_has_one_test() -> None:
    data = study("empathy", analysis={"word_lists": {"care": ["kind*"]}, "primary": ["empathy"]})
    (row,) = sentences(data)
    asked = next(one for one in row.children if one.name.endswith(".question"))
    words = {option.value: option.words for option in asked.options}
    assert words["exclamation_marks"] == "Number of exclamation marks (of the texts)"
    assert words["word_share.care"] == "Share of words in the list care (of the texts)"
    changed = sent(data, question="exclamation_marks")
    assert changed["analysis"]["primary"] == [{"question": "exclamation_marks", "test": "text_difference"}]
    assert is_valid(changed)
    (row,) = sentences(changed)
    assert said(row) == (
        "Do texts of [each other source] differ from those of [Person] in [Number of exclamation marks (of the texts)] "
        "Tested as [difference between texts]"
    )
    back = sent(changed, question="preference")
    assert back["analysis"]["primary"] == ["preference"] or back["analysis"]["primary"] == [{"question": "preference"}]
    imported = study({"question": "classifier", "test": "text_difference"})
    assert "[Classifier (of the texts)]" in said(sentences(imported)[0])
    assert "words" not in str(with_new_contrast(study("preference", "empathy"))["analysis"]["primary"])
