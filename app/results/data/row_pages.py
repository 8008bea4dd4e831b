"""Items, responses and raters of a study, a page at a time, in the order in which they were stored."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import Connection, RowMapping, TextClause, text

from app.rating.review.text_words import said

_ITEMS = text("""
    SELECT id, key AS item, text, turns, profile, content_note, attributes FROM items
    WHERE study_id = :study AND id > :after ORDER BY id LIMIT :n
""")
_RESPONSES = text("""
    SELECT r.id, r.key AS response, i.key AS item, s.key AS source, r.text, r.turns, r.attributes
    FROM responses r
    JOIN items i ON i.study_id = r.study_id AND i.id = r.item_id
    JOIN sources s ON s.study_id = r.study_id AND s.id = r.source_id
    WHERE r.study_id = :study AND r.id > :after ORDER BY r.id LIMIT :n
""")
_RATERS = text("""
    SELECT r.id, r.key AS rater, r.kind, r.pool, r.is_simulated, r.is_imported, r.attributes, s.state, s.arrived_at,
           s.finished_at, coalesce(w.n_done, 0) AS n_done, coalesce(d.is_excluded, false) AS is_excluded,
           CASE WHEN d.is_excluded THEN d.reason END AS exclusion_reason
    FROM (SELECT * FROM raters WHERE study_id = :study AND id > :after ORDER BY id LIMIT :n) AS r
    LEFT JOIN LATERAL (
      SELECT state, arrived_at, finished_at FROM rating_sessions
      WHERE study_id = r.study_id AND rater_id = r.id ORDER BY id DESC LIMIT 1
    ) AS s ON true
    LEFT JOIN LATERAL (
      SELECT count(*) AS n_done FROM assignments
      WHERE study_id = r.study_id AND rater_id = r.id AND state = 'done'
    ) AS w ON true
    LEFT JOIN LATERAL (
      SELECT is_excluded, reason FROM rater_exclusions
      WHERE study_id = r.study_id AND rater_id = r.id ORDER BY id DESC LIMIT 1
    ) AS d ON true
    ORDER BY r.id
""")


class RowPage(NamedTuple):
    """Rows, and the ID after which the next page begins; None if this is the last page."""

    rows: list[dict[str, Any]]
    next_after: int | None


def item_page(db: Connection, study_id: int, after: int, n: int) -> RowPage:
    """At most `n` items with an ID above `after`."""
    return _page(db, _ITEMS, study_id, after, n)


def response_page(db: Connection, study_id: int, after: int, n: int) -> RowPage:
    """At most `n` responses with an ID above `after`."""
    return _page(db, _RESPONSES, study_id, after, n)


def rater_page(db: Connection, study_id: int, after: int, n: int) -> RowPage:
    """At most `n` raters with an ID above `after`: pseudonyms only, with the state of their last session."""
    return _page(db, _RATERS, study_id, after, n)


def _page_of(found: Sequence[RowMapping], n: int) -> RowPage:
    """The first `n` of at most `n + 1` rows, each with an `id`, which is not part of the page."""
    rows = [dict(row) for row in found[:n]]
    ids = [row.pop("id") for row in rows]
    return RowPage(rows, ids[-1] if len(found) > n else None)


def _page(db: Connection, query: TextClause, study_id: int, after: int, n: int) -> RowPage:
    return _page_of(db.execute(query, {"study": study_id, "after": after, "n": n + 1}).mappings().all(), n)


# The texts of items and responses by their keys, for tables that name single ones.

_RESPONSE_TEXTS = text(f"""
    SELECT r.key, i.id AS item_id, {said("i")} AS item, s.key AS source, {said("r")} AS response
    FROM responses r
    JOIN items i ON i.study_id = r.study_id AND i.id = r.item_id
    JOIN sources s ON s.study_id = r.study_id AND s.id = r.source_id
    WHERE r.study_id = :study AND r.key = ANY(:keys)
""")  # noqa: S608 - no input in it
_ITEM_TEXTS = text(f"""
    SELECT i.key, i.id AS item_id, {said("i")} AS item, NULL AS source, NULL AS response FROM items i
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
    for kind, query, keys in (("item", _ITEM_TEXTS, items), ("response", _RESPONSE_TEXTS, responses)):
        for row in db.execute(query, {"study": study_id, "keys": [*keys]}):
            found[kind, row.key] = UnitText(row.item_id, row.item, row.source, row.response)
    return found
