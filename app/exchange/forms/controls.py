"""The inputs of a form, filled with the values in study.yaml."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from app.design.word_lists import readable
from app.exchange.forms.nodes import Kinds, Lines, Member, Named, Node, Part, Rows, Scalar
from app.exchange.forms.written import is_true, lines_of, named_of, part_dict, part_of_kind, text_of
from app.exchange.protocol.yaml_tree import Path, dotted

if TYPE_CHECKING:
    from collections.abc import Mapping

Shape = Literal["line", "prose", "number", "flag", "choice", "lines", "part", "absent", "rows", "named", "pairs"]
MORE = ":more"


@dataclass(frozen=True, slots=True)
class Option:
    """One option of a choice."""

    value: str
    words: str


@dataclass(frozen=True, slots=True)
class Control:
    """One input, or a group of inputs.

    `name` is the form field; `path` is the path of the value in study.yaml, beside which problems are shown. `key_name`
    is the form field of the name of an entry in a mapping. `standard` is the default for an empty input.
    """

    name: str
    path: str
    label: str
    shape: Shape
    help: str = ""
    value: str = ""
    key: str = ""
    key_name: str = ""
    standard: str = ""
    is_required: bool = False
    is_set: bool = False
    is_new: bool = False
    is_removable: bool = False
    options: tuple[Option, ...] = ()
    children: tuple[Control, ...] = ()

    @property
    def paths(self) -> list[str]:
        """The path of this control and of all controls inside it."""
        return [self.path, *(path for child in self.children for path in child.paths)]

    @property
    def is_main(self) -> bool:
        """Whether the control is shown at once; optional values that are not set are shown under "More settings"."""
        return self.is_required or self.is_set or self.is_new

    @property
    def title(self) -> str:
        """Title of a group: its name, or else the first text in it."""
        texts = (child.value for child in self.children if child.shape in {"line", "prose"})
        return self.key or next((text for text in texts if text), "") or self.label


def controls_of(member: Member, value: object, path: Path, *, add: str = "") -> Control:
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
