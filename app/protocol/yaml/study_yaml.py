"""Read study.yaml into a Protocol, or into problems with line numbers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import AliasChoices, BaseModel, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from app.base.files.encoding import not_text, open_text
from app.base.files.yaml_tree import Path, Tree, dotted, read_yaml
from app.base.language.language import catalogue_of, catalogues
from app.base.problem import BrokenRuleError, InconsistentPartsError
from app.base.problems import Problems
from app.base.words import allowed_in_words, found_in_words, or_list
from app.protocol.questions.registry import KINDS
from app.protocol.questions.scale import Scale
from app.protocol.study import Protocol

# Keys of a study.yaml that no model has: likely typos are problems; other keys are ignored with a note.
#
# The models of the protocol and the values in the file are compared side by side, so that new parts of the protocol are
# covered automatically.

# How similar an unknown key must be to a known one to count as a typo: `raters_per_trail`, not `notes`.
_ALIKE = 0.75


@dataclass(frozen=True, slots=True)
class KnownKeys:
    """One walk through the values in a file."""

    file: str
    tree: Tree
    problems: Problems

    def of(self, kind: Any, value: Any, path: Path = ()) -> Any:  # noqa: ANN401 - any type and any value
        """Return the value without its unknown keys."""
        origin, parts = get_origin(kind), get_args(kind)
        if origin is Annotated:
            return self.of(parts[0], value, path)
        if origin in (Union, UnionType):
            return self._of_union(parts, value, path)
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            return self._of_model(kind, value, path) if isinstance(value, dict) else value
        if origin is dict and isinstance(value, dict):
            return {key: self.of(parts[1], below, (*path, key)) for key, below in value.items()}
        if origin in (tuple, list) and isinstance(value, list):
            return [self.of(parts[0], below, (*path, place)) for place, below in enumerate(value)]
        return value

    def _of_model(self, model: type[BaseModel], value: Mapping[str, Any], path: Path) -> dict[str, Any]:
        fields = _fields(model)
        if model.model_config.get("extra") == "allow" or model is Scale:
            # All attributes of a source are kept; a scale is written as values and labels.
            return dict(value)
        for key in value:
            if key not in fields:
                self._tell(key, list(fields), path)
        return {
            key: self.of(fields[key].annotation, below, (*path, key)) for key, below in value.items() if key in fields
        }

    def _of_union(self, kinds: tuple[Any, ...], value: Any, path: Path) -> Any:  # noqa: ANN401 - as `of`
        """Check against the model that `type` names; if it names none, accept the keys of all models."""
        models = [kind for kind in kinds if isinstance(kind, type) and issubclass(kind, BaseModel)]
        if not models:
            others = [kind for kind in kinds if kind is not type(None)]
            return self.of(others[0], value, path) if len(others) == 1 else value
        if len(models) == 1 or not isinstance(value, dict):
            return self.of(models[0], value, path)
        named = [model for model in models if value.get("type") in get_args(model.model_fields["type"].annotation)]
        if named:
            return self._of_model(named[0], value, path)
        every = {name for model in models for name in _fields(model)}
        for key in set(value) - every:
            self._tell(key, sorted(every), path)
        return {key: below for key, below in value.items() if key in every}

    def _tell(self, key: str, names: list[str], path: Path) -> None:
        line, column = self.tree.line((*path, key)), dotted((*path, key))
        meant = get_close_matches(key, names, n=1, cutoff=_ALIKE)
        if meant:
            self.problems.add(self.file, line, column, key, f"{meant[0]} (did you mean this?)")
        else:
            allowed = f"{or_list(sorted(names), 40)}; the key was ignored"
            self.problems.note(self.file, line, column, key, allowed)


def _fields(model: type[BaseModel]) -> dict[str, FieldInfo]:
    """Return the model's fields by every name under which they may be written."""
    fields = dict(model.model_fields)
    for field in model.model_fields.values():
        if isinstance(field.validation_alias, AliasChoices):
            fields |= {name: field for name in field.validation_alias.choices if isinstance(name, str)}
    return fields


FILE = "study.yaml"


