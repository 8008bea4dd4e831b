"""The questions of every study template, which leads can add to a study one by one."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from app.exchange.folder.study_templates import PROTOCOL, list_templates, template_folder
from app.exchange.problems import Problems
from app.exchange.protocol.yaml_tree import read_yaml


@dataclass(frozen=True, slots=True)
class TemplateQuestions:
    """A template with its questions, as written in its study.yaml."""

    name: str
    purpose: str
    questions: tuple[dict[str, Any], ...]


@cache
def template_questions() -> tuple[TemplateQuestions, ...]:
    """Every template, in the order of the index."""
    return tuple(
        TemplateQuestions(template.name, template.purpose, _questions(template.name)) for template in list_templates()
    )


def template_question(name: str, key: str) -> dict[str, Any] | None:
    """One question of a template; None if it does not exist."""
    found = (one for template in template_questions() if template.name == name for one in template.questions)
    question = next((one for one in found if one["key"] == key), None)
    # The conditions of the template's study do not exist in this one.
    return {field: value for field, value in question.items() if field != "condition"} if question else None


def _questions(name: str) -> tuple[dict[str, Any], ...]:
    text = (template_folder(name) / PROTOCOL).read_text(encoding="utf-8")
    tree = read_yaml(PROTOCOL, text, Problems())
    return tuple(tree.data["questions"]) if tree else ()
