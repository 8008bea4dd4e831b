"""The texts of trials that were shown lately, so that saving or submitting a page need not read them again.

Texts never change: an item or a response with other texts is another row. A browser keeps its connection, and so its
process, which has shown the page before.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from app.storage.database.hot_statement import HotStatement

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy import Connection, Engine

    Texts = dict[str, Any]
    Kept = OrderedDict[tuple[int, int, tuple[int, ...]], Texts]

# About as many as a process has raters at once. Texts of 500 words take 3 kB.
MAX_KEPT = 500
# SQL for the texts of the items `i`, and of the responses that are shown with them, in this order.
ITEM_TEXTS = "i.text, i.turns, i.profile, i.content_note"
RESPONSE_TEXTS = """
    (SELECT jsonb_agg(jsonb_build_object('text', r.text, 'turns', r.turns) ORDER BY o.place)
     FROM unnest({shown}) WITH ORDINALITY AS o (id, place)
     JOIN responses r ON r.study_id = i.study_id AND r.id = o.id) AS responses
"""
_NAMES = ("text", "turns", "profile", "content_note", "responses")
_TEXTS = HotStatement(f"""
    SELECT {ITEM_TEXTS}, {RESPONSE_TEXTS.format(shown="CAST(:shown AS bigint[])")}
    FROM items i WHERE i.study_id = :study AND i.id = :item
""")  # noqa: S608 - constants only
_kept: WeakKeyDictionary[Engine, Kept] = WeakKeyDictionary()


def texts_of(db: Connection, study_id: int, item_id: int, response_ids: Sequence[int]) -> Texts:
    """The texts of an item and of responses to it, as the columns ITEM_TEXTS and `responses`."""
    key = study_id, item_id, tuple(response_ids)
    kept = _kept.get(db.engine)
    texts = kept and kept.get(key)
    if not texts:
        row = _TEXTS.one(db, {"study": study_id, "item": item_id, "shown": list(response_ids)})
        texts = keep_texts(db, row | {"study_id": study_id, "item_id": item_id, "response_ids": response_ids})
    return texts


def keep_texts(db: Connection, row: Mapping[str, Any]) -> Texts:
    """Keep the texts in a row that was read otherwise, and return them."""
    kept = _kept.setdefault(db.engine, OrderedDict())
    texts = {name: row[name] for name in _NAMES}
    kept[row["study_id"], row["item_id"], tuple(row["response_ids"])] = texts
    if len(kept) > MAX_KEPT:
        kept.popitem(last=False)
    return texts
