"""The columns of an answer, as lists for SQL. They are declared in `analysis.data.rating_columns`."""

from __future__ import annotations

from dataclasses import fields

from app.analysis.data.rating_columns import GIVEN_COLUMNS, Type
from app.design.questions.question import TYPING, Given

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
# Columns that identify the answer in a row; they do not change when the answer does.
_IDENTITY = ("question", "response_id", "turn", "shown_label")
# Columns that keep their earlier value if a later answer has none: browsers without scripts do not send them.
_KEPT = ("device", *TYPING)
# The columns that are fields of `Given`.
OF_ANSWER = tuple(
    column.stored_as for column in GIVEN_COLUMNS if column.stored_as in {field.name for field in fields(Given)}
)
# All columns as lists: names, names prefixed by the alias `g`, names with types, and updates for a later answer.
NAMES = ", ".join(column.stored_as for column in GIVEN_COLUMNS)
OF_GIVEN = ", ".join(f"g.{column.stored_as}" for column in GIVEN_COLUMNS)
TYPED = ", ".join(f'"{column.stored_as}" {_SQL_TYPES[column.type]}' for column in GIVEN_COLUMNS)
REPLACED = ", ".join(
    f"{name} = coalesce(excluded.{name}, r.{name})" if name in _KEPT else f"{name} = excluded.{name}"
    for name in (column.stored_as for column in GIVEN_COLUMNS)
    if name not in _IDENTITY
)
