"""Raters and their rating sessions."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    DateTime,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    PrimaryKeyConstraint,
    Table,
    Text,
    UniqueConstraint,
    Uuid,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB

from app.storage.tables.base import attributes, metadata, row_id, study_key, time, within_study

raters = Table(
    "raters",
    metadata,
    study_key(),
    row_id(),
    Column("key", Text, nullable=False),
    Column("kind", Text, nullable=False, server_default="person"),
    Column("pool", Text),
    Column("is_simulated", Boolean, nullable=False, server_default=text("false")),
    Column("is_imported", Boolean, nullable=False, server_default=text("false")),
    attributes(),
    time("created_at", now=True),
    PrimaryKeyConstraint("study_id", "id"),
    UniqueConstraint("study_id", "key"),
    CheckConstraint("kind IN ('person', 'model')", name="kind"),
)

# Whether a rater's answers are included. Each decision is a row; the last one applies.
rater_exclusions = Table(
    "rater_exclusions",
    metadata,
    study_key(),
    row_id(),
    Column("rater_id", BigInteger, nullable=False),
    Column("is_excluded", Boolean, nullable=False),
    Column("reason", Text, nullable=False),
    Column("lead_id", BigInteger, ForeignKey("leads.id", ondelete="SET NULL")),
    time("decided_at", now=True),
    PrimaryKeyConstraint("study_id", "id"),
    within_study("rater_id", "raters", ondelete="CASCADE"),
    Index(None, "study_id", "rater_id"),
)

# The only table that contains a platform's participant IDs; everywhere else, raters have a keyed pseudonym.
platform_ids = Table(
    "platform_ids",
    metadata,
    study_key(),
    Column("rater_id", BigInteger, nullable=False),
    Column("platform", Text, nullable=False),
    Column("platform_id", Text, nullable=False),
    Column("parameters", JSONB, nullable=False, server_default=text("'{}'")),
    time("arrived_at", now=True),
    PrimaryKeyConstraint("study_id", "platform", "platform_id"),
    within_study("rater_id", "raters", ondelete="CASCADE"),
)

invites = Table(
    "invites",
    metadata,
    study_key(),
    Column("token_hash", LargeBinary, nullable=False),
    Column("rater_id", BigInteger),
    time("created_at", now=True),
    time("revoked_at"),
    PrimaryKeyConstraint("study_id", "token_hash"),
    UniqueConstraint("token_hash"),
    within_study("rater_id", "raters", ondelete="CASCADE"),
)

rating_sessions = Table(
    "rating_sessions",
    metadata,
    study_key(),
    row_id(),
    Column("rater_id", BigInteger, nullable=False),
    Column("token_hash", LargeBinary, nullable=False, unique=True),
    Column("protocol_version", Integer, nullable=False),
    Column("condition", Text),
    Column("number_in_condition", Integer),
    Column("state", Text, nullable=False, server_default="arrived"),
    Column("keys_off", Boolean, nullable=False, server_default=text("false")),
    time("arrived_at", now=True),
    time("begun_at"),
    time("last_seen_at", now=True),
    Column("lease_minutes", Integer, nullable=False, server_default="60"),
    Column("lease_expires_at", DateTime(timezone=True), nullable=False),
    time("paused_at"),
    time("finished_at"),
    PrimaryKeyConstraint("study_id", "id"),
    within_study("rater_id", "raters", ondelete="CASCADE"),
    ForeignKeyConstraint(["study_id", "protocol_version"], ["protocols.study_id", "protocols.version"]),
    CheckConstraint(
        "state IN ('arrived', 'active', 'finished', 'expired', 'full', 'screened_out', 'failed_checks', 'withdrawn')",
        name="state",
    ),
    CheckConstraint("(state = 'finished') = (finished_at IS NOT NULL)", name="finished_at"),
    # Assignments reference a rating session together with its rater.
    UniqueConstraint("study_id", "rater_id", "id", name="uq_rating_sessions_study_id_rater_id_id"),
)

# One row per rater of a condition, in a balanced order: created when a study opens, and extended when all are taken.
# A free seat has no rating session; arriving raters take the first free one.
condition_seats = Table(
    "condition_seats",
    metadata,
    study_key(),
    Column("pool", Text, nullable=False),
    Column("number", Integer, nullable=False),
    Column("condition", Text, nullable=False),
    Column("number_in_condition", Integer, nullable=False),
    Column("rating_session_id", BigInteger),
    PrimaryKeyConstraint("study_id", "pool", "number"),
    within_study("rating_session_id", "rating_sessions"),
    Index("ix_condition_seats_free", "study_id", "pool", "number", postgresql_where=text("rating_session_id IS NULL")),
    Index(
        "uq_condition_seats_rating_session",
        "study_id",
        "rating_session_id",
        unique=True,
        postgresql_where=text("rating_session_id IS NOT NULL"),
    ),
)

# One row per rater that a limit allows: in total (attribute and value empty), or with a value of an attribute. Created
# when a study opens, and extended when all are taken.
admission_seats = Table(
    "admission_seats",
    metadata,
    study_key(),
    Column("attribute", Text, nullable=False),
    Column("value", Text, nullable=False),
    Column("number", Integer, nullable=False),
    Column("rating_session_id", BigInteger),
    PrimaryKeyConstraint("study_id", "attribute", "value", "number"),
    within_study("rating_session_id", "rating_sessions"),
    Index(
        "ix_admission_seats_free",
        "study_id",
        "attribute",
        "value",
        "number",
        postgresql_where=text("rating_session_id IS NULL"),
    ),
    Index(
        "uq_admission_seats_rating_session",
        "study_id",
        "rating_session_id",
        "attribute",
        unique=True,
        postgresql_where=text("rating_session_id IS NOT NULL"),
    ),
)

# One row per browser that has the ID but not the first browser's cookie: it continues, but cannot see earlier answers.
session_moves = Table(
    "session_moves",
    metadata,
    study_key(),
    row_id(),
    Column("rating_session_id", BigInteger, nullable=False),
    Column("token_hash", LargeBinary, nullable=False),
    Column("parameters", JSONB, nullable=False, server_default=text("'{}'")),
    time("moved_at", now=True),
    PrimaryKeyConstraint("study_id", "id"),
    UniqueConstraint("token_hash"),
    within_study("rating_session_id", "rating_sessions", ondelete="CASCADE"),
    Index(None, "study_id", "rating_session_id"),
)

# All that is kept about raters whose answers were deleted; without the hash they could come back as new raters.
withdrawals = Table(
    "withdrawals",
    metadata,
    study_key(),
    Column("token_hash", LargeBinary, nullable=False),
    Column("receipt", Text, nullable=False),
    Column("protocol_version", Integer, nullable=False),
    Column("platform", Text),
    Column("outcome", Text, nullable=False),
    time("withdrew_at", now=True),
    time("deleted_at"),
    PrimaryKeyConstraint("study_id", "token_hash"),
    UniqueConstraint("study_id", "receipt"),
    ForeignKeyConstraint(["study_id", "protocol_version"], ["protocols.study_id", "protocols.version"]),
    CheckConstraint("outcome IN ('completed', 'screened_out', 'failed_checks', 'full', 'withdrew')", name="outcome"),
)

# A message of a lead to a rater, who reads it before the next page. A message to several raters has a row for each.
rater_messages = Table(
    "rater_messages",
    metadata,
    study_key(),
    row_id(),
    Column("rater_id", BigInteger, nullable=False),
    Column("batch", Uuid, nullable=False),
    Column("text", Text, nullable=False),
    Column("lead_id", BigInteger, ForeignKey("leads.id", ondelete="SET NULL")),
    time("sent_at", now=True),
    time("read_at"),
    PrimaryKeyConstraint("study_id", "id"),
    within_study("rater_id", "raters", ondelete="CASCADE"),
    Index("ix_rater_messages_unread", "study_id", "rater_id", postgresql_where=text("read_at IS NULL")),
    Index(None, "study_id", "batch"),
)

# One row per completed step of a rater: consent, a page of questions, the instructions, and so on.
steps = Table(
    "steps",
    metadata,
    study_key(),
    Column("rating_session_id", BigInteger, nullable=False),
    Column("step", Text, nullable=False),
    Column("detail", JSONB, nullable=False, server_default=text("'{}'")),
    time("done_at", now=True),
    PrimaryKeyConstraint("study_id", "rating_session_id", "step"),
    within_study("rating_session_id", "rating_sessions", ondelete="CASCADE"),
)
