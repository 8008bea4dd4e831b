"""Write changed values to study.yaml; unchanged parts keep their wording, comments and order."""

import io
import re
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.constructor import RoundTripConstructor
from ruamel.yaml.representer import RoundTripRepresenter
from ruamel.yaml.scalarstring import LiteralScalarString

from app.base.files.yaml_tree import read_yaml
from app.base.problems import Problems

# Lines are not wrapped again, so that comparisons of two versions show only real changes.
_WIDTH = 1_000_000
_SHORT = 24
_INDENTED = re.compile(r"^\w+:\s*\n {2,}- ", re.MULTILINE)
_PLAIN = ("int", "float", "bool", "null", "timestamp")


class _Plain(str):
    """A scalar that is written without quotes and is not text."""

    __slots__ = ("tag",)
    tag: str


class _Constructor(RoundTripConstructor):
    """Reads every scalar as the text in the file."""

    def construct_plain(self, node: Any) -> _Plain:  # noqa: ANN401 - a node of the library
        """Keep the text and the type of the value."""
        plain = _Plain(node.value)
        plain.tag = str(node.tag)
        return plain


class _Representer(RoundTripRepresenter):
    """Writes scalars as they were read."""

    def represent_plain(self, data: _Plain) -> Any:  # noqa: ANN401 - a node of the library
        """Write a scalar without quotes."""
        return self.represent_scalar(data.tag, str(data))


for _kind in _PLAIN:
    _Constructor.add_constructor(f"tag:yaml.org,2002:{_kind}", _Constructor.construct_plain)
_Representer.add_representer(_Plain, _Representer.represent_plain)


def edited_yaml(text: str, data: dict[str, Any]) -> str:
    """Return the text of a study.yaml that contains `data`.

    Args:
        text: the file so far; values that differ from `data` are replaced.
        data: the new content, in the form that `read_yaml` returns.
    """
    yaml = YAML(typ="rt")
    yaml.Constructor, yaml.Representer = _Constructor, _Representer
    yaml.preserve_quotes, yaml.width = True, _WIDTH
    if _INDENTED.search(text):
        yaml.indent(mapping=2, sequence=4, offset=2)
    written = _write(yaml, _merged(yaml.load(text), data))
    return written if _says(written, data) else _write(YAML(), _new(data))


def _write(yaml: YAML, data: object) -> str:
    out = io.StringIO()
    yaml.dump(data, out)
    return out.getvalue()


def _says(text: str, data: dict[str, Any]) -> bool:
    tree = read_yaml("study.yaml", text, Problems())
    return tree is not None and _as_text(tree.data) == _as_text(data)


def _as_text(value: object) -> object:
    if isinstance(value, dict):
        return {str(key): _as_text(below) for key, below in value.items()}
    if isinstance(value, list):
        return [_as_text(below) for below in value]
    if isinstance(value, bool):
        return str(value).lower()
    return None if value is None or (isinstance(value, _Plain) and value.tag.endswith("null")) else str(value)


def _merged(old: Any, new: Any) -> Any:  # noqa: ANN401 - any value of a file
    if isinstance(old, CommentedMap) and isinstance(new, dict):
        return _merged_map(old, new)
    if isinstance(old, CommentedSeq) and isinstance(new, list) and len(old) == len(new):
        for place, value in enumerate(new):
            old[place] = _merged(old[place], value)
        return old
    return old if _as_text(old) == _as_text(new) and not isinstance(new, dict | list) else _new(new)


def _merged_map(old: CommentedMap, new: dict[str, Any]) -> CommentedMap:
    keys = {_key_text(key): key for key in old}
    for text in [text for text in keys if text not in new]:
        del old[keys.pop(text)]
    for text, value in new.items():
        key = keys.get(text, text)
        old[key] = _merged(old[key], value) if key in old else _new(value)
    if [_key_text(key) for key in old] != list(new):
        for text in new:
            old.move_to_end(keys.get(text, text))
    return old


def _key_text(key: object) -> str:
    return "" if key is None else str(key)


def _new(value: Any) -> Any:  # noqa: ANN401 - any value of a file
    if isinstance(value, dict):
        made = CommentedMap((key, _new(below)) for key, below in value.items())
        if all(not isinstance(below, dict | list) and len(str(below)) < _SHORT for below in value.values()):
            made.fa.set_flow_style()
        return made
    if isinstance(value, list):
        return CommentedSeq(_new(below) for below in value)
    if isinstance(value, str) and "\n" in value:
        return LiteralScalarString(value)
    return value
