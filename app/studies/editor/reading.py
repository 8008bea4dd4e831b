"""Convert a submitted form into values for study.yaml."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.base.words import typed
from app.studies.editor.answer_codes import codes_from
from app.studies.editor.controls import MORE, is_true, named_of, part_dict, part_of_kind, shaped, text_of
from app.studies.editor.nodes import Kinds, Lines, Member, Named, Node, Part, Rows, Scalar
from app.studies.editor.question_keys import free_of

Form = Mapping[str, Sequence[str]]
# Suffixes that buttons add to the name of the entry they act on.
REMOVE, UP, DOWN = ":remove", ":up", ":down"
# The key of an entry for which nothing was chosen yet: a draft keeps the rest of the entry.
UNNAMED = "unnamed"
# A comma before one or two digits is a decimal comma; before three it may separate thousands.
_NUMBER = re.compile(r"-?\d+(\.\d+|,\d{1,2})?")


def read_member(member: Member, before: object, name: str, form: Form) -> Any:  # noqa: ANN401 - a value of study.yaml
    """Return the new value of one field; None if nothing is to be written.

    Args:
        member: the field.
        before: the current value in study.yaml. It is kept if the form does not include the field or if the new value
            means the same.
        name: the name of the field in the form.
        form: the submitted form.
    """
    reader = _Reader(form)
    if f"{name}{REMOVE}" in form:
        return None
    if not reader.asks(name):
        return before
    value = reader.of(member.node, before, name)
    is_moved = isinstance(member.node, Named) and [*value] != [*named_of(member.node, before)]
    if before is not None and not is_moved and shaped(member.node, value) == shaped(member.node, before):
        return before
    if isinstance(member.node, Scalar) and before is None and text_of(value) == text_of(member.default):
        return None
    return None if value in ("", [], {}) else value


@dataclass(frozen=True, slots=True)
class _Reader:
    form: Form

    def asks(self, name: str) -> bool:
        """Return whether the form has this field or a field inside it."""
        return any(key == name or key.startswith((f"{name}.", f"{name}:")) for key in self.form)

    def text(self, name: str) -> str:
        """Return the last value of a field: a ticked checkbox follows the empty value sent with every checkbox."""
        return next(reversed(self.texts(name)), "")

    def texts(self, name: str) -> list[str]:
        """Return all values of a field, as of several ticks with one name."""
        return [typed(value) for value in self.form.get(name, ())]

    def of(self, node: Node, before: object, name: str) -> Any:  # noqa: ANN401 - a value of study.yaml
        match node:
            case Scalar():
                return _scalar(node, self.text(name))
            case Lines():
                lines = (line.strip() for text in self.texts(name) for line in text.split("\n"))
                return [line for line in lines if line]
            case Rows():
                return self._rows(node, before, name)
            case Named():
                return self._named(node, named_of(node, before), name)
            case Part():
                return self._part(node, before, name)
            case Kinds():
                part = part_of_kind(node, before)
                return self._part(part, before, name) if part else before

    def _part(self, node: Part, before: object, name: str) -> dict[str, Any]:
        there = part_dict(node, before)
        read = {
            member.name: read_member(member, there.get(member.name), f"{name}.{member.name}", self.form)
            for member in node.members
        }
        known = {member.name for member in node.members}
        others = {key: value for key, value in there.items() if key not in known}
        # Keys keep their order and new ones follow. Values that the form does not include are kept.
        others = self._more(others, name) if node.more else others
        values = {**others, **read}
        order = [*(key for key in there if key in values), *(key for key in values if key not in there)]
        return {key: values[key] for key in order if values[key] is not None}

    def _more(self, others: dict[str, Any], name: str) -> dict[str, Any]:
        """Return the attributes without a field of their own; nested values are kept as they are in study.yaml."""
        if not self.asks(f"{name}{MORE}"):
            return others
        nested = {key: value for key, value in others.items() if isinstance(value, dict | list)}
        plain = {key: value for key, value in others.items() if key not in nested}
        return {**self._named(Named(Scalar()), plain, f"{name}{MORE}"), **nested}

    def _rows(self, node: Rows, before: object, name: str) -> list[Any]:
        there = list(before) if isinstance(before, list | tuple) else []
        rows = []
        for number in self._numbers(name):
            old = there[number] if number < len(there) else None
            row = self.of(node.of, old, f"{name}.{number}")
            if old is not None or row not in ("", [], {}):
                rows.append(old if old is not None and shaped(node.of, row) == shaped(node.of, old) else row)
        return rows

    def _named(self, node: Named, before: Mapping[str, Any], name: str) -> dict[str, Any]:
        if name in self.form:
            # Ticked keys follow an empty value. Otherwise these are answers sent as lines of words.
            if len(ticked := self.texts(name)) > 1:
                return {key: before.get(key, "") for key in ticked[1:]}
            return codes_from(self.text(name), {code: str(words or "") for code, words in before.items()})
        there = list(before.items())
        found: dict[str, Any] = {}
        for number in self._numbers(name):
            old = there[number][1] if number < len(there) else None
            value = self.of(node.of, old, f"{name}.{number}")
            # A form without a field for the key shows the entry by its label.
            is_kept = f"{name}.{number}:key" not in self.form and number < len(there)
            key = there[number][0] if is_kept else self.text(f"{name}.{number}:key")
            if key or value not in ("", [], {}):
                is_same = old is not None and shaped(node.of, value) == shaped(node.of, old)
                free = free_of(found, key or _name_for(node, value, found), " ")
                found[free] = old if is_same else value
        return found

    def _numbers(self, name: str) -> list[int]:
        """Return the row numbers of a list in the order of the form, after a button has removed or moved a row."""
        start = f"{name}."
        parts = (key[len(start) :].replace(":", ".").partition(".")[0] for key in self.form if key.startswith(start))
        numbers = list(dict.fromkeys(int(part) for part in parts if part.isascii() and part.isdecimal()))
        for place, number in list(enumerate(numbers)):
            step = (f"{start}{number}{DOWN}" in self.form) - (f"{start}{number}{UP}" in self.form)
            other = place + step
            if step and 0 <= other < len(numbers):
                numbers[place], numbers[other] = numbers[other], numbers[place]
        return [number for number in numbers if f"{start}{number}{REMOVE}" not in self.form]


def _scalar(node: Scalar, text: str) -> Any:  # noqa: ANN401 - a value of study.yaml
    if node.widget == "flag":
        return is_true(text)
    if node.widget == "number" and _NUMBER.fullmatch(text):
        plain = text.replace(",", ".")
        return float(plain) if "." in plain else int(plain)
    return text


def _name_for(node: Named, value: object, found: Mapping[str, Any]) -> str:
    """Name an entry that was submitted without a name: the next point of a scale, or else its text."""
    if node.is_scale:
        return str(len(found) + 1)
    return value if isinstance(value, str) and value else UNNAMED
