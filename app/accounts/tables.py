"""Leads, how they sign in, and the secrets of this installation."""

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    DateTime,
    ForeignKey,
    ForeignKeyConstraint,
    Identity,
    Index,
    Integer,
    LargeBinary,
    PrimaryKeyConstraint,
    Table,
    Text,
    UniqueConstraint,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB

from app.accounts.roles import ROLES
from app.base.database.columns import metadata, one_of, study_key, time

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
    # By a link and not by the password: such a session may set a new password without knowing the old one.
    Column("is_from_link", Boolean, nullable=False, server_default=text("false")),
    # It ends an hour after its start, however long it is used.
    Column("is_short", Boolean, nullable=False, server_default=text("false")),
    time("revoked_at"),
)

# Who a lead is at a provider of OpenID Connect. The subject identifies a person for good; an e-mail address does not.
lead_identities = Table(
    "lead_identities",
    metadata,
    Column("issuer", Text, primary_key=True),
    Column("subject", Text, primary_key=True),
    Column("lead_id", BigInteger, ForeignKey("leads.id", ondelete="CASCADE"), nullable=False),
    time("created_at", now=True),
    UniqueConstraint("lead_id", "issuer"),
)

sign_in_links = Table(
    "sign_in_links",
    metadata,
    Column("token_hash", LargeBinary, primary_key=True),
    Column("lead_id", BigInteger, ForeignKey("leads.id", ondelete="CASCADE"), nullable=False, index=True),
    time("created_at", now=True),
    Column("expires_at", DateTime(timezone=True), nullable=False),
    # Made by an owner for another member, to set a new password: somebody else may have it too.
    Column("is_recovery", Boolean, nullable=False, server_default=text("false")),
    time("used_at"),
)

study_members = Table(
    "study_members",
    metadata,
    study_key(),
    Column("lead_id", BigInteger, ForeignKey("leads.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("role", Text, nullable=False),
    time("joined_at", now=True),
    PrimaryKeyConstraint("study_id", "lead_id"),
    one_of("role", ROLES),
)

# A link by which somebody joins a study. It works once.
study_invitations = Table(
    "study_invitations",
    metadata,
    Column("id", BigInteger, Identity(), primary_key=True),
    Column("study_id", BigInteger, ForeignKey("studies.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("token_hash", LargeBinary, nullable=False, unique=True),
    Column("email", Text, nullable=False),
    Column("role", Text, nullable=False),
    Column("invited_by", BigInteger, nullable=False),
    time("created_at", now=True),
    Column("expires_at", DateTime(timezone=True), nullable=False),
    time("used_at"),
    one_of("role", ROLES),
    # The invitations of a member who leaves end with the membership.
    ForeignKeyConstraint(
        ["study_id", "invited_by"], ["study_members.study_id", "study_members.lead_id"], ondelete="CASCADE"
    ),
)

# A secret with which a program uses the API in the name of a lead. It never has more rights than the lead.
api_tokens = Table(
    "api_tokens",
    metadata,
    Column("id", BigInteger, Identity(), primary_key=True),
    study_key(),
    Column("lead_id", BigInteger, nullable=False),
    Column("token_hash", LargeBinary, nullable=False, unique=True),
    Column("name", Text, nullable=False),
    Column("role", Text, nullable=False),
    time("created_at", now=True),
    Column("expires_at", DateTime(timezone=True), nullable=False),
    time("used_at"),
    # A member who leaves takes their tokens along.
    ForeignKeyConstraint(
        ["study_id", "lead_id"], ["study_members.study_id", "study_members.lead_id"], ondelete="CASCADE"
    ),
    one_of("role", ROLES),
    Index(None, "study_id", "lead_id"),
)

# Responses to API requests with an idempotency key, so that a repeated request is answered and not carried out again.
api_requests = Table(
    "api_requests",
    metadata,
    Column("token_id", BigInteger, ForeignKey("api_tokens.id", ondelete="CASCADE"), nullable=False),
    Column("key", Text, nullable=False),
    Column("request_hash", LargeBinary, nullable=False),
    Column("response", JSONB),
    time("created_at", now=True),
    PrimaryKeyConstraint("token_id", "key"),
)

# What leads did. Entries outlive the study and the lead, so they contain their names instead of foreign keys.
audit_log = Table(
    "audit_log",
    metadata,
    Column("id", BigInteger, Identity(), primary_key=True),
    Column("study_id", BigInteger),
    Column("slug", Text),
    Column("lead_id", BigInteger),
    Column("lead_email", Text),
    Column("action", Text, nullable=False),
    Column("detail", JSONB, nullable=False, server_default=text("'{}'")),
    time("happened_at", now=True),
    Index(None, "study_id", "id"),
    Index(None, "lead_id", "id"),
)

# Counted in the database, so that several workers share one limit. The key is hashed because it identifies a person.
attempts = Table(
    "attempts",
    metadata,
    Column("key_hash", LargeBinary, primary_key=True),
    Column("n_attempts", Integer, nullable=False),
    Column("resets_at", DateTime(timezone=True), nullable=False),
)
