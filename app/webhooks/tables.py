"""Webhooks of a study, and the outbox of what is to be delivered to them."""

from sqlalchemy import (
    ARRAY,
    BigInteger,
    Column,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    PrimaryKeyConstraint,
    SmallInteger,
    Table,
    Text,
    text,
)

from app.base.database.columns import metadata, one_of, row_id, study_key, time, within_study
from app.webhooks.events import LABELS

# The secret is not stored: it is derived from the key of the installation and the salt.
webhooks = Table(
    "webhooks",
    metadata,
    study_key(),
    row_id(),
    Column("address", Text, nullable=False),
    Column("events", ARRAY(Text), nullable=False),
    Column("salt", LargeBinary, nullable=False),
    Column("lead_id", BigInteger, ForeignKey("leads.id", ondelete="SET NULL")),
    time("created_at", now=True),
    Column("n_failures", Integer, nullable=False, server_default="0"),
    time("failing_since"),
    time("paused_at"),
    Column("pause_reason", Text),
    PrimaryKeyConstraint("study_id", "id"),
)

# One row per event and webhook, written in the transaction of the event. Without `next_attempt_at` it is settled.
webhook_deliveries = Table(
    "webhook_deliveries",
    metadata,
    study_key(),
    row_id(),
    Column("webhook_id", BigInteger, nullable=False),
    Column("rater_id", BigInteger),
    Column("event", Text, nullable=False),
    # Events that happen once have a name that does not change; it prevents a second row.
    Column("occurrence", Text),
    Column("message_id", Text, nullable=False),
    Column("body", Text, nullable=False),
    time("created_at", now=True),
    Column("n_attempts", SmallInteger, nullable=False, server_default="0"),
    time("attempted_at"),
    time("next_attempt_at"),
    time("delivered_at"),
    Column("status", SmallInteger),
    Column("answer", Text),
    PrimaryKeyConstraint("study_id", "id"),
    within_study("webhook_id", "webhooks", ondelete="CASCADE"),
    within_study("rater_id", "raters", ondelete="CASCADE"),
    one_of("event", LABELS),
    Index(
        "ix_webhook_deliveries_due",
        "study_id",
        "webhook_id",
        "next_attempt_at",
        postgresql_where=text("next_attempt_at IS NOT NULL"),
    ),
    Index("ix_webhook_deliveries_webhook", "study_id", "webhook_id", "id"),
    Index("ix_webhook_deliveries_rater", "study_id", "rater_id", postgresql_where=text("rater_id IS NOT NULL")),
    Index(
        "uq_webhook_deliveries_occurrence",
        "study_id",
        "webhook_id",
        "event",
        "occurrence",
        unique=True,
        postgresql_where=text("occurrence IS NOT NULL"),
    ),
)
