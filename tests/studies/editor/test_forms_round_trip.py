"""Round trip of every template through its forms: submitting an unchanged form changes nothing."""

from pathlib import Path
from typing import Any

import pytest

from app.base.files.yaml_tree import read_yaml
from app.base.problems import Problems
from app.protocol.study import Protocol
from app.protocol.yaml.edited_yaml import edited_yaml
from app.protocol.yaml.study_yaml import read_protocol
from app.studies.editor.nodes import Part, part_of
from app.studies.editor.question_form import QuestionEditor, question_editor, with_edited
from app.studies.editor.section_form import section_form, with_edited_section
from app.studies.editor.sections import QUESTIONS, SECTIONS, section_of
from app.studies.editor.stored_texts import Stored
from app.studies.folder.study_templates import list_templates, template_folder
from tests.protocol.test_protocol_page import EXAMPLES, top_level
from tests.studies.editor.posted import posted

TEXTS = {
    template.name: (template_folder(template.name) / "study.yaml").read_text("utf-8") for template in list_templates()
}
TEXTS["demo"] = (Path(__file__).resolve().parents[3] / "app/demo/study/study.yaml").read_text("utf-8")
for number, example in enumerate(EXAMPLES):
    there = {part.split(":")[0] for part in top_level(example)}
    TEXTS[f"example {number}"] = example + "".join(
        part for part in top_level(EXAMPLES[0]) if part.split(":")[0] not in there
    )


def data_of(text: str) -> dict[str, Any]:
    tree = read_yaml("study.yaml", text, Problems())
    assert tree is not None
    data: dict[str, Any] = tree.data
    return data


def sent_unchanged(data: dict[str, Any]) -> dict[str, Any]:
    """Return the data after every page was submitted unchanged."""
    for section in SECTIONS:
        if section.key != QUESTIONS:
            sent = posted(*section_form(section, data, Stored()))
            data = with_edited_section(section, data, sent, Stored())
    for number in range(1, len(data[QUESTIONS]) + 1):
        data, misfit = with_edited(data, number, posted_question(question_editor(data, number)), may_rename=True)
        assert misfit is None
    return data


def posted_question(editor: QuestionEditor) -> dict[str, list[str]]:
    """The fields of a question's editor."""
    own = {
        "text": editor.text,
        "about": editor.about,
        "label": editor.label,
        "labels": editor.labels,
        "strength": editor.strength,
        "page": editor.page if editor.pages else None,
        "asked_when": editor.when.value if editor.when else None,
        "asked_when_lowest": editor.when.lowest if editor.when else None,
    }
    fields = {name: [value.replace("\n", "\r\n")] for name, value in own.items() if value is not None}
    if editor.when and editor.when.ticks:
        fields["asked_when_answers"] = [one.value for one in editor.when.ticks if one.value in editor.when.ticked]
    return fields | posted(*editor.main, *editor.marks, *editor.more)


@pytest.mark.parametrize("name", TEXTS)
def test_unchanged_forms_change_neither_data_nor_protocol(name: str) -> None:
    data, problems = data_of(TEXTS[name]), Problems()
    sent = sent_unchanged(data)
    assert sent == data
    before = read_protocol(TEXTS[name], problems)
    after = read_protocol(edited_yaml(TEXTS[name], sent), problems)
    assert before is not None
    assert after == before


def fields_below(part: Part, path: str = "") -> list[str]:
    found = []
    for member in part.members:
        below = f"{path}{member.name}"
        is_optional = member.default is None
        found += (
            fields_below(member.node, f"{below}.") if isinstance(member.node, Part) and not is_optional else [below]
        )
    return found


def test_every_protocol_field_has_a_page() -> None:
    without = [path for path in fields_below(part_of(Protocol)) if section_of(path) is None]
    assert without == ["slug", "template"]  # neither changes after the study is created
