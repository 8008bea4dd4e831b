"""The columns that come with each answer, as lists for SQL. They are declared in `analysis.data.rating_columns`."""

from __future__ import annotations

from dataclasses import fields

from app.analysis.data.rating_columns import GIVEN_COLUMNS, Type
from app.design.questions.question import Given

_SQL_TYPES: dict[Type, str] = {
    "id": "bigint",
    "name": "text",
    "text": "text",
    "codes": "text[]",
    "whole": "integer",
    "count": "integer",
    "number": "float8",
    "time": "timestamptz",
}
# They say which answer a row holds; a changed answer keeps them.
_IDENTITY = ("question", "response_id", "turn", "shown_label")
# A later answer without one keeps the earlier one's: a browser without scripts sends none.
_KEPT = ("device",)
# The columns that `Given` has a field for.
OF_ANSWER = tuple(
    column.stored_as for column in GIVEN_COLUMNS if column.stored_as in {field.name for field in fields(Given)}
)
# All of them as lists: names, names of the alias `g`, names with types, and what a later answer replaces.
NAMES = ", ".join(column.stored_as for column in GIVEN_COLUMNS)
OF_GIVEN = ", ".join(f"g.{column.stored_as}" for column in GIVEN_COLUMNS)
TYPED = ", ".join(f'"{column.stored_as}" {_SQL_TYPES[column.type]}' for column in GIVEN_COLUMNS)
REPLACED = ", ".join(
    f"{name} = coalesce(excluded.{name}, r.{name})" if name in _KEPT else f"{name} = excluded.{name}"
    for name in (column.stored_as for column in GIVEN_COLUMNS)
    if name not in _IDENTITY
)
