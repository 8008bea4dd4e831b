"""Parse YAML 1.2 into plain values with line numbers, so that problems can name the line.

Keys are text as written. Scalars are text as written too (`1.10` stays `1.10`, `no` stays `no`), and the protocol's
models convert them to numbers and booleans. Only empty values, and the few keys that must distinguish numbers or
booleans from text, get another type.
"""

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.events import CollectionEndEvent, CollectionStartEvent, Event
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode
from ruamel.yaml.parser import Parser

from app.base.files.encoding import unstorable
from app.base.files.input_limits import MAX_YAML_BYTES, MAX_YAML_NODES, MEBIBYTE
from app.base.problems import Problems

Path = tuple[str | int, ...]
_TYPED = {"attune": "int", "strength": "bool"}
# Aliases can expand a few lines of YAML without end; no real protocol comes near these limits.
_MAX_VALUES = MAX_YAML_NODES
_DEEPEST = 40
_ALLOWED = f"a protocol of at most {MAX_YAML_BYTES // MEBIBYTE} MiB, {MAX_YAML_NODES:,} values and {_DEEPEST} levels"
# Longer texts are parsed each time: their trees would take much memory.
_MAX_KEPT_CHARACTERS = 32_768


@dataclass(slots=True)
class Tree:
    """The values, and the line (from 1) of each path."""

    data: Any = None
    lines: dict[Path, int] = field(default_factory=dict)

    def line(self, path: Path) -> int:
        """Return the line of the nearest value at or above a path."""
        while path not in self.lines and path:
            path = path[:-1]
        return self.lines.get(path, 1)


class _TooLargeError(Exception):
    """What there is too much of."""


class _BoundedParser(Parser):
    """Counts while the tree is built, and stops before it grows too large.

    A few megabytes of YAML can ask for gigabytes of nodes, and each open bracket makes the parser slower: some
    kilobytes of brackets kept it busy for minutes.
    """

    _n_events = 0
    _depth = 0

    def get_event(self) -> Event:
        event: Event = super().get_event()
        self._n_events += 1
        self._depth += isinstance(event, CollectionStartEvent) - isinstance(event, CollectionEndEvent)
        if self._n_events > MAX_YAML_NODES:
            raise _TooLargeError(f"more than {MAX_YAML_NODES:,} values")
        if self._depth > _DEEPEST:
            raise _TooLargeError(f"more than {_DEEPEST} levels")
        return event


def read_yaml(file: str, text: str, problems: Problems) -> Tree | None:
    """Parse `text`; None, with a problem, if it is not valid YAML."""
    kept = _tree_without_problems(text) if len(text) <= _MAX_KEPT_CHARACTERS else None
    return _parse(file, text, problems) if kept is None else Tree(_copied(kept.data), kept.lines)


@lru_cache(maxsize=16)
def _tree_without_problems(text: str) -> Tree | None:
    """Parse a text once: each page of a lead reads the whole protocol, and parsing takes longer than all else on it."""
    problems = Problems()
    tree = _parse("", text, problems)
    return None if problems.of("") else tree


def _copied(value: Any) -> Any:  # noqa: ANN401 - any value
    if isinstance(value, dict):
        return {key: _copied(child) for key, child in value.items()}
    return [_copied(child) for child in value] if isinstance(value, list) else value


def _parse(file: str, text: str, problems: Problems) -> Tree | None:
    try:
        node = _compose(file, text, problems)
    except _TooLargeError as error:
        problems.add(file, None, None, str(error), _ALLOWED)
        return None
    if node is None:
        return None
    tree = Tree()
    try:
        tree.data = _value(node, (), tree, file, problems)
    except _TooLargeError:
        problems.add(file, None, None, "aliases that expand without end", "a protocol without such aliases")
        return None
    return tree


def _compose(file: str, text: str, problems: Problems) -> Node | None:
    if len(text) > MAX_YAML_BYTES:
        raise _TooLargeError(f"{len(text) / MEBIBYTE:,.1f} MiB")
    yaml = YAML(typ="safe", pure=True)
    yaml.Parser = _BoundedParser
    try:
        node: Node | None = yaml.compose(text)
    except MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else None
        problems.add(file, line, None, _line_of(text, line), f"YAML 1.2 ({error.problem or error.context})")
        return None
    except (YAMLError, ValueError, RecursionError) as error:
        problems.add(file, None, None, "text that is not YAML", f"YAML 1.2 ({str(error).splitlines()[0]})")
        return None
    if node is None:
        problems.add(file, 1, None, "an empty file", "a study protocol")
    return node


def _line_of(text: str, line: int | None) -> str:
    lines = text.splitlines()
    return lines[line - 1].strip() if line and line <= len(lines) else "the end of the file"


def _value(node: Node, path: Path, tree: Tree, file: str, problems: Problems) -> Any:  # noqa: ANN401 - any value
    if len(path) > _DEEPEST or len(tree.lines) > _MAX_VALUES:
        raise _TooLargeError
    tree.lines[path] = node.start_mark.line + 1
    if isinstance(node, MappingNode):
        return _mapping(node, path, tree, file, problems)
    if isinstance(node, SequenceNode):
        return [_value(child, (*path, number), tree, file, problems) for number, child in enumerate(node.value)]
    if (character := unstorable(node.value)) is not None:
        problems.add(file, tree.lines[path], dotted(path), character, "characters that a database can hold")
    return _scalar(node, str(path[-1]) if path else "")


def _scalar(node: Node, name: str) -> str | int | bool | None:
    kind = str(node.tag).rsplit(":", 1)[-1]
    if kind == "null":
        return None
    if kind == _TYPED.get(name) == "bool":
        return bool(node.value.lower() == "true")
    if kind == _TYPED.get(name) == "int":
        return int(node.value) if node.value.isdecimal() else str(node.value)
    return str(node.value)


def _mapping(node: MappingNode, path: Path, tree: Tree, file: str, problems: Problems) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for key_node, value_node in node.value:
        line = key_node.start_mark.line + 1
        if not isinstance(key_node, ScalarNode):
            problems.add(file, line, dotted(path), "a key that is not plain text", "keys in plain text")
            continue
        key = str(key_node.value)
        below = (*path, key)
        if key in values:
            problems.add(
                file, line, dotted(below), "a duplicate key", f"each key once (first on line {tree.line(below)})"
            )
            continue
        if (character := unstorable(key)) is not None:
            problems.add(file, line, dotted(path), character, "characters that a database can hold")
        values[key] = _value(value_node, below, tree, file, problems)
        tree.lines[below] = line
    return values


def dotted(path: Path) -> str | None:
    """Format a path for messages: list positions count from 1.

    >>> dotted(("questions", 0, "scale"))
    'questions.1.scale'
    """
    return ".".join(str(part + 1) if isinstance(part, int) else part for part in path) or None


# Line numbers of the keys of a study.yaml.


def lines_of(yaml: str) -> dict[str, int]:
    r"""Return the line number of every key path; lines and list positions count from 1.

    >>> lines_of("slug: s\ndesign:\n  repeats: {n: 2}\n")["design.repeats"]
    3
    """
    tree = read_yaml("study.yaml", yaml, Problems())
    return {name: line for path, line in tree.lines.items() if (name := dotted(path))} if tree else {}
