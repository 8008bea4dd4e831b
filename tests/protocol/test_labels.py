"""Labels shown to people instead of keys: as declared, or derived from the key."""

import pytest

from app.base.problems import Problems
from app.protocol.study import Protocol
from app.protocol.yaml.study_yaml import read_protocol
from tests.kit.protocols import SOURCES, WARM, WHO, protocol

TOLD = {"kind": "instruction", "levels": {"plain": "Read.", "imagine_other": "Imagine."}}


def test_undeclared_label_is_derived_from_key() -> None:
    labels = protocol(sources={"gpt_4": {"kind": "model"}, "physician": {"kind": "human"}}).labels
    assert (labels.source("gpt_4"), labels.source("physician")) == ("GPT 4", "Physician")
    assert labels.question("emotional_understanding") == "Emotional understanding"
    assert (labels.pool("crowd"), labels.column("years_of_practice")) == ("Crowd", "Years of practice")


def test_labels_of_a_changed_copy_are_its_own() -> None:
    study = protocol(questions=[WARM])
    assert study.labels.question("warm") == "Warm"
    renamed = tuple(one.model_copy(update={"label": "Warmth"}) for one in study.questions)
    assert study.model_copy(update={"questions": renamed}).labels.question("warm") == "Warmth"
    assert study.labels is study.labels


def test_items_are_called_what_raters_write() -> None:
    parts = {"sources": {"a": {"kind": "model"}}, "questions": [WARM]}
    partners = {"a": {"model": "m", "prompt": "Help."}}
    said = {
        kind: protocol(**parts, design={"trials": kind}, **({kind: {"partners": partners}} if kind != "single" else {}))
        for kind in ("single", "conversation", "draft")
    }
    nouns = {kind: study.labels.items for kind, study in said.items()}
    assert {kind: items[:2] for kind, items in nouns.items()} == {
        "single": ("item", "items"),
        "conversation": ("conversation", "conversations"),
        "draft": ("text", "texts"),
    }
    assert [items.german[1] for items in nouns.values()] == ["Items", "Gespräche", "Texte"]


def test_declared_labels_are_used_everywhere() -> None:
    study = protocol(
        sources={"gpt4": {"kind": "model", "label": "GPT-4", "family": "gpt"}, "person": {"kind": "human"}},
        questions=[{**WARM, "label": "Perceived warmth"}, WHO],
        conditions={"told": {**TOLD, "label": "Instruction", "level_labels": {"imagine_other": "Imagine other"}}},
        design={"pools": {"expert": {"label": "Clinicians"}}},
        analysis={"composites": {"kind": {"questions": ["warm"], "label": "Kindness"}}},
        attributes={"age": {"label": "Age in years"}, "family": {"reference_level": "gpt"}},
    )
    labels = study.labels
    assert labels.source("gpt4") == "GPT-4"
    assert (labels.question("warm"), labels.question("kind")) == ("Perceived warmth", "Kindness")
    assert (labels.question("who", "ai"), labels.question("who", "other")) == ("Who: A", "Who: Other")
    assert labels.condition("told=imagine_other") == "Instruction: Imagine other"
    assert (labels.condition("told=plain"), labels.condition("")) == ("Instruction: plain", "")
    assert labels.pool("expert") == "Clinicians"
    assert (labels.column("age"), labels.column("warm")) == ("Age in years", "Perceived warmth")
    assert study.sources["gpt4"].attributes == {"family": "gpt"}
    assert Protocol.model_validate_json(study.model_dump_json()) == study


def test_levels_of_source_factor_use_source_labels() -> None:
    sources = {**SOURCES, "model": {"kind": "model", "label": "GPT-4"}}
    wrote = {"kind": "source", "levels": ["person", "model"]}
    assert protocol(sources=sources, conditions={"wrote": wrote}).labels.condition("wrote=model") == "Wrote: GPT-4"


def test_ambiguous_derived_labels_stay_keys() -> None:
    labels = protocol(sources={"model_a": {"kind": "model"}, "model a": {"kind": "model"}}).labels
    assert (labels.source("model_a"), labels.source("model a")) == ("model_a", "model a")


SAME = {"person": {"kind": "human", "label": "Writer"}, "model": {"kind": "model", "label": "writer"}}


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ({"sources": {"m": {"kind": "model", "label": " "}}}, "a label with at least one character"),
        ({"sources": {"m": {"kind": "model", "label": "x" * 81}}}, "at most 80 characters, found 81"),
        ({"questions": [{**WARM, "label": "<b>Warm</b>"}]}, "plain text without HTML, found <b>"),
        ({"sources": SAME}, "sources must have different labels, found Writer and writer more than once"),
        (
            {"questions": [{**WARM, "label": "One"}, {**WHO, "label": "One"}]},
            "questions must have different labels, found One more than once",
        ),
        ({"conditions": {"told": {**TOLD, "level_labels": {"nowhere": "N"}}}}, "level_labels must name levels"),
    ],
)
def test_invalid_label_is_rejected_with_message(parts: dict[str, object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        protocol(**parts)


def test_label_problem_names_its_line() -> None:
    problems = Problems()
    yaml = (
        "attune: 1\nslug: s\ntitle: T\nsources:\n  a: {kind: human, label: <i>A</i>}\n"
        "questions: [{key: why, target: item, type: text, text: Why?}]\n"
    )
    assert read_protocol(yaml, problems) is None
    (problem,) = problems._problems
    assert (problem.row, problem.column, problem.found) == (5, "sources.a.label", "<i>")
