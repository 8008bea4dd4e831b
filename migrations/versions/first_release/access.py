"""Leads, how they sign in, their tokens, and the secrets of this installation."""

from alembic import op

from first_release.columns import (
    BIGINT,
    BYTES,
    INTEGER,
    JSONB,
    TEXT,
    TIME,
    flag,
    json_object,
    now,
    optional,
    required,
    row_id,
    study_id,
)
from first_release.constraints import check, of_lead, of_study, one_of, primary_key, reference, unique
from first_release.indexes import index

ROLES = ("owner", "editor", "analyst", "monitor")


def create_attempts() -> None:
    op.create_table(
        "attempts",
        required("key_hash", BYTES),
        required("n_attempts", INTEGER),
        required("resets_at", TIME),
        primary_key("attempts", "key_hash"),
    )


def create_audit_log() -> None:
    op.create_table(
        "audit_log",
        row_id(),
        optional("study_id", BIGINT),
        optional("slug", TEXT),
        optional("lead_id", BIGINT),
        optional("lead_email", TEXT),
        required("action", TEXT),
        json_object("detail"),
        now("happened_at"),
        primary_key("audit_log", "id"),
    )
    index("audit_log", "study_id", "id")
    index("audit_log", "lead_id", "id")


def create_leads() -> None:
    op.create_table(
        "leads",
        row_id(),
        required("email", TEXT),
        optional("password_hash", TEXT),
        now("created_at"),
        check("leads", "email", "email = lower(email) AND email LIKE '%_@_%'"),
        primary_key("leads", "id"),
        unique("leads", "email"),
    )


def create_secrets() -> None:
    op.create_table(
        "secrets",
        required("name", TEXT),
        required("value", BYTES),
        primary_key("secrets", "name"),
    )


def create_lead_sessions() -> None:
    op.create_table(
        "lead_sessions",
        required("token_hash", BYTES),
        required("lead_id", BIGINT),
        now("created_at"),
        required("expires_at", TIME),
        flag("is_from_link"),
        flag("is_short"),
        optional("revoked_at", TIME),
        of_lead("lead_sessions", ondelete="CASCADE"),
        primary_key("lead_sessions", "token_hash"),
    )
    index("lead_sessions", "lead_id")


def create_lead_identities() -> None:
    op.create_table(
        "lead_identities",
        required("issuer", TEXT),
        required("subject", TEXT),
        required("lead_id", BIGINT),
        now("created_at"),
        of_lead("lead_identities", ondelete="CASCADE"),
        primary_key("lead_identities", "issuer", "subject"),
        unique("lead_identities", "lead_id", "issuer"),
    )


def create_sign_in_links() -> None:
    op.create_table(
        "sign_in_links",
        required("token_hash", BYTES),
        required("lead_id", BIGINT),
        now("created_at"),
        required("expires_at", TIME),
        flag("is_recovery"),
        optional("used_at", TIME),
        of_lead("sign_in_links", ondelete="CASCADE"),
        primary_key("sign_in_links", "token_hash"),
    )
    index("sign_in_links", "lead_id")


def create_study_members() -> None:
    op.create_table(
        "study_members",
        study_id(),
        required("lead_id", BIGINT),
        required("role", TEXT),
        now("joined_at"),
        one_of("study_members", "role", *ROLES),
        of_lead("study_members", ondelete="CASCADE"),
        of_study("study_members"),
        primary_key("study_members", "study_id", "lead_id"),
    )
    index("study_members", "lead_id")


def create_study_invitations() -> None:
    op.create_table(
        "study_invitations",
        row_id(),
        study_id(),
        required("token_hash", BYTES),
        required("email", TEXT),
        required("role", TEXT),
        required("invited_by", BIGINT),
        now("created_at"),
        required("expires_at", TIME),
        optional("used_at", TIME),
        one_of("study_invitations", "role", *ROLES),
        of_study("study_invitations"),
        reference(
            "study_invitations",
            ["study_id", "invited_by"],
            ["study_members.study_id", "study_members.lead_id"],
            ondelete="CASCADE",
        ),
        primary_key("study_invitations", "id"),
        unique("study_invitations", "token_hash"),
    )
    index("study_invitations", "study_id")


def create_api_tokens() -> None:
    op.create_table(
        "api_tokens",
        row_id(),
        study_id(),
        required("lead_id", BIGINT),
        required("token_hash", BYTES),
        required("name", TEXT),
        required("role", TEXT),
        now("created_at"),
        required("expires_at", TIME),
        optional("used_at", TIME),
        one_of("api_tokens", "role", *ROLES),
        of_study("api_tokens"),
        reference(
            "api_tokens",
            ["study_id", "lead_id"],
            ["study_members.study_id", "study_members.lead_id"],
            ondelete="CASCADE",
        ),
        primary_key("api_tokens", "id"),
        unique("api_tokens", "token_hash"),
    )
    index("api_tokens", "study_id", "lead_id")


def create_api_requests() -> None:
    op.create_table(
        "api_requests",
        required("token_id", BIGINT),
        required("key", TEXT),
        required("request_hash", BYTES),
        optional("response", JSONB),
        now("created_at"),
        reference("api_requests", ["token_id"], ["api_tokens.id"], ondelete="CASCADE"),
        primary_key("api_requests", "token_id", "key"),
    )
