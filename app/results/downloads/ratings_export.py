"""ratings.csv, and its rows a page at a time: the stored answers, with keys and labels in place of IDs.

The database sends arrays of numbers, and each key or label is encoded once, not once for every answer.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from sqlalchemy import Connection, TextClause, text

from app.analysis.data.rating_cells import Dictionaries, Keys, Piece, answer_labels, question_waves, rating_cells
from app.base.database.engine import Begin
from app.base.files.distinct_cells import csv_header, csv_rows, encoded
from app.base.files.temporary_file import temporary_file
from app.protocol.rating_columns import ALWAYS_WRITTEN, COLUMNS, RATER_EXCLUDED, RatingColumn, Table
from app.protocol.study import Protocol
from app.results.blinding import readable
from app.results.data.row_pages import RowPage, rating_ids
from app.studies.data.rating_arrays import EPOCH, filled_columns, rating_arrays, stored_columns
from app.studies.studies import StudyRow, list_excluded

_ANSWERED = text("SELECT EXISTS (SELECT FROM ratings WHERE study_id = :study AND rater_id = ANY(:raters))")
# Whether any answer has a label to write. An answer with several codes is labelled only if each code has one.
_WORDED = text("""
    WITH labels AS (
      SELECT * FROM unnest(CAST(:questions AS text[]), CAST(:values AS text[])) AS l (question, value)
    )
    SELECT EXISTS (SELECT FROM ratings WHERE study_id = :study AND (chosen_response_id IS NOT NULL)) OR EXISTS (
      SELECT FROM ratings r WHERE r.study_id = :study
        AND (coalesce(r.outcome, CAST(trim_scale(CAST(r.number AS numeric)) AS text)) IN (
               SELECT value FROM labels l WHERE l.question = r.question)
             OR (cardinality(r.codes) > 0 AND r.codes <@ ARRAY(
               SELECT value FROM labels l WHERE l.question = r.question))))
