"""The texts of items and responses by their keys, for tables that name single ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import text

if TYPE_CHECKING:
    from collections.abc import Collection

    from sqlalchemy import Connection

_WORDS = """coalesce({0}.text, (
  SELECT string_agg(turn ->> 'text', E'\\n' ORDER BY place)
  FROM jsonb_array_elements({0}.turns) WITH ORDINALITY AS said (turn, place)), '')"""
_RESPONSES = text(f"""
    SELECT r.key, i.id AS item_id, {_WORDS.format("i")} AS item, s.key AS source, {_WORDS.format("r")} AS response
    FROM responses r
    JOIN items i ON i.study_id = r.study_id AND i.id = r.item_id
    JOIN sources s ON s.study_id = r.study_id AND s.id = r.source_id
    WHERE r.study_id = :study AND r.key = ANY(:keys)
""")  # noqa: S608 - no input in it
_ITEMS = text(f"""
    SELECT i.key, i.id AS item_id, {_WORDS.format("i")} AS item, NULL AS source, NULL AS response FROM items i
    WHERE i.study_id = :study AND i.key = ANY(:keys)
""")  # noqa: S608 - no input in it


@dataclass(frozen=True, slots=True)
class UnitText:
    """The text of an item and, if the unit is a response, the key of its source and its text."""

    item_id: int
    item: str
    source: str | None
    response: str | None


def get_unit_texts(
    db: Connection, study_id: int, *, items: Collection[str], responses: Collection[str]
) -> dict[tuple[str, str], UnitText]:
    """The texts by kind (`item` or `response`) and key; keys that the study does not have are left out."""
    found = {}
    for kind, query, keys in (("item", _ITEMS, items), ("response", _RESPONSES, responses)):
        for row in db.execute(query, {"study": study_id, "keys": [*keys]}):
            found[kind, row.key] = UnitText(row.item_id, row.item, row.source, row.response)
    return found
