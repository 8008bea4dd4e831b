"""ratings.csv by one COPY: the database writes the text, and the process holds no more than a piece of it at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from psycopg import sql
from sqlalchemy import text

from app.analysis.data.answer_labels import answer_labels
from app.analysis.data.rating_columns import COLUMNS
from app.storage.database.bulk_copy import driver_cursor
from app.storage.raters.exclusions import list_excluded

if TYPE_CHECKING:
    from typing import BinaryIO

    from sqlalchemy import Connection

    from app.analysis.data.rating_columns import RatingColumn
    from app.design.protocol.study import Protocol

_WHOLE_TABLES = text("""
    SELECT set_config('enable_nestloop', 'off', true), set_config('work_mem', '64MB', true),
           set_config('jit', 'off', true)
""")
_ALWAYS = ("rater", "item", "response", "question", "value")
_NUMBER = (
    "CASE WHEN {0} = trunc({0}) AND abs({0}) < 9e15 THEN CAST(CAST({0} AS bigint) AS text) ELSE CAST({0} AS text) END"
)
_TIME = "to_char({0} AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"')"
_KEYS = {
    "rater": "rater.key",
    "item": "item.key",
    "response": "response.key",
    "left_response": "shown_left.key",
    "right_response": "shown_right.key",
}
_CODES = "array_to_string(r.codes, '|')"
_VALUE = f"coalesce(chosen.key, r.text, {_CODES}, r.outcome, {_NUMBER.format('r.number')})"
_EXCLUDE = "coalesce(r.exclude, 'rater excluded: ' || excluded.reason)"
_WRITTEN = {
    "value": _VALUE,
    "exclude": _EXCLUDE,
    "source": "source.key",
    "value_number": _NUMBER.format("r.number"),
    "value_label": """CASE WHEN chosen.key IS NOT NULL THEN source_label.label
      WHEN cardinality(r.codes) > 1 THEN (
        SELECT CASE WHEN bool_and(of_one.label IS NOT NULL) THEN string_agg(of_one.label, '|' ORDER BY place) END
        FROM unnest(r.codes) WITH ORDINALITY AS one (code, place)
        LEFT JOIN labels AS of_one ON of_one.question = r.question AND of_one.value = one.code)
      WHEN r.text IS NULL THEN said.label END""",
}
# What decides whether an optional column is written: one that no answer fills is left out.
_FILLED = {
    "repeat": "repeat > 0",
    "source": "coalesce(response_id, chosen_response_id) IS NOT NULL",
    "value_number": "number IS NOT NULL",
    "value_label": "text IS NULL",
}
_FROM = f"""
    FROM ratings r
    JOIN raters rater ON rater.study_id = r.study_id AND rater.id = r.rater_id
    LEFT JOIN items item ON item.study_id = r.study_id AND item.id = r.item_id
    LEFT JOIN responses response ON response.study_id = r.study_id AND response.id = r.response_id
    LEFT JOIN responses chosen ON chosen.study_id = r.study_id AND chosen.id = r.chosen_response_id
    LEFT JOIN responses shown_left ON shown_left.study_id = r.study_id AND shown_left.id = r.left_response_id
    LEFT JOIN responses shown_right ON shown_right.study_id = r.study_id AND shown_right.id = r.right_response_id
    LEFT JOIN sources source
      ON source.study_id = r.study_id AND source.id = coalesce(chosen.source_id, response.source_id)
    LEFT JOIN source_labels source_label ON source_label.source = source.key
    LEFT JOIN labels AS said ON said.question = r.question AND said.value = {_VALUE}
    LEFT JOIN excluded ON excluded.rater_id = r.rater_id
    WHERE r.study_id = {{study}} ORDER BY r.id
"""
_WITH = """
    WITH labels AS MATERIALIZED (
      SELECT * FROM unnest({questions}::text[], {values}::text[], {labels}::text[]) AS one (question, value, label)
    ), source_labels AS MATERIALIZED (
      SELECT * FROM unnest({sources}::text[], {names}::text[]) AS one (source, label)
    ), excluded AS MATERIALIZED (
      SELECT * FROM unnest({raters}::bigint[], {reasons}::text[]) AS one (rater_id, reason)
    )
"""


def copy_ratings_csv(db: Connection, study_id: int, protocol: Protocol, file: BinaryIO) -> None:
    """Write every answer as a row of ratings.csv, in the order in which the answers were stored.

    Args:
        db: the transaction.
        study_id: the study.
        protocol: the labels of answers and sources.
        file: takes the text as UTF-8.
    """
    excluded = list_excluded(db, study_id)
    filled = _filled(db, study_id, bool(excluded))
    columns = [column for column in COLUMNS if column.in_file and column.name in filled]
    select = ", ".join(f'{_written(column)} AS "{column.name}"' for column in columns)
    query = sql.SQL(f"COPY ({_WITH} SELECT {select} {_FROM}) TO STDOUT (FORMAT csv, HEADER)").format(
        **_literals(study_id, protocol, excluded)
    )
    # Whole tables are joined: without statistics of new rows the planner would look up each row in turn.
    db.execute(_WHOLE_TABLES)
    with driver_cursor(db) as cursor, cursor.copy(query) as copy:
        file.writelines(copy)


def _literals(study_id: int, protocol: Protocol, excluded: dict[int, str]) -> dict[str, sql.Literal]:
    said = answer_labels(protocol)
    lists: dict[str, list[Any]] = {
        "questions": [question for question, _ in said],
        "values": [value for _, value in said],
        "labels": list(said.values()),
        "sources": list(protocol.sources),
        "names": [protocol.labels.source(key) for key in protocol.sources],
        "raters": list(excluded),
        "reasons": list(excluded.values()),
    }
    return {"study": sql.Literal(study_id), **{name: sql.Literal(values) for name, values in lists.items()}}


def _written(column: RatingColumn) -> str:
    name = column.name
    if name in _KEYS:
        return _KEYS[name]
    if name in _WRITTEN:
        return _WRITTEN[name]
    stored = f"r.{column.stored_as}"
    match column.type:
        case "number":
            return _NUMBER.format(stored)
        case "time":
            return _TIME.format(stored)
        case _:
            return stored


def _filled(db: Connection, study_id: int, has_excluded: bool) -> set[str]:  # noqa: FBT001 - one caller
    """The columns that are written: those that are always there, and those that some answer fills."""
    asked = [column for column in COLUMNS if column.in_file and column.name not in _ALWAYS]
    parts = [f'bool_or({_FILLED.get(one.name, f"{one.stored_as} IS NOT NULL")}) AS "{one.name}"' for one in asked]
    row = db.execute(text(f"SELECT {', '.join(parts)} FROM ratings WHERE study_id = :study"), {"study": study_id}).one()  # noqa: S608 - of our own columns
    found = {name for name, is_filled in row._mapping.items() if is_filled}  # noqa: SLF001 - SQLAlchemy's own name for it
    return {*_ALWAYS, *found, *(("exclude",) if has_excluded else ())}
