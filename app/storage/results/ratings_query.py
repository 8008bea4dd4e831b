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
# IDs that are looked up together, by the name of the join: what was rated, and the pair it was chosen from. Each lookup
# costs as much for an empty ID as for another one, and most answers have only one of the two groups.
_SHOWN = {"response": "response_id"}
_PAIR = {"chosen": "chosen_response_id", "left_response": "left_response_id", "right_response": "right_response_id"}
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
    shown = {name: column for name, column in _SHOWN.items() if name in filled}
    pair = {name: column for name, column in _PAIR.items() if name in filled}
    lookups = [_lookup("shown", shown, with_item="item_id" in filled), _lookup("pair", pair)]
    return " ".join([_RATER, *(one for one in lookups if one)])


def _lookup(name: str, responses: dict[str, str], *, with_item: bool = False) -> str:
    """Return the join that looks up the keys of an item and of responses at once, with their sources; "" for none.

    With OFFSET, PostgreSQL remembers what it found for a group of IDs.
    """
    columns = ["item.key AS item"] if with_item else []
    tables = ["LEFT JOIN items item ON item.study_id = {study} AND item.id = r.item_id"] if with_item else []
    for response, column in responses.items():
        columns.append(f"{response}.key AS {response}")
        tables.append(
            f"LEFT JOIN responses {response} ON {response}.study_id = {{study}} AND {response}.id = r.{column}"
        )
        if response in _WITH_SOURCE:
            source = f"{response}_source"
            columns.append(f"{source}.key AS {source}, {source}.label AS {source}_label")
            tables.append(f"LEFT JOIN source_names {source} ON {source}.id = {response}.source_id")
    rows = f"SELECT {', '.join(columns)} FROM (SELECT) AS one {' '.join(tables)} OFFSET 0"  # noqa: S608 - of our own columns
    return f"LEFT JOIN LATERAL ({rows}) AS {name} ON true" if columns else ""


def _written(filled: Collection[str]) -> dict[str, str]:
    """Return the expression of each column, from the tables that are joined."""
    stored = {one.name: _TYPED.get(one.type, "{0}").format(f"r.{one.stored_as}") for one in COLUMNS}
    joins = {**dict.fromkeys(_SHOWN, "shown"), **dict.fromkeys(_PAIR, "pair")}
    keys = {name: f"{join}.{name}" if name in filled else "NULL" for name, join in joins.items()}
    sources = [f"{joins[name]}.{name}_source" for name in _WITH_SOURCE if name in filled]
    chosen = "WHEN r.chosen_response_id IS NOT NULL THEN pair.chosen_source_label" if "chosen" in filled else ""
    return {
        **stored,
        **keys,
        "rater": "rater.key",
        "item": "shown.item" if "item_id" in filled else "NULL",
        "value": "coalesce(pair.chosen, r.own)" if "chosen" in filled else "r.own",
        "exclude": "coalesce(r.exclude, rater.exclude)",
        "source": f"coalesce({', '.join(sources)})",
        "value_number": "CASE WHEN r.number IS NOT NULL THEN r.own END",
        "value_label": f"CASE {chosen} WHEN cardinality(r.codes) > 1 THEN ({_LABELS_OF_CODES})"
        f" WHEN r.text IS NULL THEN {_LABEL_OF.format(value='r.own')} END",
    }
