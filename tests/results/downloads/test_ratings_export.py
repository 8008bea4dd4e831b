import csv
import io
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, event, text

from app.base.files import distinct_cells as cells
from app.base.files.csv_cells import write_csv
from app.results.downloads import ratings_export
from app.results.downloads.ratings_export import copy_ratings_csv, rating_page
from app.studies.data import rating_arrays
from app.studies.data import rating_arrays as filled_columns
from app.studies.export import study_folder
from app.studies.folder.read import read_folder
from app.studies.folder.written_tables import tables_of
from app.studies.load import load_study
from tests.analysis.golden import HERE

EXCLUDE = text("""
    INSERT INTO rater_exclusions (study_id, rater_id, is_excluded, reason)
    SELECT study_id, id, true, 'slow, "very"' FROM raters WHERE study_id = :study ORDER BY id LIMIT 1
""")
COMMENT = text(
    "UPDATE ratings SET comment = 'Said late' WHERE id = (SELECT max(id) FROM ratings WHERE study_id = :study)"
)
SAY = text("UPDATE ratings SET comment = :comment WHERE study_id = :study")
ODD_TEXTS = (
    'said "so", and left',
    "two\nlines",
    "two\r\nlines",
    "\r",
    ",",
    '"',
    "\\.",
    "\\N",
    "NULL",
    "ünï – 心",
    " ",
    "\t",
    "\x1e",
)
ARRIVE = text("""
    WITH came AS (INSERT INTO raters (study_id, key) VALUES (:study, 'late') RETURNING id)
    INSERT INTO ratings (study_id, rater_id, question, item_id, response_id, number)
    SELECT study_id, came.id, question, item_id, response_id, number FROM ratings, came
    WHERE study_id = :study ORDER BY ratings.id LIMIT 1
""")
CHANGE = text("UPDATE ratings SET number = :number WHERE study_id = :study AND number IS NOT NULL")


def test_only_columns_that_the_first_answers_leave_empty_are_searched_in_all(db: Connection) -> None:
    study = read_folder(HERE / "epitome")
    study_id = load_study(db, study)
    said: list[str] = []
    event.listen(db, "before_cursor_execute", lambda *given: said.append(given[2]))
    copy_ratings_csv(db, study_id, study.protocol, io.BytesIO())
    first, whole = (one for one in said if "bool_or" in one)
    assert "question IS NOT NULL" in first
    assert "question IS NOT NULL" not in whole
    assert "comment IS NOT NULL" in whole


