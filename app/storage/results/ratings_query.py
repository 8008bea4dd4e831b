"""The query behind ratings.csv, made of the columns and joins that the answers of a study need."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.analysis.data.rating_columns import COLUMNS

if TYPE_CHECKING:
    from collections.abc import Collection

# Tables of names, each read once. Those that no part of the query uses are not read at all.
DICTIONARIES = """
    WITH labels AS MATERIALIZED (
      SELECT * FROM unnest({questions}::text[], {values}::text[], {labels}::text[]) AS one (question, value, label)
    ), rater_names AS MATERIALIZED (
      SELECT id, key, 'rater excluded: ' || excluded.reason AS exclude FROM raters
      LEFT JOIN unnest({raters}::bigint[], {reasons}::text[]) AS excluded (rater_id, reason) ON excluded.rater_id = id
      WHERE study_id = {study}
    ), item_names AS MATERIALIZED (
      SELECT id, key FROM items WHERE study_id = {study}
    ), response_names AS MATERIALIZED (
      SELECT r.id, r.key, i.key AS item, s.key AS source, named.label AS source_label FROM responses r
      JOIN items i ON i.study_id = r.study_id AND i.id = r.item_id
      JOIN sources s ON s.study_id = r.study_id AND s.id = r.source_id
      LEFT JOIN unnest({sources}::text[], {names}::text[]) AS named (source, label) ON named.source = s.key
      WHERE r.study_id = {study}
    )
"""
_ALWAYS = ("rater", "item", "response", "question", "value")
# From 1e15 on the database would write whole numbers with an exponent; adding 0 takes the sign from -0.
_NUMBER = """CASE WHEN abs({0}) < 1e15 THEN CAST({0} + 0 AS text)
      WHEN abs({0}) < 9e15 AND {0} = trunc({0}) THEN CAST(CAST({0} AS bigint) AS text) ELSE CAST({0} AS text) END"""
_TIME = "to_char({0} AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"')"
_TYPED = {"number": _NUMBER, "time": _TIME}
# Columns with IDs of responses, by the name of the join.
_RESPONSES = {
    "response": "response_id",
    "chosen": "chosen_response_id",
    "left_response": "left_response_id",
    "right_response": "right_response_id",
}
# The answer without the response chosen: the first of these columns that is filled.
_OWN = {
    "text": "text",
    "codes": "array_to_string(codes, '|')",
    "outcome": "outcome",
    "number": _NUMBER.format("number"),
}
_LABEL = """CASE {chosen} WHEN cardinality(r.codes) > 1 THEN (
        SELECT CASE WHEN bool_and(of_one.label IS NOT NULL) THEN string_agg(of_one.label, '|' ORDER BY place) END
        FROM unnest(r.codes) WITH ORDINALITY AS one (code, place)
        LEFT JOIN labels AS of_one ON of_one.question = r.question AND of_one.value = one.code)
      WHEN r.text IS NULL THEN said.label END"""


# Whether an answer fills a column that is not stored as such, or needs a join of its own.
_FLAGS = {
    "item_alone": "item_id IS NOT NULL AND response_id IS NULL",
    "source": "response_id IS NOT NULL OR chosen_response_id IS NOT NULL",
    "value_number": "number IS NOT NULL",
    "value_label": "text IS NULL",
}


def filled_flags() -> dict[str, str]:
    """What `piece_of` must know: by name, SQL for whether an answer fills the column."""
    stored = (column for column in COLUMNS if column.name != "value" and not column.is_derived)
    plain = {column.name: f"{column.stored_as} IS NOT NULL" for column in stored}
    return {**plain, "repeat": "repeat > 0", **_FLAGS}


def piece_of(filled: Collection[str]) -> str:
    """Return the query for a range of IDs, with placeholders `study`, `low` and `high`.

    Args:
        filled: the names in `filled_flags` that hold for some answer of the study; with `exclude` also if raters are
            excluded.
    """
    written = _written(filled)
    select = ", ".join(
        f'{written[column.name]} AS "{column.name}"'
        for column in COLUMNS
        if column.in_file and (column.name in _ALWAYS or column.name in filled)
    )
    own = ", ".join(expression for name, expression in _OWN.items() if name in filled)
    return f"""(
      SELECT {select} FROM (
        SELECT *, {f"coalesce({own})" if own else "NULL"} AS own FROM ratings
        WHERE study_id = {{study}} AND id >= {{low}} AND id < {{high}} OFFSET 0
      ) AS r {_joins(filled)} ORDER BY r.id)"""  # noqa: S608 - of our own columns


def _joins(filled: Collection[str]) -> str:
    needed = ["JOIN rater_names AS rater ON rater.id = r.rater_id"]
    needed += ["LEFT JOIN item_names AS item ON item.id = r.item_id"] if "item_alone" in filled else []
    needed += [
        f"LEFT JOIN response_names AS {name} ON {name}.id = r.{column}"
        for name, column in _RESPONSES.items()
        if name in filled
    ]
    words = "LEFT JOIN labels AS said ON said.question = r.question AND said.value = r.own"
    return " ".join([*needed, *([words] if "value_label" in filled else [])])


def _written(filled: Collection[str]) -> dict[str, str]:
    """Return the expression of each column, from the tables that are joined."""
    stored = {one.name: _TYPED.get(one.type, "{0}").format(f"r.{one.stored_as}") for one in COLUMNS}
    keys = {name: f"{name}.key" if name in filled else "NULL" for name in _RESPONSES}
    sources = [f"{name}.source" for name in ("chosen", "response") if name in filled]
    chosen = "WHEN r.chosen_response_id IS NOT NULL THEN chosen.source_label" if "chosen" in filled else ""
    item_of_response = "response.item" if "response" in filled else "NULL"
    return {
        **stored,
        **keys,
        "rater": "rater.key",
        "item": "item.key" if "item_alone" in filled else item_of_response,
        "value": "coalesce(chosen.key, r.own)" if "chosen" in filled else "r.own",
        "exclude": "coalesce(r.exclude, rater.exclude)",
        "source": f"coalesce({', '.join(sources)})",
        "value_number": "CASE WHEN r.number IS NOT NULL THEN r.own END",
        "value_label": _LABEL.format(chosen=chosen),
    }