""")
# The keys of a table; of all its rows, or of those with some IDs.
_KEYS: dict[Table, TextClause] = {
    "raters": text("""
        SELECT r.id, r.key, r.kind, r.is_simulated FROM raters r
        WHERE r.study_id = :study AND (CAST(:ids AS bigint[]) IS NULL OR r.id = ANY(:ids)) ORDER BY r.id
    """),
    "items": text("""
        SELECT i.id, i.key FROM items i
        WHERE i.study_id = :study AND (CAST(:ids AS bigint[]) IS NULL OR i.id = ANY(:ids)) ORDER BY i.id
    """),
    "responses": text("""
        SELECT r.id, r.key, s.key AS source FROM responses r
        JOIN sources s ON s.study_id = r.study_id AND s.id = r.source_id
        WHERE r.study_id = :study AND (CAST(:ids AS bigint[]) IS NULL OR r.id = ANY(:ids)) ORDER BY r.id
    """),
}
# At most this many bytes for a column of texts.
TEXT_BYTES = 2**22
# The stored columns from which others follow.
_FOLLOWS_FROM = {
    "source": {"response", "chosen"},
    "value_number": {"number"},
    "value_label": {"number", "outcome", "codes"},
}


def ratings_file(begin: Begin, study: StudyRow) -> Path:
    """ratings.csv in a temporary file, to be deleted by the caller.

    Raises:
        BlindedError: the answers are hidden until the study closes.
    """
    protocol = readable(begin, study)
    with begin() as db:
        return temporary_file(lambda file: copy_ratings_csv(db, study.id, protocol, file))


def copy_ratings_csv(db: Connection, study_id: int, protocol: Protocol, file: BinaryIO) -> None:
    """Write every answer as a row of ratings.csv, in the order in which the answers were stored.

    Args:
        db: the transaction.
        study_id: the study.
        protocol: the labels of answers and sources.
        file: takes the text as UTF-8.
    """
    filled = filled_columns(db, study_id)
    shown = _written(filled | ({"wave"} if protocol.waves else set()))
    names = [name for name in shown if name != "value_label" or _has_words(db, study_id, protocol)]
    if "exclude" not in names and _has_excluded(db, study_id):
        names = [column.name for column in COLUMNS if column.name in {*names, "exclude"}]
    file.write(csv_header(names))
    columns = stored_columns(db, study_id, filled)
    known = _dictionaries(db, study_id, protocol)
    for piece in rating_arrays(db, study_id, columns):
        for part in _parts(piece):
            cells = rating_cells(columns, part, known)
            file.writelines(csv_rows([cells[name] for name in names]))


def rating_page(
    db: Connection, study_id: int, protocol: Protocol, after: int, n: int, filters: Mapping[str, object]
) -> RowPage:
    """At most `n` answers above `after` that pass the filters, as rows of ratings.csv; None for an empty cell.

    Raises:
        NoSuchKeyError: a filter asks for what the study does not have.
    """
    ids = rating_ids(db, study_id, after, n, filters)
    if not ids:
        return RowPage([], None)
    names = [column.name for column in COLUMNS if column.in_file]
    columns = stored_columns(db, study_id)
    pieces = [*rating_arrays(db, study_id, columns, ids[:n])]
    known = _dictionaries(db, study_id, protocol, _referred(columns, pieces))
    rows: list[dict[str, Any]] = []
    for piece in pieces:
        cells = rating_cells(columns, piece, known)
        texts = zip(*(cells[name].texts() for name in names), strict=True)
        rows += [dict(zip(names, row, strict=True)) for row in texts]
    return RowPage(rows, ids[n - 1] if len(ids) > n else None)


def _has_excluded(db: Connection, study_id: int) -> bool:
    """Whether a rater whom a lead has excluded has answered."""
    raters = list(list_excluded(db, study_id))
    return bool(raters and db.execute(_ANSWERED, {"study": study_id, "raters": raters}).scalar_one())


def _has_words(db: Connection, study_id: int, protocol: Protocol) -> bool:
    """Whether some answer has words: a labelled point or code, or an outcome or source chosen."""
    labels = [*answer_labels(protocol)]
    values = {"study": study_id, "questions": [key for key, _ in labels], "values": [value for _, value in labels]}
    return bool(db.execute(_WORDED, values).scalar_one())


def _written(filled: set[str]) -> list[str]:
    """The columns of the file, if these columns are filled."""
    filled = {*ALWAYS_WRITTEN} | filled | {name for name, stored in _FOLLOWS_FROM.items() if stored & filled}
    return [column.name for column in COLUMNS if column.in_file and column.name in filled]


def _referred(columns: Sequence[RatingColumn], pieces: Sequence[Piece]) -> dict[Table, list[int]]:
    """The IDs to which these answers refer, by table."""
    found: dict[Table, set[int]] = {table: set() for table in _KEYS}
    for column in columns:
        if column.of:
            found[column.of].update(*(piece[column.name].tolist() for piece in pieces))
    return {table: [*ids] for table, ids in found.items()}


def _parts(piece: Piece) -> Iterator[Piece]:
    """The rows of a piece, fewer at a time if it has long texts: each takes as much memory as the longest."""
    n_rows = len(piece["rater"])
    longest = max(
        (len(cell) for cells in piece.values() if isinstance(cells, list) for cell in cells if cell), default=0
    )
    step = min(n_rows, TEXT_BYTES // max(1, longest) or 1)
    for start in range(0, n_rows, step):
        yield {name: cells[start : start + step] for name, cells in piece.items()}


def _dictionaries(
    db: Connection, study_id: int, protocol: Protocol, ids: Mapping[Table, list[int]] | None = None
) -> Dictionaries:
    """The keys and labels of the whole study, or of the rows with these IDs."""
    rows = {
        table: db.execute(query, {"study": study_id, "ids": ids[table] if ids else None}).all()
        for table, query in _KEYS.items()
    }
    excluded, labels = list_excluded(db, study_id), protocol.labels
    reasons = (excluded.get(rater.id) for rater in rows["raters"])
    sources = [response.source for response in rows["responses"]]
    return Dictionaries(
        keys={name: Keys.of([(row.id, row.key) for row in found]) for name, found in rows.items()},
        sources=encoded(["", *sources]),
        source_labels=encoded(["", *(labels.source(source) for source in sources)]),
        rater_kinds=encoded(["", *(rater.kind for rater in rows["raters"])]),
        simulated=encoded(["", *(str(rater.is_simulated).lower() for rater in rows["raters"])]),
        exclusions=encoded(["", *(f"{RATER_EXCLUDED}{reason}" if reason is not None else "" for reason in reasons)]),
        labels=answer_labels(protocol),
        epoch=EPOCH,
        waves=question_waves(protocol),
    )