def test_column_that_only_a_late_answer_fills_is_written(db: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(filled_columns, "FIRST_ROWS", 1)
    study_id = load_study(db, read_folder(HERE / "epitome"))
    db.execute(COMMENT, {"study": study_id})
    header, *rows = _streamed(db, study_id)
    assert [row[header.index("comment")] for row in rows].count("Said late") == 1


class _FullDisk(io.BytesIO):
    """Has room for the header and one block of rows."""

    def writelines(self, lines: Iterable[bytes]) -> None:  # type: ignore[override]
        if self.tell() > 200:
            raise OSError(28, "No space left on device")
        super().writelines(lines)


def test_file_that_cannot_be_written_leaves_the_connection_usable(
    db: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rating_arrays, "N_ROWS", 7)
    study = read_folder(HERE / "epitome")
    study_id = load_study(db, study)
    with pytest.raises(OSError, match="No space left"), db.begin_nested():
        copy_ratings_csv(db, study_id, study.protocol, _FullDisk())
    assert len(_streamed(db, study_id)) > 1


@pytest.mark.parametrize("name", ["ab-tie", "ayers-pair", "behaviours", "epitome", "label-experiment"])
def test_database_and_folder_write_the_same_rows(db: Connection, tmp_path: Path, name: str) -> None:
    study = read_folder(HERE / name)
    study_id = load_study(db, study)
    assert _streamed(db, study_id) == _written(db, study_id, tmp_path)
    db.execute(EXCLUDE, {"study": study_id})
    assert _streamed(db, study_id) == _written(db, study_id, tmp_path)


def test_rows_are_in_the_order_in_which_answers_were_stored(db: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rating_arrays, "N_ROWS", 7)
    study = read_folder(HERE / "epitome")
    study_id = load_study(db, study)
    db.execute(text("UPDATE ratings SET exclude = CAST(id AS text)"))
    db.execute(text("UPDATE ratings SET question = question WHERE id % 3 = 0"))  # they move within the table
    content = io.BytesIO()
    copy_ratings_csv(db, study_id, study.protocol, content)
    ids = [int(row["exclude"]) for row in csv.DictReader(io.StringIO(content.getvalue().decode(), newline=""))]
    assert len(ids) > 7
    assert ids == db.execute(text("SELECT id FROM ratings ORDER BY id")).scalars().all()


def test_answers_of_other_studies_are_left_out(db: Connection) -> None:
    first = load_study(db, read_folder(HERE / "epitome"))
    before = _streamed(db, first)
    other = load_study(db, read_folder(HERE / "ab-tie"))
    assert _streamed(db, first) == before
    assert _streamed(db, other) != before


def test_text_is_read_back_as_it_was_stored(db: Connection) -> None:
    study_id = load_study(db, read_folder(HERE / "epitome"))
    for said in ODD_TEXTS:
        db.execute(SAY, {"study": study_id, "comment": said})
        header, *rows = _streamed(db, study_id)
        assert {row[header.index("comment")] for row in rows} == {said}, said


def test_long_texts_are_written_in_parts(db: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    study_id = load_study(db, read_folder(HERE / "epitome"))
    db.execute(SAY, {"study": study_id, "comment": "long " * 100})
    whole = _streamed(db, study_id)
    monkeypatch.setattr(ratings_export, "TEXT_BYTES", 1_000)
    monkeypatch.setattr(cells, "BLOCK_BYTES", 1_000)
    assert _streamed(db, study_id) == whole


def test_answers_of_a_rater_who_arrived_during_the_download_are_left_out(
    db: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    study_id = load_study(db, read_folder(HERE / "epitome"))
    header, *before = _streamed(db, study_id)
    read = rating_arrays.rating_arrays

    def read_late(*given: object) -> Iterator[dict[str, Any]]:
        db.execute(ARRIVE, {"study": study_id})
        yield from read(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(ratings_export, "rating_arrays", read_late)
    assert _streamed(db, study_id) == [header, *before]
    monkeypatch.undo()
    assert len(_streamed(db, study_id)) == 2 + len(before)


def test_a_study_without_ratings_has_a_header(db: Connection) -> None:
    study_id = load_study(db, read_folder(HERE / "epitome"))
    db.execute(text("DELETE FROM ratings WHERE study_id = :study"), {"study": study_id})
    assert _streamed(db, study_id) == [["rater", "item", "response", "question", "value", "rater_kind", "is_simulated"]]


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


def test_a_page_reads_only_the_keys_to_which_its_answers_refer(db: Connection) -> None:
    study = read_folder(HERE / "ab-tie")
    study_id = load_study(db, study)
    found: list[int] = []
    event.listen(
        db, "after_cursor_execute", lambda *given: found.append(given[1].rowcount) if ".key" in given[2] else None
    )
    page = rating_page(db, study_id, study.protocol, 0, 1, {})
    assert len(page.rows) == 1
    assert sum(found) == 4  # a rater, an item and two responses


def test_columns_that_nothing_fills_are_not_written(db: Connection) -> None:
    """A slider has no words, and an excluded rater who has not answered excludes nothing."""
    study = read_folder(HERE / "epitome")
    study_id = load_study(db, study)
    header, *rows = _streamed(db, study_id)
    assert "value_label" in header
    assert "exclude" not in header
    assert {(row[header.index("rater_kind")], row[header.index("is_simulated")]) for row in rows} <= {
        ("person", "true"),
        ("person", "false"),
    }
    db.execute(text("UPDATE ratings SET number = number + 0.25, outcome = NULL, codes = NULL WHERE number IS NOT NULL"))
    db.execute(text("DELETE FROM ratings WHERE number IS NULL"))
    db.execute(text("INSERT INTO raters (study_id, key) VALUES (:study, 'nobody')"), {"study": study_id})
    db.execute(
        text(
            "INSERT INTO rater_exclusions (study_id, rater_id, is_excluded, reason) SELECT study_id, id, true, 'late'"
            " FROM raters WHERE key = 'nobody'"
        )
    )
    assert not {"value_label", "exclude"} & set(_streamed(db, study_id)[0])
    db.execute(EXCLUDE, {"study": study_id})
    assert "exclude" in _streamed(db, study_id)[0]
