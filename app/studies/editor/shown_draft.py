"""A draft as far as it can be shown: what is not valid is left out, and everything else is shown as edited."""

import json
from collections.abc import Collection, Sequence
from typing import Any

from app.base.problems import Problems
from app.protocol.study import Protocol
from app.protocol.yaml.study_yaml import FILE, read_protocol
from app.studies.editor.protocol_edits import Edit
from app.studies.editor.sections import QUESTIONS

# Each attempt leaves out at least one part or question.
_MOST_ATTEMPTS = 40
_NEEDED = frozenset({"attune", "slug", "title"})


def shown_protocol(edit: Edit, published: Protocol) -> Protocol:
    """The draft, or what is left of it without the fields, questions or parts that have problems.

    Args:
        edit: the draft.
        published: the version that raters get, which is shown if nothing of the draft can be.
    """
    if edit.protocol is not None:
        return edit.protocol
    data: dict[str, Any] = dict(edit.data)
    for _ in range(_MOST_ATTEMPTS):
        problems = Problems()
        protocol = read_protocol(json.dumps(data, default=str), problems)
        if protocol is not None:
            return protocol
        paths = [str(problem.column or "").split(".") for problem in problems.list_of(FILE)]
        if not _leave_out(data, paths, published):
            break
    return published


def _leave_out(data: dict[str, Any], paths: Sequence[Sequence[str]], published: Protocol) -> bool:
    """Remove the questions with problems, or else fields, or else parts; False if there is nothing to remove.

    A field is what a part names at once, such as `trials_per_rater` in `design`.
    """
    questions = data.get(QUESTIONS)
    numbers = {int(path[1]) for path in paths if path[0] == QUESTIONS and path[1:] and path[1].isdecimal()}
    if numbers and isinstance(questions, list):
        data[QUESTIONS] = [one for number, one in enumerate(questions, 1) if number not in numbers]
        return bool(data[QUESTIONS])
    fields = {(path[0], path[1]) for path in paths if path[1:] and path[1] in _fields_of(data, path[0])}
    if fields:
        for part in {part for part, _ in fields}:
            data[part] = {name: value for name, value in data[part].items() if (part, name) not in fields}
        return True
    parts = {path[0] for path in paths} & {*data} - {QUESTIONS}
    for part in parts:
        del data[part]
        if part in _NEEDED:
            data[part] = getattr(published, part)
    return bool(parts)


def _fields_of(data: dict[str, Any], part: str) -> Collection[str]:
    return data[part] if isinstance(data.get(part), dict) else ()
