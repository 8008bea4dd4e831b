"""Keys of a study.yaml that no model has: likely typos are problems; other keys are ignored with a note.

The models of the protocol and the values in the file are compared side by side, so that new parts of the protocol are
covered automatically.
"""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from types import UnionType
from typing import TYPE_CHECKING, Annotated, Any, Union, get_args, get_origin

from pydantic import AliasChoices, BaseModel

from app.design.questions.scale import Scale
from app.design.word_lists import or_list
from app.exchange.protocol.yaml_tree import Path, Tree, dotted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic.fields import FieldInfo

    from app.exchange.problems import Problems

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
