"""Items, responses and raters of a study, a page at a time, in the order in which they were stored."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import Connection, RowMapping, text

from app.studies.data.sql_words import said

# The rows of a table, where `{where}` stands for the study, the page and the filters.
_TABLES = {
    "items": """
        SELECT r.id, r.key AS item, r.text, r.turns, r.profile, r.content_note, r.attributes FROM items r
        WHERE r.{where} ORDER BY r.id LIMIT :n
    """,
    "responses": """
        SELECT r.id, r.key AS response, i.key AS item, s.key AS source, r.text, r.turns, r.attributes
        FROM responses r
        JOIN items i ON i.study_id = r.study_id AND i.id = r.item_id
        JOIN sources s ON s.study_id = r.study_id AND s.id = r.source_id
        WHERE r.{where} ORDER BY r.id LIMIT :n
    """,
    "raters": """
        SELECT r.id, r.key AS rater, r.kind, r.pool, r.is_simulated, r.is_imported, r.attributes, s.state, s.arrived_at,
               s.finished_at, coalesce(w.n_done, 0) AS n_done, coalesce(d.is_excluded, false) AS is_excluded,
               CASE WHEN d.is_excluded THEN d.reason END AS exclusion_reason
        FROM (SELECT * FROM raters r WHERE r.{where} ORDER BY id LIMIT :n) AS r
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
    """,
    "ratings": "SELECT r.id FROM ratings r WHERE r.{where} ORDER BY r.id LIMIT :n",
}
_RATER = "r.rater_id IN (SELECT id FROM raters WHERE study_id = :study AND {})"
# What a filter asks of the rows of a table; lists of keys ask for any of them.
_FILTERS = {
    "responses": {"item": "i.key = ANY(:item)", "source": "s.key = ANY(:source)"},
    "raters": {"kind": "r.kind = :kind", "is_simulated": "r.is_simulated = :is_simulated"},
    "ratings": {
        "question": "r.question = ANY(:question)",
        "source": """coalesce(r.chosen_response_id, r.response_id) IN (
          SELECT o.id FROM responses o JOIN sources s ON s.study_id = o.study_id AND s.id = o.source_id
          WHERE o.study_id = :study AND s.key = ANY(:source))""",
        "rater": _RATER.format("key = ANY(:rater)"),
        "rater_kind": _RATER.format("kind = :rater_kind"),
        "is_simulated": _RATER.format("is_simulated = :is_simulated"),
        "since": "r.rated_at >= :since",
        "until": "r.rated_at < CAST(:until AS timestamptz) + interval '1 day'",
    },
}
_MISSING = text("""
    WITH known AS (
      SELECT 'item' AS kind, key FROM items WHERE study_id = :study
      UNION ALL SELECT 'source', key FROM sources WHERE study_id = :study
      UNION ALL SELECT 'question', key FROM questions WHERE study_id = :study
      UNION ALL SELECT 'rater', key FROM raters WHERE study_id = :study
    )
    SELECT asked FROM unnest(CAST(:keys AS text[])) AS asked
    WHERE NOT EXISTS (SELECT FROM known WHERE kind = :kind AND key = asked) LIMIT 1
""")


class NoSuchKeyError(ValueError):
    """A filter asks for an item, a source, a question or a rater that the study does not have."""


class RowPage(NamedTuple):
    """Rows, and the ID after which the next page begins; None if this is the last page."""

    rows: list[dict[str, Any]]
    next_after: int | None


def row_page(db: Connection, table: str, study_id: int, after: int, n: int, filters: Mapping[str, object]) -> RowPage:
    """At most `n` items, responses or raters with an ID above `after` that pass the filters.

    Raters are pseudonyms, with the state of their last session. Filters that are None or empty ask for nothing.

    Raises:
        NoSuchKeyError: a filter asks for what the study does not have.
    """
    found = _found(db, table, study_id, after, n, filters)
    rows = [dict(row) for row in found[:n]]
    ids = [row.pop("id") for row in rows]
    return RowPage(rows, ids[-1] if len(found) > n else None)


def rating_ids(db: Connection, study_id: int, after: int, n: int, filters: Mapping[str, object]) -> list[int]:
    """The IDs of the first `n` answers above `after` that pass the filters, and of one more if there are more.

    Raises:
        NoSuchKeyError: a filter asks for what the study does not have.
    """
    return [row["id"] for row in _found(db, "ratings", study_id, after, n, filters)]


def _found(
    db: Connection, table: str, study_id: int, after: int, n: int, filters: Mapping[str, object]
) -> Sequence[RowMapping]:
    given = {name: value for name, value in filters.items() if value is not None and value != ()}
    for name, value in given.items():
        if isinstance(value, tuple):
            given[name] = [*value]
            # The database takes no NUL, so no key has one.
            missing = next((key for key in value if "\0" in key), None)
            if missing is None:
                missing = db.execute(_MISSING, {"study": study_id, "kind": name, "keys": given[name]}).scalar()
            if missing is not None:
                raise NoSuchKeyError(f"This study has no {name} {missing[:100]!r}.")
    where = " AND ".join(["study_id = :study AND r.id > :after", *(_FILTERS[table][name] for name in given)])
    query = text(_TABLES[table].replace("{where}", where))
    return db.execute(query, {**given, "study": study_id, "after": after, "n": n + 1}).mappings().all()


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
