"""Add, move and remove questions."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from app.protocol.questions.registry import KINDS
from app.studies.editor.sections import QUESTIONS

Data = dict[str, Any]


def questions_in(data: Data) -> list[Any]:
    """Return the questions listed in study.yaml."""
    found = data.get(QUESTIONS)
    return list(found) if isinstance(found, list) else []


def with_new(data: Data, kind: str) -> Data:
    """Append a new question of the given type; its text is left empty."""
    parts = deepcopy(dict(KINDS[kind].starts_with)) if kind in KINDS else {}
    target = {"target": parts.pop("target")} if "target" in parts else {}
    new: Data = {"key": free_key(data, kind), "type": kind, **target, "text": "", **parts}
    return {**data, QUESTIONS: [*questions_in(data), new]}


def with_copy(data: Data, question: Data) -> Data:
    """Append a question copied from another study, under a free key."""
    copy = {**question, "key": free_key(data, str(question.get("key", "question")))}
    return {**data, QUESTIONS: [*questions_in(data), copy]}


def without(data: Data, number: int) -> Data:
    """Remove one question; `number` counts from 0."""
    return {**data, QUESTIONS: [one for place, one in enumerate(questions_in(data)) if place != number]}


def moved(data: Data, number: int, step: int) -> Data:
    """Move a question by `step` places, if possible."""
    questions = questions_in(data)
    place = number + step
    if 0 <= number < len(questions) and 0 <= place < len(questions):
        questions.insert(place, questions.pop(number))
    return {**data, QUESTIONS: questions}


def free_key(data: Data, key: str) -> str:
    """Return the key, with a number added if another question already has it."""
    taken = {str(one.get("key")) for one in questions_in(data) if isinstance(one, dict)}
    number, free = 2, key
    while free in taken:
        free, number = f"{key}_{number}", number + 1
    return free
