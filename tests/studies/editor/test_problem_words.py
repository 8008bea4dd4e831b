"""Messages on forms: no key, path or name of a file, whatever is entered and whichever rule is broken."""

import ast
import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

import app.protocol
from app.base.problem import Problem
from app.base.problems import Problems
from app.base.rendering.words import explained
from app.protocol.yaml.study_yaml import read_protocol
from app.studies.editor.controls import Control
from app.studies.editor.design_page import address_of_problem, place_in_words
from app.studies.editor.nodes import Data
from app.studies.editor.problem_words import problem_words
from app.studies.editor.question_form import question_editor, with_edited
from app.studies.editor.section_form import section_form, with_edited_section
from app.studies.editor.sections import QUESTIONS, SECTIONS, section_of
from app.studies.editor.stored_texts import Stored
from tests.studies.editor.posted import posted
from tests.studies.editor.test_forms_round_trip import TEXTS, data_of, posted_question

# A key with an underscore, a path or a file, what only files say, and a label in the place of a plain word.
OF_FILES = re.compile(r"\w_\w|\b[a-z]+\.[a-z]+\b(?!/)|\btrue\b(?! source)|`| \(key\)|codes")
WRONG = ("nonsense", "-3", "0.5", "")
KEYS = ["gpt_4", "emotional_reactions", "pool_difference"]
DATA: Data = {
    "sources": {"gpt_4": {"label": "GPT-4o reply"}, "human": {"label": "Counselor"}},
    "questions": [{"key": "emotional_reactions", "type": "rating", "text": "How warm?", "label": "Warmth"}],
}


def rules() -> Iterator[str]:
    """Every rule of the protocol, with keys in its places."""
    for file in sorted(Path(str(app.protocol.__file__)).parent.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            for part in _sentences(node):
                if isinstance(part, ast.Constant) and isinstance(part.value, str):
                    yield part.value
                elif isinstance(part, ast.JoinedStr):
                    keys = iter(KEYS * 2)
                    yield "".join(
                        str(one.value) if isinstance(one, ast.Constant) else next(keys) for one in part.values
                    )


def _sentences(node: ast.AST) -> list[ast.expr]:
    match node:
        case ast.Call(func=ast.Name(id="broken"), args=[_, rule, *_]):
            return [rule]
        case ast.Call(func=ast.Name(id="BrokenRuleError" | "ValueError"), args=[rule, *_]):
            return [rule]
        case ast.Assign(targets=[ast.Name(id="rule")], value=rule):
            return [rule]
    return []


@pytest.mark.parametrize("rule", [rule for rule in dict.fromkeys(rules()) if " " in rule])
def test_no_rule_speaks_of_keys(rule: str) -> None:
    place, _, rest = rule.partition(" ")
    column = place if re.fullmatch(r"[a-z_]+(\.[a-z_]+)+", place) else "analysis.primary.1"
    problem = Problem("study.yaml", 3, column, ", ".join(KEYS[:2]), f"{place} {rest}", is_rule=True)
    words = problem_words(problem, DATA)
    assert not OF_FILES.search(words), words
    assert words.endswith("Found: GPT-4o reply, Warmth.")


def test_rule_names_choices_and_fields_as_forms_do() -> None:
    rule = "analysis.primary.1.test must be one of pool_difference or t_paired for emotional_reactions"
    problem = Problem("study.yaml", 3, "analysis.primary.1", "nothing", rule, is_rule=True)
    words = (
        "Test must be one of Difference between pools of raters or Paired t on item means for Warmth. Found: nothing."
    )
    assert problem_words(problem, DATA) == words
    needs = Problem("study.yaml", 3, "a", "none", "needs design.trials_per_rater", is_rule=True)
    assert problem_words(needs, DATA) == "Needs “Trials per rater” (page Trials). Found: none."
    part = Problem("study.yaml", 3, "sources", "gpt_4 and human", "must have different labels", is_rule=True)
    assert problem_words(part, DATA) == "Must have different labels."


def test_problem_of_a_field_that_the_study_lacks_is_on_the_page_of_that_field() -> None:
    rule = "flow.debrief must tell raters the true source if labels are swapped"
    problem = Problem("study.yaml", 3, "flow", "nothing", rule, is_rule=True)
    assert address_of_problem(problem) == ("ending", None)
    assert problem_words(problem, DATA) == "Must tell raters the true source if labels are swapped. Found: nothing."
    cut = Problem("study.yaml", 3, "analysis.cut", "unnamed", "must name rating questions (none)", is_rule=True)
    assert place_in_words(cut, DATA) == "Analysis: Cut-off values"


def wrong_values(controls: Sequence[Control], sent: dict[str, list[str]]) -> Iterator[dict[str, list[str]]]:
    """Forms with something wrong in all fields that are typed, or with another choice in one part of a sentence."""
    inside = [one for control in controls for one in control.all]
    typed = [one.name for one in inside if one.shape in {"line", "prose", "number", "lines"} and one.name in sent]
    yield from (sent | {name: [wrong] for name in typed} for wrong in WRONG if typed)
    for part in (part for one in inside if one.shape == "sentence" for part in one.children):
        yield from (sent | {part.name: [option.value]} for option in part.options if option.value != part.value)


def edits(data: Data) -> Iterator[Data]:
    for section in SECTIONS:
        controls = [] if section.key == QUESTIONS else section_form(section, data, Stored())
        for sent in wrong_values(controls, posted(*controls)):
            yield with_edited_section(section, data, sent, Stored())
    editor = question_editor(data, 1)
    for sent in wrong_values([*editor.main, *editor.marks, *editor.more], posted_question(editor)):
        yield with_edited(data, 1, sent, may_rename=True)[0]


def sentences(data: Data) -> list[str]:
    problems = Problems()
    read_protocol(json.dumps(data, default=str), problems)
    return [problem_words(one, data) for one in problems.errors]


@pytest.mark.parametrize("name", ["demo", "perspective-taking"])
def test_no_form_explains_itself_by_keys_or_files(name: str) -> None:
    data = data_of(TEXTS[name])
    forms = [section_form(section, data, Stored()) for section in SECTIONS if section.key != QUESTIONS]
    inside = [one for controls in forms for control in controls for one in control.all]
    for added in [one.name for one in inside if one.shape in {"absent", "named", "rows"}]:
        section = section_of(re.sub(r"\.\d+", "", added))
        shown = section_form(section, data, Stored(), add=added) if section else []
        inside += [one for control in shown for one in control.all]
    editor = question_editor(data, 1)
    inside += [one for control in (*editor.main, *editor.marks, *editor.more) for one in control.all]
    texts = {explained(text) for one in inside for text in (one.help, *(option.words for option in one.options))}
    assert [text for text in texts if OF_FILES.search(text) or re.search(r"items\.csv|attune ", text)] == []


def test_no_wrong_value_makes_a_form_speak_of_keys() -> None:
    edited = {json.dumps(one, default=str): one for one in edits(data_of(TEXTS["demo"]))}
    found = {sentence for one in edited.values() for sentence in sentences(one)}
    assert len(found) > 10
    assert [sentence for sentence in found if OF_FILES.search(sentence)] == []
