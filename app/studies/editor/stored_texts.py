"""What the forms offer from a study's stored texts and raters: their columns and items."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, text

from app.studies.editor.controls import Option


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns of a study's files besides those that every study has. `numbers` are those that hold numbers."""

    responses: tuple[str, ...] = ()
    raters: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()
    items: tuple[str, ...] = ()


_COLUMNS = text("""
    SELECT file, name, bool_and(value ~ '^\\s*[-+]?[0-9]+([.][0-9]+)?\\s*$') AS is_number FROM (
        SELECT 'items' AS file, attributes FROM items WHERE study_id = :study
        UNION ALL SELECT 'responses', attributes FROM responses WHERE study_id = :study
        UNION ALL SELECT 'raters', attributes FROM raters WHERE study_id = :study
    ) stored, jsonb_each_text(stored.attributes) AS one (name, value)
    WHERE value IS NOT NULL AND value <> '' GROUP BY file, name ORDER BY file, name
""")


def columns_of(db: Connection, study_id: int) -> Columns:
    """The columns that the stored texts and raters have."""
    rows = db.execute(_COLUMNS, {"study": study_id}).all()
    by_file = {file: tuple(row.name for row in rows if row.file == file) for file in ("responses", "raters", "items")}
    return Columns(**by_file, numbers=tuple(dict.fromkeys(row.name for row in rows if row.is_number)))


# Items of practice and gold trials are chosen by their first words; with more items than this, their ID is typed.
MAX_ITEMS = 500
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
