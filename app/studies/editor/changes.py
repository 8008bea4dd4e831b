"""What changed between two versions of a protocol, in the words of the pages on which it is edited."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from app.base.files.yaml_tree import read_yaml
from app.base.problems import Problems
from app.base.words import readable
from app.protocol.questions.registry import Question
from app.protocol.study import Protocol
from app.studies.editor.sections import QUESTIONS, section_of

# What names an entry of a list, in this order; entries without one are compared by their place.
_NAMES = ("key", "name", "question")
# Settings by name whose order raters or readers see; that of others is only the layout of the text.
_ORDERED = (("sources",), ("conditions",))
_ABSENT = object()
_SWITCH = {"true": "yes", "false": "no"}


class Change(NamedTuple):
    """One change: where, and the values before and after; empty for what was added or removed."""

    place: str
    before: str
    after: str


def changes(before: str, after: str) -> list[Change] | None:
    """The changes between two texts of study.yaml; None if one of them is not YAML, or both say the same.

    Entries of lists are compared by their key, so that a question that was moved is not another question.

    >>> before = "questions: [{key: warmth, text: Warm?}]"
    >>> for change in changes(before, "questions: [{key: warmth, text: How warm?}, {key: calm, text: Calm?}]"):
    ...     print(*change, sep=" | ")
    Question Warmth: Text | Warm? | How warm?
    Question Calm |  | text: Calm?
    """
    trees = [read_yaml("study.yaml", text, Problems()) for text in (before, after)]
    if any(tree is None for tree in trees):
        return None
    old, new = (tree.data if tree else None for tree in trees)
    return list(_changes((), (), old, new)) or None


def kept_together(old: Protocol, new: Protocol, *, answered: Collection[str], used: Collection[str]) -> list[str]:
    """What a new version with other names or wordings means for the results, one sentence for each.

    Args:
        old: the version that raters get.
        new: the draft.
        answered: keys of the questions that have answers.
        used: keys of the sources that have responses.
    """
    now = {one.key: one for one in new.questions}
    asked = [(one, now[one.key]) for one in old.questions if one.key in answered and one.key in now]
    names = [(old.labels.question(one.key), new.labels.question(one.key)) for one, _ in asked]
    names += [(old.labels.source(key), new.labels.source(key)) for key in old.sources if key in used]
    for name, factor in old.conditions.items():
        names.append((old.labels.factors.get(name) or readable(name), new.labels.factors.get(name) or readable(name)))
        names += [(old.labels.level(name, level), new.labels.level(name, level)) for level in factor.levels]
    sentences = [
        f"“{before}” is called “{after}” in the results from then on, also for what has been collected."
        for before, after in names
        if before != after
    ]
    for before, after in asked:
        if _worded(before) != _worded(after):
            sentences.append(
                f"The wording of “{new.labels.question(after.key)}” changes. Answers to both wordings count together "
                "in the results. If it asks for something else now, keep it as it was and add a new question."
            )
    return sentences


def _worded(question: Question) -> dict[str, Any]:
    """What raters read of a question."""
    return question.model_dump(include={"text", "help", "scale", "codes", "min_words", "max_words", "strength"})


def _changes(
    path: tuple[str, ...],
    words: tuple[str, ...],
    old: Any,  # noqa: ANN401 - any value of YAML
    new: Any,  # noqa: ANN401 - any value of YAML
) -> Iterator[Change]:
    named = _named(old), _named(new)
    if named[0] is not None and named[1] is not None:
        yield from _of_entries(path, words, named[0], named[1], is_ordered=True)
    elif isinstance(old, Mapping) and isinstance(new, Mapping):
        yield from _of_entries(path, words, old, new, is_ordered=path in _ORDERED)
    elif old != new:
        yield Change(_place(path, words), _said(old), _said(new))


def _of_entries(
    path: tuple[str, ...], words: tuple[str, ...], old: Mapping[str, Any], new: Mapping[str, Any], *, is_ordered: bool
) -> Iterator[Change]:
    """What was removed, changed and added, in the order of the newer version; then whether the rest was reordered."""
    names = [*new, *(name for name in old if name not in new)]
    said = {name: _label(old[name] if name in old else new[name]) or readable(name) for name in names}
    for name in names:
        yield from _changes((*path, name), (*words, said[name]), old.get(name, _ABSENT), new.get(name, _ABSENT))
    orders = [name for name in old if name in new], [name for name in new if name in old]
    if orders[0] != orders[1] and is_ordered:
        yield Change(f"{_place(path, words)}: Order", *(", ".join(said[name] for name in order) for order in orders))


def _label(entry: Any) -> str:  # noqa: ANN401 - any value of YAML
    return str(entry.get("label") or "") if isinstance(entry, Mapping) else ""


def _named(value: Any) -> dict[str, Any] | None:  # noqa: ANN401 - any value of YAML
    """The entries of a list by their names; None if it is no list, or if they have none or share one."""
    if not isinstance(value, Sequence) or isinstance(value, str) or not all(isinstance(one, Mapping) for one in value):
        return None
    name = next((name for name in _NAMES if all(name in one for one in value)), None)
    entries = {str(one[name]): one for one in value} if name else {}
    return entries if len(entries) == len(value) else None


def _place(path: tuple[str, ...], words: tuple[str, ...]) -> str:
    section = section_of(".".join(path))
    if section is None:
        return ": ".join(words) or "study.yaml"
    if path[-1] == "label":
        words = (*words[:-1], "Short name" if section.key == QUESTIONS else "Name")
    if section.key == QUESTIONS:
        head, rest = f"Question {words[1]}" if path[1:] else section.title, words[2:]
    else:
        own = next(one for one in section.paths if ".".join(path).startswith(one))
        head, rest = section.title, words[own.count(".") :]
    said = ", ".join(rest[1:] if rest[:1] == (head,) else rest)
    return f"{head}: {said}" if said else head


def _said(value: Any) -> str:  # noqa: ANN401 - any value of YAML
    if value is _ABSENT or value is None:
        return ""
    if isinstance(value, Mapping):
        return ", ".join(f"{readable(str(name)).lower()}: {_said(one)}" for name, one in value.items() if name != "key")
    return ", ".join(map(_said, value)) if isinstance(value, list) else _SWITCH.get(str(value), str(value))
