"""The query behind ratings.csv, made of the columns and joins that the answers of a study need."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.analysis.data.rating_columns import COLUMNS

if TYPE_CHECKING:
    from collections.abc import Collection

# What the query looks up besides the tables of the study.
DICTIONARIES = """
    WITH excluded AS MATERIALIZED (
      SELECT * FROM unnest({raters}::bigint[], {reasons}::text[]) AS one (rater_id, reason)
    ), source_names AS MATERIALIZED (
      SELECT s.id, s.key, named.label FROM sources s
      LEFT JOIN unnest({sources}::text[], {names}::text[]) AS named (source, label) ON named.source = s.key
      WHERE s.study_id = {study}
    )
"""
# Between a question and a value, in the keys of labels.
SEPARATOR = "\x1f"
_ALWAYS = ("rater", "item", "response", "question", "value")
# From 1e15 on the database would write whole numbers with an exponent; adding 0 takes the sign from -0.
_NUMBER = """CASE WHEN abs({0}) < 1e15 THEN CAST({0} + 0 AS text)
      WHEN abs({0}) < 9e15 AND {0} = trunc({0}) THEN CAST(CAST({0} AS bigint) AS text) ELSE CAST({0} AS text) END"""
_TIME = "to_char({0} AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"')"
_TYPED = {"number": _NUMBER, "time": _TIME}
# Keys and labels are looked up row by row, and PostgreSQL remembers those it has found. In this way rows keep the order
# in which they are read, and nothing has to be sorted.
_RATER = """JOIN LATERAL (
        SELECT p.key, (SELECT 'rater excluded: ' || x.reason FROM excluded x WHERE x.rater_id = p.id) AS exclude
        FROM raters p WHERE p.study_id = {study} AND p.id = r.rater_id
      ) AS rater ON true"""
# Columns with IDs of responses, by the name of the join.
_RESPONSES = {
    "response": "response_id",
    "chosen": "chosen_response_id",
    "left_response": "left_response_id",
    "right_response": "right_response_id",
}
# Those whose source is written too.
_WITH_SOURCE = ("chosen", "response")
# The answer without the response chosen: the first of these columns that is filled.
_OWN = {
    "text": "text",
    "codes": "array_to_string(codes, '|')",
    "outcome": "outcome",
    "number": _NUMBER.format("number"),
}
# One JSON object has all labels: the database finds a key in it faster than a row in a table.
_LABEL_OF = "{{labels}}::jsonb ->> (r.question || '" + SEPARATOR + "' || {value})"
_LABELS_OF_CODES = f"""
        SELECT CASE WHEN bool_and(said.label IS NOT NULL) THEN string_agg(said.label, '|' ORDER BY place) END
        FROM unnest(r.codes) WITH ORDINALITY AS one (code, place)
        CROSS JOIN LATERAL (SELECT {_LABEL_OF.format(value="one.code")} AS label) AS said"""  # noqa: S608 - no input in it


# Whether an answer fills a column that is not stored as such, or needs a join of its own.
_FLAGS = {
    "item_id": "item_id IS NOT NULL",
    "source": "response_id IS NOT NULL OR chosen_response_id IS NOT NULL",
    "value_number": "number IS NOT NULL",
    "value_label": "text IS NULL",
}


def filled_flags() -> dict[str, str]:
    """What `rows_of` must know: by name, SQL for whether an answer fills the column."""
    stored = (column for column in COLUMNS if column.name != "value" and not column.is_derived)
    plain = {column.name: f"{column.stored_as} IS NOT NULL" for column in stored}
    return {**plain, "repeat": "repeat > 0", **_FLAGS}


def rows_of(filled: Collection[str]) -> str:
    """Return the query, with placeholders for a condition `within` and for what `_literals` of the export gives.

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
    return f"""
      SELECT {select} FROM (
        SELECT *, {f"coalesce({own})" if own else "NULL"} AS own FROM ratings
        WHERE study_id = {{study}} {{within}} ORDER BY id OFFSET 0
      ) AS r {_joins(filled)} ORDER BY r.id"""  # noqa: S608 - of our own columns


def _joins(filled: Collection[str]) -> str:
    needed = [_RATER]
    if "item_id" in filled:
        needed.append(_lookup("item", "i.key", "items i WHERE i.study_id = {study} AND i.id = r.item_id"))
    for name, column in _RESPONSES.items():
        if name in filled:
            needed.append(_lookup(name, *_response(name, column)))
    return " ".join(needed)


def _response(name: str, column: str) -> tuple[str, str]:
    """Return the columns to look up for a response, and the rows that they are in."""
    of = f"p.study_id = {{study}} AND p.id = r.{column}"
    if name in _WITH_SOURCE:
        # With OFFSET, the source is remembered with the response.
        rows = f"responses p LEFT JOIN source_names s ON s.id = p.source_id WHERE {of} OFFSET 0"
        return "p.key, s.key AS source, s.label AS source_label", rows
    return "p.key", f"responses p WHERE {of}"


def _lookup(name: str, columns: str, rows: str) -> str:
    return f"LEFT JOIN LATERAL (SELECT {columns} FROM {rows}) AS {name} ON true"  # noqa: S608 - of our own columns


def _written(filled: Collection[str]) -> dict[str, str]:
    """Return the expression of each column, from the tables that are joined."""
    stored = {one.name: _TYPED.get(one.type, "{0}").format(f"r.{one.stored_as}") for one in COLUMNS}
    keys = {name: f"{name}.key" if name in filled else "NULL" for name in _RESPONSES}
    sources = [f"{name}.source" for name in _WITH_SOURCE if name in filled]
    chosen = "WHEN r.chosen_response_id IS NOT NULL THEN chosen.source_label" if "chosen" in filled else ""
    return {
        **stored,
        **keys,
        "rater": "rater.key",
        "item": "item.key" if "item_id" in filled else "NULL",
        "value": "coalesce(chosen.key, r.own)" if "chosen" in filled else "r.own",
        "exclude": "coalesce(r.exclude, rater.exclude)",
        "source": f"coalesce({', '.join(sources)})",
        "value_number": "CASE WHEN r.number IS NOT NULL THEN r.own END",
        "value_label": f"CASE {chosen} WHEN cardinality(r.codes) > 1 THEN ({_LABELS_OF_CODES})"
        f" WHEN r.text IS NULL THEN {_LABEL_OF.format(value='r.own')} END",
    }
