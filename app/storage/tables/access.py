"""Leads, how they sign in, and the secrets of this installation."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Column,
    DateTime,
    ForeignKey,
    Identity,
    Integer,
    LargeBinary,
    Table,
    Text,
)

from app.storage.tables.base import metadata, time

secrets = Table(
    "secrets",
    metadata,
    Column("name", Text, primary_key=True),
    Column("value", LargeBinary, nullable=False),
)

leads = Table(
    "leads",
    metadata,
    Column("id", BigInteger, Identity(), primary_key=True),
    Column("email", Text, nullable=False, unique=True),
    Column("password_hash", Text),
    time("created_at", now=True),
    CheckConstraint("email = lower(email) AND email LIKE '%_@_%'", name="email"),
)

lead_sessions = Table(
    "lead_sessions",
    metadata,
    Column("token_hash", LargeBinary, primary_key=True),
    Column("lead_id", BigInteger, ForeignKey("leads.id", ondelete="CASCADE"), nullable=False, index=True),
    time("created_at", now=True),
    Column("expires_at", DateTime(timezone=True), nullable=False),
    time("revoked_at"),
)

sign_in_links = Table(
    "sign_in_links",
    metadata,
    Column("token_hash", LargeBinary, primary_key=True),
    Column("lead_id", BigInteger, ForeignKey("leads.id", ondelete="CASCADE"), nullable=False, index=True),
    time("created_at", now=True),
    Column("expires_at", DateTime(timezone=True), nullable=False),
    time("used_at"),
)

# Counted here and not in a process, so that several workers share one limit. The key is hashed: it names a person.
attempts = Table(
    "attempts",
    metadata,
    Column("key_hash", LargeBinary, primary_key=True),
    Column("n_attempts", Integer, nullable=False),
    Column("resets_at", DateTime(timezone=True), nullable=False),
)
