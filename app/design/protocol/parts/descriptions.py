"""Descriptions of protocol fields, taken from the docstrings below the fields."""

from __future__ import annotations

import ast
import inspect
from functools import cache
from itertools import pairwise
from textwrap import dedent
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pydantic import BaseModel


def description_of(model: type[BaseModel], name: str) -> str:
    """The description of a field, inherited from the parent class if the class itself has none.

    >>> from app.design.questions.kinds.text import TextQuestion
    >>> description_of(TextQuestion, "key"), description_of(TextQuestion, "required")[:18]
    ("The question's name in files.", 'Whether an answer ')
    """
    described = (_described(parent).get(name) for parent in _parents(model))
    return next((description for description in described if description), "")


def _parents(model: type[BaseModel]) -> list[type[BaseModel]]:
    return [parent for parent in model.__mro__ if hasattr(parent, "model_fields")]


@cache
def _described(model: type[BaseModel]) -> dict[str, str]:
    """Return the docstrings below the fields of a class itself, read from its source on first use.

    Pydantic's `use_attribute_docstrings` reads the source of every model on import, which delays every command by a
    tenth of a second.
    """
    if "__pydantic_fields__" not in vars(model) or model.__module__.startswith("pydantic."):
        return {}
    tree = ast.parse(dedent(inspect.getsource(model))).body[0]
    body = tree.body if isinstance(tree, ast.ClassDef) else []
    return {name: text for field, below in pairwise(body) for name, text in _documented(field, below)}


def _documented(field: ast.stmt, below: ast.stmt) -> Iterator[tuple[str, str]]:
    """Yield name and docstring if a string follows the field."""
    if (
        isinstance(field, ast.AnnAssign)
        and isinstance(field.target, ast.Name)
        and isinstance(below, ast.Expr)
        and isinstance(below.value, ast.Constant)
        and isinstance(below.value.value, str)
    ):
        yield field.target.id, inspect.cleandoc(below.value.value)
