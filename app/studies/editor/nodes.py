"""The types of the protocol's values, reduced to a few kinds of input for forms."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from functools import cache
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic_core import PydanticUndefined

from app.base.words import readable
from app.protocol.questions.question import ManyLines
from app.protocol.questions.scale import Scale
from app.protocol.study_parts import description_of

# The data of study.yaml, or of a part of it, as the editor changes them.
Data = dict[str, Any]
Widget = Literal["line", "prose", "number", "date", "flag", "choice"]


@dataclass(frozen=True, slots=True)
class Scalar:
    """A single value. `options` are the options of a choice."""

    widget: Widget = "line"
    options: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Lines:
    """Several texts, one per line."""


@dataclass(frozen=True, slots=True)
class Rows:
    """A list."""

    of: Node


@dataclass(frozen=True, slots=True)
class Named:
    """A mapping from names to values. `names` are the allowed names, if they are restricted."""

    of: Node
    names: tuple[str, ...] = ()
    is_scale: bool = False


@dataclass(frozen=True, slots=True)
class Member:
    """One field of a part."""

    name: str
    label: str
    help: str
    node: Node
    default: Any
    is_required: bool


@dataclass(frozen=True, slots=True)
class Part:
    """A model with its fields.

    `more`: whether further keys are kept. `short`: the field that may be written alone instead of the whole model.
    """

    members: tuple[Member, ...]
    more: bool = False
    short: str | None = None


@dataclass(frozen=True, slots=True)
class Kinds:
    """One of several models, selected by the value's `type`."""

    parts: Mapping[str, Part] = field(hash=False)


Node = Scalar | Lines | Rows | Named | Part | Kinds
# Models that may be written as one of their fields alone.
_SHORT = {"Composite": "questions", "PrimaryContrast": "question"}


@cache
def part_of(model: type[BaseModel]) -> Part:
    """Return the form of a model."""
    members = tuple(_members(model))
    return Part(members, model.model_config.get("extra") == "allow", _SHORT.get(model.__name__))


def _members(model: type[BaseModel]) -> Any:  # noqa: ANN401 - an iterator of members
    for name, info in model.model_fields.items():
        node = node_of(info.annotation, tuple(info.metadata))
        if isinstance(node, Scalar) and node.widget == "choice" and len(node.options) == 1:
            continue
        default = None if info.default is PydanticUndefined else info.default
        label = info.title or readable(name)
        yield Member(name, label, description_of(model, name), node, default, info.is_required())


def node_of(kind: Any, metadata: tuple[Any, ...] = ()) -> Node:  # noqa: ANN401, PLR0911 - one case per type
    """Return the kind of input for a value of this type."""
    origin, parts = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return node_of(parts[0], (*metadata, *parts[1:]))
    if origin in (Union, UnionType):
        return _of_union(parts, metadata)
    if origin is Literal:
        return Scalar("choice", tuple(str(option) for option in parts))
    if origin in (tuple, list):
        below = node_of(parts[0])
        return Lines() if isinstance(below, Scalar) else Rows(below)
    if origin is dict:
        names = node_of(parts[0])
        return Named(node_of(parts[1]), names.options if isinstance(names, Scalar) else ())
    if isinstance(kind, type) and issubclass(kind, Scale):
        return Named(Scalar(), is_scale=True)
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return part_of(kind)
    return Scalar(_widget(kind, metadata))


def _of_union(parts: tuple[Any, ...], metadata: tuple[Any, ...]) -> Node:
    kinds = [part for part in parts if part is not type(None)]
    if len(kinds) > 1:
        named = {get_args(kind.model_fields["type"].annotation)[0]: part_of(kind) for kind in kinds}
        return Kinds(named)
    if kinds[0] is bool:
        # Yes, no or the study's default.
        return Scalar("choice", ("true", "false"))
    return node_of(kinds[0], metadata)


def _widget(kind: Any, metadata: tuple[Any, ...]) -> Widget:  # noqa: ANN401 - see `node_of`
    if kind is bool:
        return "flag"
    if kind in (int, float):
        return "number"
    if kind is date:
        return "date"
    return "prose" if any(isinstance(part, ManyLines) for part in metadata) else "line"
