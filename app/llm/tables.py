"""Requests to language models that judge or write responses. Keys of endpoints are never stored."""

from __future__ import annotations

from typing import get_args

from sqlalchemy import (
    ARRAY,
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Double,
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

from app.base.database.columns import metadata, one_of, row_id, study_key, time, within_study
from app.llm.outcomes import Decision, Outcome, Purpose, RequestKind

# One row per run: a model with its settings, asked about the trials or items of one version of a study.
# `limits`: server and maximum of tokens with which it was last started in the browser; queued until it ends.
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
    Column("limits", JSONB),
    Column("is_stopped", Boolean, nullable=False, server_default=text("false")),
    Column("stop_reason", Text),
    Column("lead_id", BigInteger, ForeignKey("leads.id", ondelete="SET NULL")),
    time("created_at", now=True),
    PrimaryKeyConstraint("study_id", "id"),
    UniqueConstraint("study_id", "purpose", "name"),
    within_study("rater_id", "raters", ondelete="CASCADE"),
    ForeignKeyConstraint(["study_id", "protocol_version"], ["protocols.study_id", "protocols.version"]),
    one_of("purpose", get_args(Purpose)),
)

# One row per request; `attempt` counts those that follow from the first one of a number. Without `outcome`, it is open.
model_requests = Table(
    "model_requests",
    metadata,
    study_key(),
    row_id(),
    Column("run_id", BigInteger, nullable=False),
    Column("number", Integer, nullable=False),
    Column("attempt", SmallInteger, nullable=False, server_default="0"),
    Column("kind", Text, nullable=False, server_default="first"),
    Column("stage", SmallInteger, nullable=False, server_default="0"),
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
    Column("finish_reason", Text),
    Column("thoughts", Text),
    Column("provider", Text),
    Column("response_id", Text),
    Column("tokens_cached", Integer),
    Column("tokens_thinking", Integer),
    Column("cost", Double),
    Column("parameters", JSONB),
    time("asked_at"),
    time("answered_at"),
    PrimaryKeyConstraint("study_id", "id"),
    UniqueConstraint("study_id", "run_id", "number", "attempt"),
    within_study("run_id", "model_runs", ondelete="CASCADE"),
    within_study("item_id", "items", ondelete="CASCADE"),
    one_of("outcome", [str(outcome) for outcome in Outcome]),
    CheckConstraint("(outcome IS NULL) = (answered_at IS NULL)", name="answered_at"),
    one_of("kind", get_args(RequestKind)),
    CheckConstraint("(attempt = 0) = (kind = 'first')", name="attempt"),
)

# One row per text that a model wrote, with what a person decided about it. `edited_text` stands beside the original.
model_texts = Table(
    "model_texts",
    metadata,
    study_key(),
    row_id(),
    Column("run_id", BigInteger, nullable=False),
    Column("request_id", BigInteger, nullable=False),
    Column("item_id", BigInteger, nullable=False),
    Column("text", Text, nullable=False),
    Column("n_words", Integer, nullable=False),
    Column("target_words", Integer),
    Column("decision", Text),
    Column("edited_text", Text),
    Column("lead_id", BigInteger, ForeignKey("leads.id", ondelete="SET NULL")),
    time("decided_at"),
    time("used_at"),
    PrimaryKeyConstraint("study_id", "id"),
    UniqueConstraint("study_id", "run_id", "item_id"),
    within_study("run_id", "model_runs", ondelete="CASCADE"),
    within_study("request_id", "model_requests", ondelete="CASCADE"),
    within_study("item_id", "items", ondelete="CASCADE"),
    one_of("decision", get_args(Decision)),
    CheckConstraint("(decision IS NULL) = (decided_at IS NULL)", name="decided_at"),
    CheckConstraint("(decision IS NOT DISTINCT FROM 'edited') = (edited_text IS NOT NULL)", name="edited_text"),
)
