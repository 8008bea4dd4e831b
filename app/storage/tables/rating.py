"""Answers, their history, and events."""

from __future__ import annotations

from sqlalchemy import (
    ARRAY,
    BigInteger,
    CheckConstraint,
    Column,
    DateTime,
    Double,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    PrimaryKeyConstraint,
    SmallInteger,
    Table,
    Text,
    Uuid,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB

from app.design.questions.question import DEVICES, SIDES
from app.storage.tables.base import metadata, one_of, row_id, study_key, time, within_study


def _answer_columns() -> list[Column[object]]:
    """The columns for an answer and its time; the same in `ratings` and `rating_history`."""
    return [
        Column("number", Double),
        Column("outcome", Text),
        Column("chosen_response_id", BigInteger),
        Column("strength", Double),
        Column("codes", ARRAY(Text)),
        Column("text", Text),
        Column("side", Text),
        Column("idempotency_key", Uuid),
        Column("rated_at", DateTime(timezone=True)),
    ]


# Ratings reference the study through their rater: another foreign key would lock the row of the study for each answer.
# For the same reason, triggers ensure that their question exists, and stays (`rated_questions` in the migration).
ratings = Table(
    "ratings",
    metadata,
    Column("study_id", BigInteger, nullable=False),
    row_id(),
    Column("rater_id", BigInteger, nullable=False),
    Column("assignment_id", BigInteger),
    Column("question", Text, nullable=False),
    Column("item_id", BigInteger),
    Column("response_id", BigInteger),
    Column("turn", Integer),
    *_answer_columns(),
    Column("left_response_id", BigInteger),
    Column("right_response_id", BigInteger),
    Column("position", Integer),
    Column("condition", Text),
    Column("shown_label", Text),
    Column("repeat", SmallInteger, nullable=False, server_default="0"),
    Column("served_at", DateTime(timezone=True)),
    Column("active_ms", BigInteger),
    Column("device", Text),
    Column("n_keystrokes", Integer),
    Column("n_pasted", Integer),
    Column("typing_ms", Integer),
    Column("probabilities", Text),
    Column("comment", Text),
    Column("exclude", Text),
    Column("page_ms", BigInteger),
    time("stored_at", now=True),
    PrimaryKeyConstraint("study_id", "id"),
    within_study("rater_id", "raters", ondelete="CASCADE"),
    within_study("assignment_id", "assignments", ondelete="CASCADE"),
    within_study("item_id", "items"),
    within_study("chosen_response_id", "responses"),
    within_study("left_response_id", "responses"),
    within_study("right_response_id", "responses"),
    ForeignKeyConstraint(
        ["study_id", "item_id", "response_id"],
        ["responses.study_id", "responses.item_id", "responses.id"],
        name="fk_ratings_response_of_item",
    ),
    CheckConstraint("num_nonnulls(number, outcome, codes, text) = 1", name="one_answer"),
    CheckConstraint("outcome IN ('response', 'tie', 'neither', 'cannot_judge')", name="outcome"),
    CheckConstraint("(outcome IS NOT DISTINCT FROM 'response') = (chosen_response_id IS NOT NULL)", name="chosen"),
    CheckConstraint(
        "chosen_response_id IS NULL OR left_response_id IS NULL"
        " OR chosen_response_id IN (left_response_id, right_response_id)",
        name="chosen_was_shown",
    ),
    CheckConstraint("(left_response_id IS NULL) = (right_response_id IS NULL)", name="two_sides"),
    one_of("side", SIDES),
    one_of("device", DEVICES),
    CheckConstraint("repeat >= 0", name="repeat"),
    CheckConstraint("response_id IS NULL OR item_id IS NOT NULL", name="response_has_item"),
    Index(
        "uq_ratings_one_answer",
        "study_id",
        "rater_id",
        "item_id",
        "question",
        "response_id",
        "turn",
        "condition",
        "repeat",
        text("least(left_response_id, right_response_id)"),
        text("greatest(left_response_id, right_response_id)"),
        unique=True,
        postgresql_nulls_not_distinct=True,
    ),
    Index(None, "assignment_id", "study_id"),
)

# Filled by a trigger on `ratings`: the earlier value of an answer that is changed or cleared, with both times.
rating_history = Table(
    "rating_history",
    metadata,
    study_key(),
    row_id(),
    Column("rating_id", BigInteger, nullable=False),
    *_answer_columns(),
    time("replaced_at", now=True),
    PrimaryKeyConstraint("study_id", "id"),
    within_study("rating_id", "ratings", ondelete="CASCADE"),
    Index(None, "study_id", "rating_id"),
)

events = Table(
    "events",
    metadata,
    study_key(),
    row_id(),
    Column("rater_id", BigInteger),
    Column("assignment_id", BigInteger),
    Column("kind", Text, nullable=False),
    Column("detail", JSONB, nullable=False, server_default=text("'{}'")),
    time("happened_at", now=True),
    PrimaryKeyConstraint("study_id", "id"),
    within_study("rater_id", "raters", ondelete="CASCADE"),
    Index(None, "study_id", "rater_id"),
)

# Chart files are slow to create and depend only on their data: cached under the hash of the specification.
chart_files = Table(
    "chart_files",
    metadata,
    Column("sha256", Text, nullable=False),
    Column("format", Text, nullable=False),
    Column("content", LargeBinary, nullable=False),
    time("created_at", now=True),
    PrimaryKeyConstraint("sha256", "format"),
    CheckConstraint("format IN ('svg', 'png', 'pdf')", name="format"),
)
