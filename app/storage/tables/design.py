"""Allocation: trials, their seats, and assignments."""

from __future__ import annotations

from sqlalchemy import (
    ARRAY,
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Computed,
    Double,
    ForeignKeyConstraint,
    Index,
    Integer,
    PrimaryKeyConstraint,
    SmallInteger,
    Table,
    Text,
    UniqueConstraint,
    Uuid,
    func,
    text,
)

from app.storage.tables.base import metadata, row_id, time, within_study

# Trials reference the study through their item, and seats through their trial; another foreign key would cost time.
trials = Table(
    "trials",
    metadata,
    Column("study_id", BigInteger, nullable=False),
    row_id(),
    Column("item_id", BigInteger, nullable=False),
    Column("response_ids", ARRAY(BigInteger), nullable=False),
    Column("condition", Text, nullable=False, server_default=""),
    Column("shuffle", Double, nullable=False),
    Column("purpose", Text, nullable=False, server_default="rating"),
    PrimaryKeyConstraint("study_id", "id"),
    UniqueConstraint("study_id", "item_id", "response_ids", "condition"),
    within_study("item_id", "items", ondelete="CASCADE"),
    CheckConstraint("purpose IN ('rating', 'practice', 'gold')", name="purpose"),
)

# One row per seat: a trial to be rated by k raters of a pool has k seats for them. A free seat has no assignment;
# taking it is one locked update, so that no trial can have more raters than seats.
seats = Table(
    "seats",
    metadata,
    Column("study_id", BigInteger, nullable=False),
    Column("trial_id", BigInteger, nullable=False),
    Column("pool", Text, nullable=False, server_default=""),
    Column("seat", SmallInteger, nullable=False),
    Column("rater_id", BigInteger),
    Column("shuffle", Double, nullable=False),
    Column("assignment_id", BigInteger),
    PrimaryKeyConstraint("study_id", "trial_id", "pool", "seat"),
    within_study("trial_id", "trials", ondelete="CASCADE"),
    within_study("rater_id", "raters", ondelete="CASCADE"),
    ForeignKeyConstraint(
        ["study_id", "assignment_id"],
        ["assignments.study_id", "assignments.id"],
        use_alter=True,
        deferrable=True,
        initially="DEFERRED",
        name="fk_seats_study_id_assignment_id",
    ),
    CheckConstraint("seat >= 1", name="seat"),
    Index("ix_seats_free", "study_id", "pool", "seat", "shuffle", postgresql_where=text("assignment_id IS NULL")),
    Index(
        "uq_seats_assignment",
        "study_id",
        "assignment_id",
        unique=True,
        postgresql_where=text("assignment_id IS NOT NULL"),
    ),
    Index("ix_seats_named", "study_id", "rater_id", postgresql_where=text("rater_id IS NOT NULL")),
)

# They reference the study through their trial, as seats do, and their rater through the rating session: one check less
# for each of the fifty assignments of a claim.
#
# Their state changes twice per trial. No index depends on it, so that PostgreSQL updates the row within its page and
# leaves the indexes alone; a fifth of each page is kept free for that. The index of a rater's trials depends on
# `is_returned`, which only changes when a seat is released or retaken.
assignments = Table(
    "assignments",
    metadata,
    Column("study_id", BigInteger, nullable=False),
    row_id(),
    Column("token", Uuid, nullable=False, unique=True, server_default=func.gen_random_uuid()),
    Column("trial_id", BigInteger, nullable=False),
    Column("rater_id", BigInteger, nullable=False),
    Column("rating_session_id", BigInteger, nullable=False),
    Column("position", Integer, nullable=False),
    Column("response_ids", ARRAY(BigInteger), nullable=False),
    Column("shown_labels", ARRAY(Text)),
    Column("repeat", SmallInteger, nullable=False, server_default="0"),
    Column("state", Text, nullable=False, server_default="planned"),
    Column("is_returned", Boolean, Computed("state = 'returned'", persisted=True), nullable=False),
    Column("n_turns_done", Integer, nullable=False, server_default="0"),
    time("planned_at", now=True),
    time("served_at"),
    time("first_action_at"),
    time("submitted_at"),
    Column("active_ms", BigInteger),
    Column("hidden_ms", BigInteger),
    Column("skip_reason", Text),
    Column("page_ms", BigInteger),
    time("revisit_served_at"),
    time("revisited_at"),
    Column("move_id", BigInteger),
    time("moved_at"),
    PrimaryKeyConstraint("study_id", "id"),
    UniqueConstraint("rating_session_id", "position", "study_id"),
    within_study("trial_id", "trials"),
    ForeignKeyConstraint(
        ["study_id", "rater_id", "rating_session_id"],
        ["rating_sessions.study_id", "rating_sessions.rater_id", "rating_sessions.id"],
        ondelete="CASCADE",
        name="fk_assignments_session_of_rater",
    ),
    within_study("move_id", "session_moves"),
    CheckConstraint("(move_id IS NULL) = (moved_at IS NULL)", name="moved_at"),
    CheckConstraint("state IN ('planned', 'leased', 'done', 'skipped', 'returned')", name="state"),
    CheckConstraint("(state = 'done') <= (submitted_at IS NOT NULL)", name="submitted_at"),
    CheckConstraint("state IN ('planned', 'returned') OR served_at IS NOT NULL", name="served_at"),
    Index(
        "uq_assignments_once",
        "study_id",
        "rater_id",
        "trial_id",
        "repeat",
        unique=True,
        postgresql_where=text("NOT is_returned"),
    ),
    postgresql_with={"fillfactor": 80},
)
