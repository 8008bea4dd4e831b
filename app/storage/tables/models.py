"""Requests to language models that judge responses. Keys of endpoints are never stored."""

from __future__ import annotations

from sqlalchemy import (
    ARRAY,
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    ForeignKey,
    ForeignKeyConstraint,
    Integer,
    PrimaryKeyConstraint,
    SmallInteger,
    Table,
    Text,
    UniqueConstraint,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB

from app.design.model_outcomes import PURPOSES, Outcome
from app.storage.tables.base import metadata, one_of, row_id, study_key, time, within_study

# One row per run: a model with its settings, asked about the trials of one version of a study.
model_runs = Table(
    "model_runs",
    metadata,
    study_key(),
    row_id(),
    Column("purpose", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("protocol_version", Integer, nullable=False),
    Column("rater_id", BigInteger),
    Column("endpoint", Text, nullable=False),
    Column("model", Text, nullable=False),
    Column("settings", JSONB, nullable=False),
    Column("is_stopped", Boolean, nullable=False, server_default=text("false")),
    Column("stop_reason", Text),
    Column("lead_id", BigInteger, ForeignKey("leads.id", ondelete="SET NULL")),
    time("created_at", now=True),
    PrimaryKeyConstraint("study_id", "id"),
    UniqueConstraint("study_id", "purpose", "name"),
    within_study("rater_id", "raters", ondelete="CASCADE"),
    ForeignKeyConstraint(["study_id", "protocol_version"], ["protocols.study_id", "protocols.version"]),
    one_of("purpose", PURPOSES),
)

# One row per request; `attempt` 1 is the repair of an answer that could not be read. Without `outcome`, it is open.
model_requests = Table(
    "model_requests",
    metadata,
    study_key(),
    row_id(),
    Column("run_id", BigInteger, nullable=False),
    Column("number", Integer, nullable=False),
    Column("attempt", SmallInteger, nullable=False, server_default="0"),
    Column("item_id", BigInteger, nullable=False),
    Column("response_ids", ARRAY(BigInteger), nullable=False),
    Column("condition", Text, nullable=False, server_default=""),
    Column("repeat", SmallInteger, nullable=False, server_default="0"),
    Column("n_turns_done", Integer, nullable=False, server_default="0"),
    Column("seed", BigInteger),
    Column("prompt", JSONB),
    Column("outcome", Text),
    Column("problem", Text),
    Column("raw_answer", Text),
    Column("n_tries", Integer, nullable=False, server_default="0"),
    Column("tokens_in", Integer),
    Column("tokens_out", Integer),
    Column("latency_ms", Integer),
    Column("model_version", Text),
    Column("fingerprint", Text),
    Column("probabilities", JSONB),
    time("asked_at"),
    time("answered_at"),
    PrimaryKeyConstraint("study_id", "id"),
    UniqueConstraint("study_id", "run_id", "number", "attempt"),
    within_study("run_id", "model_runs", ondelete="CASCADE"),
    within_study("item_id", "items", ondelete="CASCADE"),
    one_of("outcome", [str(outcome) for outcome in Outcome]),
    CheckConstraint("(outcome IS NULL) = (answered_at IS NULL)", name="answered_at"),
    CheckConstraint("attempt IN (0, 1)", name="attempt"),
)