def protocol_from_bytes(data: bytes, problems: Problems) -> tuple[Protocol | None, str]:
    """Return the protocol in the bytes of a study.yaml, and its text."""
    if (reason := not_text(data)) is not None:
        problems.add(FILE, None, None, reason, "text in UTF-8")
        return None, ""
    lines, line = open_text(data)
    if line is not None:
        found = "bytes that are not UTF-8"
        problems.note(FILE, line, None, found, "UTF-8; the file was read as Windows-1252")
    with lines:
        text = lines.read()
    return read_protocol(text, problems), text


def read_protocol(text: str, problems: Problems) -> Protocol | None:
    """Return the protocol in the text; None, with problems, if it is not valid."""
    tree = read_yaml(FILE, text, problems)
    return None if tree is None else protocol_of(tree, problems)


def protocol_of(tree: Tree, problems: Problems) -> Protocol | None:
    """Return the protocol with the values of a file; None, with problems, if they are not valid."""
    if not isinstance(tree.data, dict):
        problems.add(FILE, 1, None, "no keys", "attune, slug, title, sources, questions ...")
        return None
    data = KnownKeys(FILE, tree, problems).of(Protocol, tree.data)
    # A part that is named but empty (`design:`) is treated as missing.
    data = {key: value for key, value in data.items() if value is not None}
    try:
        protocol = Protocol.model_validate(data)
    except ValidationError as error:
        details = error.errors()
        for detail in details:
            if not _follows_from(detail, details):
                _add(detail, tree, problems)
        return None
    if catalogue_of(protocol.language) is None:
        allowed = f"{or_list(catalogues())} for the built-in texts, which are now in English; see docs/languages.md"
        problems.note(FILE, tree.line(("language",)), "language", protocol.language, allowed)
    return None if problems.of(FILE) else protocol


def _follows_from(detail: ErrorDetails, details: Sequence[ErrorDetails]) -> bool:
    """Whether a list is too short for pydantic only because its entries have problems of their own."""
    loc = detail["loc"]
    return detail["type"] == "too_short" and any(
        len(other["loc"]) > len(loc) and other["loc"][: len(loc)] == loc for other in details
    )


def _add(detail: ErrorDetails, tree: Tree, problems: Problems) -> None:
    """Add what pydantic or a validator found."""
    path: Path = ()
    for part in detail["loc"]:
        below: Path = (*path, part)
        path = below if below in tree.lines else path
    match detail.get("ctx", {}).get("error"):
        case BrokenRuleError() as broken:
            add_broken(broken, tree, problems, path)
        case InconsistentPartsError() as parts:
            for broken in parts.broken:
                add_broken(broken, tree, problems)
        case _:
            _add_value(detail, path, tree, problems)


def _add_value(detail: ErrorDetails, path: Path, tree: Tree, problems: Problems) -> None:
    """Add a value that is not allowed."""
    found = _found(tree.data, path)
    allowed = allowed_in_words(detail)
    match detail["type"]:
        case "missing":
            path, found = (*path, str(detail["loc"][-1])), "nothing"
        case "string_pattern_mismatch" if path == ("slug",):
            allowed = "lowercase letters, digits and hyphens between them, at most 64 characters"
        case "string_pattern_mismatch":
            found = str(path[-1]) if detail["loc"][-1] == "[key]" else found
            allowed = "text without leading or trailing spaces"
        case "union_tag_invalid":
            path, found, allowed = (*path, "type"), str(detail["ctx"]["tag"]), or_list(KINDS)
        case "union_tag_not_found":
            path, found, allowed = (*path, "type"), "nothing", or_list(KINDS)
    problems.add(FILE, tree.line(path), dotted(path), found, allowed)


def add_broken(broken: BrokenRuleError, tree: Tree, problems: Problems, path: Path = ()) -> None:
    """Add the problem of a part that breaks a rule. `path`: where the part is, if the error does not name it."""
    path = path or _nearest(broken.part, tree)
    found = _found(tree.data, path) if broken.found is None else broken.found
    problems.add(FILE, tree.line(path), dotted(path), found, broken.rule, is_rule=True)


def _nearest(part: str, tree: Tree) -> Path:
    """Return the path of a part, such as `analysis.primary.2.test`, as far as it is in the file."""
    path: Path = tuple(int(name) - 1 if name.isdecimal() else name for name in part.split("."))
    while path and path not in tree.lines:
        path = path[:-1]
    return path


def _found(data: Any, path: Path) -> str:  # noqa: ANN401 - any value of the file
    for part in path:
        data = data[part]
    return found_in_words(data)
