"""Allocation: trials, their seats, and assignments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from alembic import op

from first_release.columns import (
    BIGINT,
    BIGINTS,
    BOOLEAN,
    DOUBLE,
    INTEGER,
    SMALLINT,
    TEXT,
    TEXTS,
    TIME,
    UUID,
    flag,
    now,
    optional,
    required,
    row_id,
    study_id,
)
from first_release.constraints import check, of_lead, of_study, one_of, primary_key, reference, unique, within_study
from first_release.indexes import create_key, index, partial_index

if TYPE_CHECKING:
    from sqlalchemy import CheckConstraint, Column


def create_trials() -> None:
    op.create_table(
        "trials",
        study_id(),
        row_id(),
        required("item_id", BIGINT),
        required("response_ids", BIGINTS),
        required("condition", TEXT, server_default=""),
        required("shuffle", DOUBLE),
        required("purpose", TEXT, server_default="rating"),
        one_of("trials", "purpose", "rating", "practice", "gold"),
        within_study("trials", "item_id", "items", ondelete="CASCADE"),
        primary_key("trials", "study_id", "id"),
        unique("trials", "study_id", "item_id", "response_ids", "condition"),
    )


def create_seats() -> None:
    op.create_table(
        "seats",
        study_id(),
        required("trial_id", BIGINT),
        required("pool", TEXT, server_default=""),
        required("seat", SMALLINT),
        optional("rater_id", BIGINT),
        required("shuffle", DOUBLE),
        optional("assignment_id", BIGINT),
        check("seats", "seat", "seat >= 1"),
        within_study("seats", "rater_id", "raters", ondelete="CASCADE"),
        within_study("seats", "trial_id", "trials", ondelete="CASCADE"),
        primary_key("seats", "study_id", "trial_id", "pool", "seat"),
    )
    partial_index("ix_seats_free", "seats", ["study_id", "pool", "seat", "shuffle"], where="assignment_id IS NULL")
    partial_index("ix_seats_named", "seats", ["study_id", "rater_id"], where="rater_id IS NOT NULL")
    partial_index(
        "uq_seats_assignment", "seats", ["study_id", "assignment_id"], where="assignment_id IS NOT NULL", unique=True
    )


def add_assignments_of_seats() -> None:
    """Seats and assignments refer to each other: this key is added when both exist."""
    op.create_foreign_key(
        op.f("fk_seats_study_id_assignment_id"),
        "seats",
        "assignments",
        ["study_id", "assignment_id"],
        ["study_id", "id"],
        deferrable=True,
        initially="DEFERRED",
    )


def create_assignments() -> None:
    op.create_table(
        "assignments",
        study_id(),
        row_id(),
        *_shown_columns(),
        *_progress_columns(),
        *_assignment_checks(),
        within_study("assignments", "move_id", "session_moves"),
        reference(
            "assignments",
            ["study_id", "rater_id", "rating_session_id"],
            ["rating_sessions.study_id", "rating_sessions.rater_id", "rating_sessions.id"],
            name="fk_assignments_session_of_rater",
            ondelete="CASCADE",
        ),
        within_study("assignments", "trial_id", "trials"),
        unique("assignments", "token"),
        postgresql_with={"fillfactor": 80},
    )
    once = ["study_id", "rater_id", "trial_id", "repeat"]
    partial_index("uq_assignments_once", "assignments", once, where="NOT is_returned", unique=True)
    create_key("assignments")
    op.create_unique_constraint(
        op.f("uq_assignments_rating_session_id_position_study_id"),
        "assignments",
        ["rating_session_id", "position", "study_id"],
    )


def _shown_columns() -> list[Column[Any]]:
    """Who rates which trial, and how it is shown."""
    return [
        required("token", UUID, server_default=sa.text("gen_random_uuid()")),
        required("trial_id", BIGINT),
        required("rater_id", BIGINT),
        required("rating_session_id", BIGINT),
        required("position", INTEGER),
        required("response_ids", BIGINTS),
        optional("shown_labels", TEXTS),
        required("repeat", SMALLINT, server_default="0"),
    ]


def _progress_columns() -> list[Column[Any]]:
    """How far the rater is, and when they did what."""
    return [
        required("state", TEXT, server_default="planned"),
        required("is_returned", BOOLEAN, sa.Computed("state = 'returned'", persisted=True)),
        required("n_turns_done", INTEGER, server_default="0"),
        now("planned_at"),
        optional("served_at", TIME),
        optional("first_action_at", TIME),
        optional("submitted_at", TIME),
        optional("active_ms", BIGINT),
        optional("hidden_ms", BIGINT),
        optional("skip_reason", TEXT),
        optional("page_ms", BIGINT),
        optional("revisit_served_at", TIME),
        optional("revisited_at", TIME),
        optional("move_id", BIGINT),
        optional("moved_at", TIME),
    ]


def _assignment_checks() -> list[CheckConstraint]:
    return [
        check("assignments", "submitted_at", "(state = 'done') <= (submitted_at IS NOT NULL)"),
        one_of("assignments", "state", "planned", "leased", "done", "skipped", "returned"),
        check("assignments", "served_at", "state IN ('planned', 'returned') OR served_at IS NOT NULL"),
        check("assignments", "moved_at", "(move_id IS NULL) = (moved_at IS NULL)"),
    ]


def create_dyads() -> None:
    op.create_table(
        "dyads",
        study_id(),
        row_id(),
        required("trial_id", BIGINT),
        now("paired_at"),
        optional("ended_at", TIME),
        optional("ended_by", TEXT),
        optional("ended_role", TEXT),
        optional("response_id", BIGINT),
        check("dyads", "ended_by", "(ended_at IS NULL) = (ended_by IS NULL)"),
        within_study("dyads", "trial_id", "trials", ondelete="CASCADE"),
        within_study("dyads", "response_id", "responses", ondelete="CASCADE"),
        of_study("dyads"),
        primary_key("dyads", "study_id", "id"),
    )


def create_dyad_members() -> None:
    op.create_table(
        "dyad_members",
        study_id(),
        required("assignment_id", BIGINT),
        required("rater_id", BIGINT),
        optional("dyad_id", BIGINT),
        optional("role", TEXT),
        now("waits_since"),
        now("seen_at"),
        flag("is_live"),
        optional("typed_at", TIME),
        optional("alone_at", TIME),
        check("dyad_members", "role", "(dyad_id IS NULL) = (role IS NULL)"),
        check("dyad_members", "alone_at", "dyad_id IS NULL OR alone_at IS NULL"),
        within_study("dyad_members", "assignment_id", "assignments", ondelete="CASCADE"),
        within_study("dyad_members", "rater_id", "raters", ondelete="CASCADE"),
        within_study("dyad_members", "dyad_id", "dyads", ondelete="CASCADE"),
        of_study("dyad_members"),
        primary_key("dyad_members", "study_id", "assignment_id"),
        unique("dyad_members", "study_id", "dyad_id", "role"),
        unique("dyad_members", "study_id", "dyad_id", "rater_id"),
    )
    partial_index(
        "ix_dyad_members_waiting",
        "dyad_members",
        ["study_id", "waits_since"],
        where="dyad_id IS NULL AND alone_at IS NULL",
    )


def create_conversation_turns() -> None:
    op.create_table(
        "conversation_turns",
        study_id(),
        row_id(),
        required("assignment_id", BIGINT),
        required("number", SMALLINT),
        required("speaker", TEXT),
        required("state", TEXT),
        optional("text", TEXT),
        required("flags", TEXTS, server_default="{}"),
        now("asked_at"),
        optional("said_at", TIME),
        optional("claimed_until", TIME),
        required("n_tries", INTEGER, server_default="0"),
        optional("tokens_reserved", INTEGER),
        optional("tokens_in", INTEGER),
        optional("tokens_out", INTEGER),
        optional("cost", DOUBLE),
        optional("latency_ms", INTEGER),
        optional("model_version", TEXT),
        optional("finish_reason", TEXT),
        optional("problem", TEXT),
        optional("thoughts", TEXT),
        optional("decision", TEXT),
        required("revision", INTEGER, server_default="0"),
        optional("dyad_id", BIGINT),
        one_of("conversation_turns", "speaker", "rater", "partner"),
        one_of("conversation_turns", "state", "said", "awaited", "withheld", "failed"),
        one_of("conversation_turns", "decision", "taken", "ignored", "taken_back"),
        check("conversation_turns", "text", "(state = 'said') = (text IS NOT NULL)"),
        check("conversation_turns", "said_at", "(state = 'said') = (said_at IS NOT NULL)"),
        within_study("conversation_turns", "assignment_id", "assignments", ondelete="CASCADE"),
        within_study("conversation_turns", "dyad_id", "dyads", ondelete="CASCADE"),
        of_study("conversation_turns"),
        primary_key("conversation_turns", "study_id", "id"),
        unique("conversation_turns", "study_id", "assignment_id", "number"),
        unique("conversation_turns", "study_id", "dyad_id", "number"),
    )
    partial_index(
        "ix_conversation_turns_tokens",
        "conversation_turns",
        ["study_id"],
        where="speaker = 'partner'",
        include=["tokens_reserved", "tokens_in", "tokens_out"],
    )


def create_text_reviews() -> None:
    op.create_table(
        "text_reviews",
        study_id(),
        required("response_id", BIGINT),
        required("is_shown", BOOLEAN),
        required("texts", TEXTS),
        optional("lead_id", BIGINT),
        now("reviewed_at"),
        of_lead("text_reviews", ondelete="SET NULL"),
        within_study("text_reviews", "response_id", "responses", ondelete="CASCADE"),
        of_study("text_reviews"),
        primary_key("text_reviews", "study_id", "response_id"),
    )


def create_reused_texts() -> None:
    op.create_table(
        "reused_texts",
        study_id(),
        required("response_id", BIGINT),
        required("origin_study_id", BIGINT),
        required("origin_id", BIGINT),
        reference(
            "reused_texts",
            ["origin_study_id", "origin_id"],
            ["responses.study_id", "responses.id"],
            ondelete="CASCADE",
        ),
        within_study("reused_texts", "response_id", "responses", ondelete="CASCADE"),
        of_study("reused_texts"),
        primary_key("reused_texts", "study_id", "response_id"),
    )
    index("reused_texts", "origin_study_id", "origin_id")
