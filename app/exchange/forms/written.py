"""Values of study.yaml, converted to the one shape that forms use for them."""

from __future__ import annotations

from typing import Any

from app.design.numbers import number_text
from app.design.protocol.parts.conditions import level_name
from app.design.questions.kinds.choice import DEFAULT_STRENGTH
from app.exchange.forms.nodes import Kinds, Lines, Named, Node, Part, Rows, Scalar

_TRUE = frozenset({"true", "yes", "on", "1", "t", "y"})


def is_true(value: object) -> bool:
    """Return whether a flag is set, by the rules of the protocol's models.

    >>> is_true("yes"), is_true(False), is_true(None)
    (True, False, False)
    """
    return str(value).strip().casefold() in _TRUE


def text_of(value: object) -> str:
    """Return a scalar as the text of an input.

    >>> text_of(None), text_of(True), text_of(2.0), text_of("a")
    ('', 'true', '2', 'a')
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    return number_text(value) if isinstance(value, float) else str(value)


def lines_of(value: object) -> list[str]:
    """Return one or several texts as a list.

    >>> lines_of("a"), lines_of(["a", 2]), lines_of(None)
    (['a'], ['a', '2'], [])
    """
    if value is None:
        return []
    return [text_of(one) for one in value] if isinstance(value, list | tuple) else [text_of(value)]


def named_of(node: Named, value: object) -> dict[str, Any]:
    """Return a value as a mapping, also if it is written as a list or as a plain `true`."""
    if isinstance(value, dict) and node.is_scale and isinstance(value.get("points"), list):
        return {text_of(point.get("value")): point.get("words", "") for point in value["points"]}
    if isinstance(value, dict):
        return {text_of(key): below for key, below in value.items()}
    if node.is_scale and is_true(value):
        return {number_text(point.value): point.words for point in DEFAULT_STRENGTH.points}
    if isinstance(value, list | tuple):
        return {level_name(one): "" for one in value}
    return {}


def part_dict(node: Part, value: object) -> dict[str, Any]:
    """Return the fields of a part, also if only its short form is written."""
    if isinstance(value, dict):
        return dict(value)
    return {node.short: value} if node.short and value is not None else {}


def part_of_kind(node: Kinds, value: object) -> Part | None:
    """Return the form for this value; None if its type is unknown."""
    return node.parts.get(str(value.get("type"))) if isinstance(value, dict) else None


def shaped(node: Node, value: object) -> object:
    """Return a value as a form would send it back, so that values can be compared."""
    match node:
        case Scalar():
            return str(is_true(value)).lower() if node.widget == "flag" else text_of(value).strip()
        case Lines():
            return lines_of(value)
        case Rows():
            return [shaped(node.of, one) for one in value] if isinstance(value, list | tuple) else []
        case Named():
            return {key: shaped(node.of, below) for key, below in named_of(node, value).items()}
        case Part():
            members = {member.name: member.node for member in node.members}
            found = part_dict(node, value).items()
            return {key: shaped(members[key], below) if key in members else below for key, below in found}
        case Kinds():
            part = part_of_kind(node, value)
            return shaped(part, value) if part else value
