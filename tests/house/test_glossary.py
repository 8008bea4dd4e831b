"""The pages on columns list every table, column and field, and nothing that does not exist."""

import re
from pathlib import Path

import pytest

from app.analysis.data.frames import CHECK_COLUMNS
from app.analysis.data.study_folder import ITEM_COLUMNS, RATER_COLUMNS, RESPONSE_COLUMNS
from app.analysis.estimate import FIELDS
from app.protocol.rating_columns import FILE_COLUMNS
from app.schema import metadata
from app.studies.export import ASSIGNMENT_COLUMNS, CHANGE_COLUMNS, SESSION_COLUMNS
from app.studies.folder.raters import SCORE_COLUMNS
from app.studies.folder.read import READ, TABLES, WRITTEN_ONLY
from app.studies.folder.written_tables import EVENT_COLUMNS

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGES = [(DOCS / name).read_text(encoding="utf-8") for name in ("glossary.md", "database.md")]


def part(heading: str, level: int = 2) -> str:
    """Return the text below a heading, up to the next heading of the same or a higher level."""
    pattern = rf"^{'#' * level} {re.escape(heading)}$"
    found = [page[begin.end() :] for page in PAGES if (begin := re.search(pattern, page, re.MULTILINE))]
    assert found, f"no heading {heading}"
    rest = found[0]
    end = re.search(rf"^#{{1,{level}}} ", rest, re.MULTILINE)
    return rest[: end.start()] if end else rest


def defined(text: str) -> set[str]:
    """Return the names defined in a list; definitions start with them."""
    heads = re.findall(r"^- ((?:`\w+`(?:, )?)+):", text, re.MULTILINE)
    return {name for head in heads for name in re.findall(r"`(\w+)`", head)}


COMMON = defined(part("Columns that mean the same in every table"))


def test_headings_of_the_database_page_match_tables() -> None:
    assert set(re.findall(r"^### (\w+)$", part("Tables"), re.MULTILINE)) == set(metadata.tables)


@pytest.mark.parametrize("table", sorted(metadata.tables))
def test_every_table_column_is_explained(table: str) -> None:
    columns = {column.name for column in metadata.tables[table].columns}
    explained = defined(part(table, 3))
    # A column that ends in `_id` refers to the row of that table, as the page says.
    missing = {column for column in columns - COMMON - explained if not column.endswith("_id")}
    assert missing == set(), "not on the page"
    assert explained - columns == set(), "on the page only"


def test_every_estimate_field_is_in_glossary() -> None:
    assert defined(part("Estimates")) == set(FIELDS)


def test_every_study_folder_column_is_in_glossary() -> None:
    folder = part("The study folder")
    for heading, columns in {
        "items.csv": ITEM_COLUMNS,
        "responses.csv": RESPONSE_COLUMNS,
        "raters.csv": RATER_COLUMNS,
        "ratings.csv": FILE_COLUMNS,
    }.items():
        listed = part(heading, 3).strip().split("\n\n")[0]
        assert re.findall(r"`(\w+)`", listed) == list(columns)
    rating_sessions = {*ASSIGNMENT_COLUMNS, *SESSION_COLUMNS, *CHANGE_COLUMNS}
    assert {*EVENT_COLUMNS, *CHECK_COLUMNS, *SCORE_COLUMNS, *rating_sessions} <= set(re.findall(r"`(\w+)`", folder))


def test_every_file_of_an_export_is_on_the_page_of_the_study_folder() -> None:
    """And every file that only an export writes has its columns, or what its lines are, on the page of columns."""
    page, columns = ((DOCS / name).read_text(encoding="utf-8") for name in ("study-folder.md", "database.md"))
    # A table can be lines of JSON as well.
    tables = {f"{name}.jsonl" for name in TABLES}
    assert [name for name in {*READ, *WRITTEN_ONLY} - tables if f"`{name}`" not in page] == []
    said = set(re.findall(r"[a-z_]+\.(?:csv|jsonl?)", "\n".join(re.findall(r"^(?:- |  ).*$", columns, re.MULTILINE))))
    assert {*WRITTEN_ONLY} - said == set()
