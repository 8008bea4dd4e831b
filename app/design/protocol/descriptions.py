"""Descriptions of protocol fields, taken from the docstrings below the fields."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pydantic import BaseModel


def description_of(model: type[BaseModel], name: str) -> str:
    """The description of a field, inherited from the parent class if the class itself has none.

    >>> from app.design.questions.text import TextQuestion
    >>> description_of(TextQuestion, "key"), description_of(TextQuestion, "required")[:18]
    ("The question's name in files.", 'Whether an answer ')
    """
    described = (parent.model_fields[name].description for parent in _parents(model) if name in parent.model_fields)
    return next((description for description in described if description), "")


def _parents(model: type[BaseModel]) -> list[type[BaseModel]]:
    return [parent for parent in model.__mro__ if hasattr(parent, "model_fields")]
