from __future__ import annotations

import csv
import io
import re
from typing import TYPE_CHECKING

import pytest
from psycopg import sql
from sqlalchemy import event, text

from app.exchange.folder.read import read_folder
from app.exchange.folder.written_tables import tables_of
from app.exchange.tabular.csv_cells import write_csv
from app.storage.database.bulk_copy import driver_cursor
from app.storage.results import ratings_export
from app.storage.results.ratings_export import copy_ratings_csv
from app.storage.results.ratings_query import filled_flags, rows_of
from app.storage.studies.export import study_folder
from app.storage.studies.load import load_study
from tests.analysis.golden import HERE

if TYPE_CHECKING:
    from pathlib import Path

    from sqlalchemy import Connection

EXCLUDE = text("""
    INSERT INTO rater_exclusions (study_id, rater_id, is_excluded, reason)
    SELECT study_id, id, true, 'slow, "very"' FROM raters WHERE study_id = :study ORDER BY id LIMIT 1
""")
COMMENT = text(
    "UPDATE ratings SET comment = 'Said late' WHERE id = (SELECT max(id) FROM ratings WHERE study_id = :study)"
)
CHANGE = text("UPDATE ratings SET number = :number WHERE study_id = :study AND number IS NOT NULL")


def test_only_columns_that_the_first_answers_leave_empty_are_searched_in_all(db: Connection) -> None:
    study = read_folder(HERE / "epitome")
    study_id = load_study(db, study)
    said: list[str] = []
    event.listen(db, "before_cursor_execute", lambda *given: said.append(given[2]))
    copy_ratings_csv(db, study_id, study.protocol, io.BytesIO())
    first, whole = (one for one in said if "bool_or" in one)
    assert "(question IS NOT NULL)" in first
    assert "(question IS NOT NULL)" not in whole
    assert "(comment IS NOT NULL)" in whole


def test_column_that_only_a_late_answer_fills_is_written(db: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ratings_export, "FIRST_ROWS", 1)
    study_id = load_study(db, read_folder(HERE / "epitome"))
    db.execute(COMMENT, {"study": study_id})
    header, *rows = _streamed(db, study_id)
    assert [row[header.index("comment")] for row in rows].count("Said late") == 1


def test_file_that_cannot_be_written_leaves_the_connection_usable(db: Connection) -> None:
    study = read_folder(HERE / "epitome")
    study_id = load_study(db, study)
    full = io.BytesIO()
    full.close()
    with pytest.raises(ValueError, match="closed file"), db.begin_nested():
        copy_ratings_csv(db, study_id, study.protocol, full)
    assert len(_streamed(db, study_id)) > 1


@pytest.mark.parametrize("name", ["ab-tie", "ayers-pair", "behaviours", "epitome", "label-experiment"])
def test_database_and_folder_write_the_same_rows(db: Connection, tmp_path: Path, name: str) -> None:
    study = read_folder(HERE / name)
    study_id = load_study(db, study)
    assert _streamed(db, study_id) == _written(db, study_id, tmp_path)
    db.execute(EXCLUDE, {"study": study_id})
    assert _streamed(db, study_id) == _written(db, study_id, tmp_path)


def test_rows_are_in_the_order_in_which_answers_were_stored_without_a_sort(db: Connection) -> None:
    study = read_folder(HERE / "epitome")
    study_id = load_study(db, study)
    db.execute(text("UPDATE ratings SET exclude = CAST(id AS text)"))
    db.execute(text("UPDATE ratings SET question = question WHERE id % 3 = 0"))  # they move within the table
    content = io.BytesIO()
    copy_ratings_csv(db, study_id, study.protocol, content)
    ids = [int(row["exclude"]) for row in csv.DictReader(io.StringIO(content.getvalue().decode(), newline=""))]
    assert ids == sorted(ids)
    query = ratings_export._query(study_id, study.protocol, set(filled_flags()), {})
    with driver_cursor(db) as cursor:
        plan = "\n".join(row[0] for row in cursor.execute(sql.SQL("EXPLAIN {}").format(query)))
    assert "pk_ratings" in plan
    assert "Sort Key: ratings.id" not in plan


def test_item_and_response_are_looked_up_at_once_and_so_is_the_pair() -> None:
    query = rows_of(set(filled_flags()))
    groups = [part.split(" OFFSET 0) AS ")[0] for part in query.split("LEFT JOIN LATERAL (")[1:]]
    found = [re.findall(r"= r[.](\w+)", group) for group in groups]
    assert found == [["item_id", "response_id"], ["chosen_response_id", "left_response_id", "right_response_id"]]


def test_a_study_without_ratings_has_a_header(db: Connection) -> None:
    study_id = load_study(db, read_folder(HERE / "epitome"))
    db.execute(text("DELETE FROM ratings WHERE study_id = :study"), {"study": study_id})
    assert _streamed(db, study_id) == [["rater", "item", "response", "question", "value"]]


def test_large_numbers_are_written_in_full(db: Connection) -> None:
    study_id = load_study(db, read_folder(HERE / "epitome"))
    found: list[str] = []
    for number in ("-0.0", "1e15", "8999999999999999", "1e16", "0.1", "1e-7"):
        db.execute(CHANGE, {"study": study_id, "number": float(number)})
        header, *rows = _streamed(db, study_id)
        found += {row[header.index("value_number")] for row in rows} - {""}
    assert found == ["0", "1000000000000000", "8999999999999999", "1e+16", "0.1", "1e-07"]


def _streamed(db: Connection, study_id: int) -> list[list[str]]:
    content = io.BytesIO()
    copy_ratings_csv(db, study_id, study_folder(db, study_id).protocol, content)
    header, *rows = csv.reader(io.StringIO(content.getvalue().decode(), newline=""))
    return [header, *sorted(rows)]


def _written(db: Connection, study_id: int, place: Path) -> list[list[str]]:
    write_csv(place / "ratings.csv", tables_of(study_folder(db, study_id))["ratings"])
    with (place / "ratings.csv").open(newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    return [header, *sorted(rows)]
