"""Items of practice and gold trials are chosen by their first words, not by a typed ID."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from sqlalchemy import Connection, text

from app.studies.editor.controls import Control, Option

# With more items than this, the ID is typed.
MAX_ITEMS = 500
_ITEM = re.compile(r"(flow\.practice\.trials|checks\.gold)\.\d+\.item")
_LISTED = text("""
    SELECT key, left(coalesce(text, turns -> 0 ->> 'text', ''), 80) AS words FROM items
    WHERE study_id = :study ORDER BY position LIMIT :most
""")


def item_options(db: Connection, study_id: int) -> list[Option]:
    """The items of a study; none if there are too many to choose from."""
    rows = db.execute(_LISTED, {"study": study_id, "most": MAX_ITEMS + 1}).all()
    if len(rows) > MAX_ITEMS:
        return []
    return [Option(row.key, f"{row.key}: {' '.join(row.words.split())}") for row in rows]


def with_items(control: Control, items: Sequence[Option]) -> Control:
    """A control with the choice among items in place of typed IDs, also in the controls inside it."""
    if items and _ITEM.fullmatch(control.name):
        return replace(control, shape="choice", options=(Option("", "Choose an item"), *items))
    return replace(control, children=tuple(with_items(child, items) for child in control.children))
