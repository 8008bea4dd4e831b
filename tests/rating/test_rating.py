"""The table of ratings and its SQL agree with the single declaration of the columns."""

import pytest
from sqlalchemy import ARRAY, BigInteger, DateTime, Double, Integer, Text

from app.protocol.rating_columns import FRAME_COLUMNS, GIVEN_COLUMNS, RatingColumn
from app.rating.answers.ratings import OF_ANSWER
from app.rating.tables import ratings

TYPES = {
    "id": BigInteger,
    "name": Text,
    "text": Text,
    "codes": ARRAY,
    "whole": Integer,
    "count": Integer,
    "number": Double,
    "time": DateTime,
}
# Columns of the table other than the declared ones.
OWN = {"study_id", "id", "assignment_id", "idempotency_key", "page_ms", "stored_at"}


def test_table_has_declared_columns() -> None:
    assert {column.name for column in ratings.columns} == {column.stored_as for column in FRAME_COLUMNS} | OWN


@pytest.mark.parametrize("column", FRAME_COLUMNS, ids=lambda column: column.name)
def test_table_column_has_declared_type(column: RatingColumn) -> None:
    assert isinstance(ratings.columns[column.stored_as].type, TYPES[column.type])


def test_every_answer_column_is_filled() -> None:
    given = {column.stored_as for column in GIVEN_COLUMNS}
    assert {*OF_ANSWER, "question", "response_id", "turn", "shown_label", "labels_shown"} == given
