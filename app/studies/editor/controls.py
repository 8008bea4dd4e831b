"""The inputs of a form, filled with the values in study.yaml."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from app.base.files.yaml_tree import Path, dotted
from app.base.words import number_text, readable
from app.protocol.conditions import level_name
from app.protocol.questions.scale import DEFAULT_STRENGTH
from app.studies.editor.nodes import Kinds, Lines, Member, Named, Node, Part, Rows, Scalar

# Values of study.yaml, converted to the one shape that forms use for them.

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


Shape = Literal[
    "line",
    "prose",
    "number",
    "date",
    "flag",
    "choice",
    "radios",
    "lines",
    "ticks",
    "part",
    "absent",
    "rows",
    "named",
    "pairs",
    "sentences",
    "sentence",
    "answers",
]
MORE = ":more"


@dataclass(frozen=True, slots=True)
class Option:
    """One option of a choice."""

    value: str
    words: str


@dataclass(frozen=True, slots=True)
class Control:
    """One input, or a group of inputs.

    `name` is the form field; `value` is what it contains, one line per tick; `path` is the path of the value in
    study.yaml, beside which problems are shown. `key_name` is the form field of the name of an entry in a mapping,
    and `key_label` what it is called. `drawn` tells whether what is on a page has to be drawn anew.
    `standard` is the default for an empty input. `is_open`: whether the study has what another entry needs.
    """

    name: str
    path: str
    label: str
    shape: Shape
    help: str = ""
    value: str = ""
    key: str = ""
    key_name: str = ""
    key_label: str = "Name"
    drawn: str = ""
    standard: str = ""
    is_required: bool = False
    is_set: bool = False
    is_new: bool = False
    is_removable: bool = False
    is_open: bool = True
    options: tuple[Option, ...] = ()
    children: tuple[Control, ...] = ()

    @property
    def all(self) -> list[Control]:
        """This control and all controls inside it."""
        return [self, *(one for child in self.children for one in child.all)]

    @property
    def paths(self) -> list[str]:
        """The path of this control and of all controls inside it."""
        return [one.path for one in self.all]

    @property
    def is_main(self) -> bool:
        """Whether the control is shown at once; optional values that are not set are shown under "More settings"."""
        return self.is_required or self.is_set or self.is_new

    @property
    def title(self) -> str:
        """Title of a group: its name, or else the first text in it."""
        texts = (child.value for child in self.children if child.shape in {"line", "prose"})
        return readable(self.key) if self.key else next((text for text in texts if text), "") or self.label


def controls_of(member: Member, value: object, path: Path, *, add: str) -> Control:
    """Return the inputs for one field of the protocol.

    Args:
        member: the field.
        value: its value in study.yaml; None if it is not set.
        path: its path in study.yaml.
        add: the name of a list, mapping or part to which an empty entry is added.
    """
    name = ".".join(map(str, path))
    control = _Drawing(add).of(member.node, value, name, path, member.label, member)
    is_group = control.shape in {"part", "absent", "rows", "named"}
    is_set = value is not None or is_group or add.startswith(name)
    return replace(control, help=member.help, is_required=member.is_required, is_set=is_set)


@dataclass(frozen=True, slots=True)
class _Drawing:
    add: str

    def of(  # noqa: PLR0911 - one case per type of node
        self, node: Node, value: object, name: str, path: Path, label: str, member: Member | None = None
    ) -> Control:
        at = dotted(path) or ""
        match node:
            case Scalar():
                return _scalar(node, value, Control(name, at, label, node.widget), member)
            case Lines():
                return Control(name, at, label, "lines", value="\n".join(lines_of(value)))
            case Rows():
                return self._rows(node, value, Control(name, at, label, "rows"), path)
            case Named():
                return self._named(node, value, Control(name, at, label, "named"), path)
            case Part():
                is_optional = member is not None and member.default is None
                if value is None and is_optional and self.add != name:
                    return Control(name, at, label, "absent")
                part = Control(name, at, label, "part", is_removable=is_optional)
                return replace(part, children=self._members(node, value, name, path))
            case Kinds():
                kind = part_of_kind(node, value)
                children = self._members(kind, value, name, path) if kind else ()
                return Control(name, at, label, "part", children=children, is_removable=True)

    def _members(self, node: Part, value: object, name: str, path: Path) -> tuple[Control, ...]:
        values = part_dict(node, value)
        drawn = [
            replace(
                self.of(member.node, values.get(member.name), *_below(name, path, member.name), member.label, member),
                help=member.help,
                is_required=member.is_required,
                is_set=values.get(member.name) is not None or self.add.startswith(f"{name}.{member.name}"),
            )
            for member in node.members
        ]
        return (*drawn, *([self._more(node, values, name, path)] if node.more else []))

    def _more(self, node: Part, values: Mapping[str, Any], name: str, path: Path) -> Control:
        """Return the attributes of a source that are not fields; nested values can be edited in study.yaml only."""
        known = {member.name for member in node.members}
        others = {key: one for key, one in values.items() if key not in known and not isinstance(one, dict | list)}
        control = Control(f"{name}{MORE}", "", "Other attributes", "named")
        help_ = "Anything else that describes this source, such as family, version or prompt."
        return replace(self._named(Named(Scalar()), others, control, path), help=help_, is_set=bool(others))

    def _rows(self, node: Rows, value: object, control: Control, path: Path) -> Control:
        values = list(value) if isinstance(value, list | tuple) else []
        entry = _singular(control.label)
        rows = [
            self.of(node.of, one, *_below(control.name, path, number), f"{entry} {number + 1}")
            for number, one in enumerate(values)
        ]
        if self.add == control.name:
            empty = self.of(node.of, None, *_below(control.name, path, len(values)), f"New {entry.lower()}")
            rows.append(replace(empty, is_new=True))
        return replace(control, children=tuple(replace(row, is_removable=True) for row in rows))

    def _named(self, node: Named, value: object, control: Control, path: Path) -> Control:
        """Return one row with a name per entry; mappings of plain values always end with an empty row."""
        is_plain = isinstance(node.of, Scalar | Lines)
        values = list(named_of(node, value).items())
        rows = [self._entry(node, control, path, number, *pair) for number, pair in enumerate(values)]
        if is_plain or self.add == control.name:
            rows.append(replace(self._entry(node, control, path, len(values), "", None), is_new=True))
        names = tuple(Option(name, readable(name)) for name in node.names)
        return replace(control, shape="pairs" if is_plain else "named", children=tuple(rows), options=names)

    def _entry(self, node: Named, control: Control, path: Path, number: int, key: str, value: object) -> Control:
        name = f"{control.name}.{number}"
        label = key or f"New {_singular(control.label).lower()}"
        entry = self.of(node.of, value, name, (*path, key), label)
        return replace(entry, key=key, key_name=f"{name}:key", is_removable=True)


def _below(name: str, path: Path, part: str | int) -> tuple[str, Path]:
    return f"{name}.{part}", (*path, part)


def _scalar(node: Scalar, value: object, control: Control, member: Member | None) -> Control:
    default = text_of(member.default) if member else ""
    if node.widget == "flag":
        is_on = is_true(default if value is None else value)
        return replace(control, value="true" if is_on else "", standard=default)
    if node.widget == "choice":
        return replace(control, options=_options(node, member), value=text_of(value).strip() or default)
    return replace(control, value=text_of(value), standard=default)


def _options(node: Scalar, member: Member | None) -> tuple[Option, ...]:
    if node.options == ("true", "false"):
        return Option("", "Default"), Option("true", "Yes"), Option("false", "No")
    options = [Option(option, readable(option)) for option in node.options]
    has_default = member is not None and member.default is not None
    words = "Choose" if member is not None and member.is_required else "Default"
    return tuple(options if has_default else [Option("", words), *options])


def _singular(label: str) -> str:
    """Return a plural label in the singular.

    >>> _singular("Pools"), _singular("Gold"), _singular("Swaps")
    ('Pool', 'Gold', 'Swap')
    """
    return label.removesuffix("s")
