"""Answers, their history, and events."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from alembic import op

from first_release.columns import (
    BIGINT,
    DOUBLE,
    INTEGER,
    SMALLINT,
    TEXT,
    TEXTS,
    TIME,
    UUID,
    json_object,
    now,
    optional,
    required,
    row_id,
    study_id,
)
from first_release.constraints import check, of_study, one_of, primary_key, reference, within_study
from first_release.indexes import create_key, index

if TYPE_CHECKING:
    from sqlalchemy import CheckConstraint, Column, ForeignKeyConstraint


CHOSEN_EXACTLY_IF_OUTCOME_IS_RESPONSE = "(outcome IS NOT DISTINCT FROM 'response') = (chosen_response_id IS NOT NULL)"
CHOSEN_WAS_SHOWN = (
    "chosen_response_id IS NULL OR left_response_id IS NULL"
    " OR chosen_response_id IN (left_response_id, right_response_id)"
)


def create_reported_problems() -> None:
    op.create_table(
        "reported_problems",
        study_id(),
        row_id(),
        required("rater_id", BIGINT),
        optional("assignment_id", BIGINT),
        optional("page", TEXT),
        required("text", TEXT),
        now("reported_at"),
        check("reported_problems", "trial_or_page", "(assignment_id IS NULL) <> (page IS NULL)"),
        of_study("reported_problems"),
        within_study("reported_problems", "rater_id", "raters", ondelete="CASCADE"),
        within_study("reported_problems", "assignment_id", "assignments", ondelete="CASCADE"),
        primary_key("reported_problems", "study_id", "id"),
    )
    index("reported_problems", "study_id", "rater_id")
    index("reported_problems", "assignment_id", "study_id")


def create_events() -> None:
    op.create_table(
        "events",
        study_id(),
        row_id(),
        optional("rater_id", BIGINT),
        optional("assignment_id", BIGINT),
        required("kind", TEXT),
        json_object("detail"),
        now("happened_at"),
        within_study("events", "rater_id", "raters", ondelete="CASCADE"),
        of_study("events"),
        primary_key("events", "study_id", "id"),
    )
    index("events", "study_id", "rater_id")


def create_ratings() -> None:
    op.create_table(
        "ratings",
        study_id(),
        row_id(),
        *_question_columns(),
        *_answer_columns(),
        *_context_columns(),
        now("stored_at"),
        *_rating_checks(),
        *_rating_references(),
    )
    _create_one_answer_index()
    create_key("ratings")
    index("ratings", "assignment_id", "study_id")


def _question_columns() -> list[Column[Any]]:
    """Who answers which question about what."""
    return [
        required("rater_id", BIGINT),
        optional("assignment_id", BIGINT),
        required("question", TEXT),
        optional("item_id", BIGINT),
        optional("response_id", BIGINT),
        optional("turn", INTEGER),
    ]


def _answer_columns() -> list[Column[Any]]:
    """The answer and its time; the same columns in `ratings` and `rating_history`."""
    return [
        optional("number", DOUBLE),
        optional("outcome", TEXT),
        optional("chosen_response_id", BIGINT),
        optional("strength", DOUBLE),
        optional("codes", TEXTS),
        optional("text", TEXT),
        optional("side", TEXT),
        optional("idempotency_key", UUID),
        optional("rated_at", TIME),
    ]


def _context_columns() -> list[Column[Any]]:
    """What was shown when and where, and how the answer was given."""
    return [
        optional("left_response_id", BIGINT),
        optional("right_response_id", BIGINT),
        optional("position", INTEGER),
        optional("condition", TEXT),
        optional("shown_label", TEXT),
        required("repeat", SMALLINT, server_default="0"),
        optional("served_at", TIME),
        optional("active_ms", BIGINT),
        optional("device", TEXT),
        optional("labels_shown", TEXT),
        optional("n_keystrokes", INTEGER),
        optional("n_pasted", INTEGER),
        optional("typing_ms", INTEGER),
        optional("probabilities", TEXT),
        optional("comment", TEXT),
        optional("exclude", TEXT),
        optional("page_ms", BIGINT),
    ]


def _rating_checks() -> list[CheckConstraint]:
    return [
        check("ratings", "chosen", CHOSEN_EXACTLY_IF_OUTCOME_IS_RESPONSE),
        one_of("ratings", "device", "phone", "tablet", "desktop"),
        one_of("ratings", "labels_shown", "all", "ends", "some", "none"),
        one_of("ratings", "outcome", "response", "tie", "neither", "cannot_judge"),
        one_of("ratings", "side", "left", "right"),
        check("ratings", "two_sides", "(left_response_id IS NULL) = (right_response_id IS NULL)"),
        check("ratings", "chosen_was_shown", CHOSEN_WAS_SHOWN),
        check("ratings", "one_answer", "num_nonnulls(number, outcome, codes, text) = 1"),
        check("ratings", "repeat", "repeat >= 0"),
        check("ratings", "response_has_item", "response_id IS NULL OR item_id IS NOT NULL"),
    ]


def _rating_references() -> list[ForeignKeyConstraint]:
    return [
        within_study("ratings", "assignment_id", "assignments", ondelete="CASCADE"),
        within_study("ratings", "chosen_response_id", "responses"),
        reference(
            "ratings",
            ["study_id", "item_id", "response_id"],
            ["responses.study_id", "responses.item_id", "responses.id"],
            name="fk_ratings_response_of_item",
        ),
        within_study("ratings", "item_id", "items"),
        within_study("ratings", "left_response_id", "responses"),
        within_study("ratings", "rater_id", "raters", ondelete="CASCADE"),
        within_study("ratings", "right_response_id", "responses"),
    ]


def _create_one_answer_index() -> None:
    """A rater answers a question about the same responses once, whichever side they are on."""
    op.create_index(
        "uq_ratings_one_answer",
        "ratings",
        [
            *("study_id", "rater_id", "item_id", "question", "response_id", "turn", "condition", "repeat"),
            sa.literal_column("least(left_response_id, right_response_id)"),
            sa.literal_column("greatest(left_response_id, right_response_id)"),
        ],
        unique=True,
        postgresql_nulls_not_distinct=True,
    )


def create_rating_history() -> None:
    op.create_table(
        "rating_history",
        study_id(),
        row_id(),
        required("rating_id", BIGINT),
        *_answer_columns(),
        now("replaced_at"),
        within_study("rating_history", "rating_id", "ratings", ondelete="CASCADE"),
        of_study("rating_history"),
        primary_key("rating_history", "study_id", "id"),
    )
    index("rating_history", "study_id", "rating_id")
