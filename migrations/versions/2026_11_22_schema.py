"""The complete schema of Attune's first release."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "2026_11_22_schema_13"
down_revision = None
branch_labels = None
depends_on = None

KEEP_RATING_HISTORY = """\
CREATE OR REPLACE FUNCTION public.keep_rating_history()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  INSERT INTO rating_history (study_id, rating_id, number, outcome, chosen_response_id, strength, codes, text, side,
                              idempotency_key, rated_at)
  VALUES (OLD.study_id, OLD.id, OLD.number, OLD.outcome, OLD.chosen_response_id, OLD.strength, OLD.codes, OLD.text,
          OLD.side, OLD.idempotency_key, OLD.rated_at);
  RETURN NULL;
END $function$
"""
KEEP_HISTORY = """\
CREATE TRIGGER keep_history AFTER UPDATE ON ratings FOR EACH ROW
WHEN (OLD.number IS DISTINCT FROM NEW.number OR OLD.outcome IS DISTINCT FROM NEW.outcome
  OR OLD.chosen_response_id IS DISTINCT FROM NEW.chosen_response_id OR OLD.strength IS DISTINCT FROM NEW.strength
  OR OLD.codes IS DISTINCT FROM NEW.codes OR OLD.text IS DISTINCT FROM NEW.text)
EXECUTE FUNCTION keep_rating_history()
"""


def create_key_last(table: str) -> None:
    """Create the primary key of a table after its other indexes.

    While a table is almost empty, all indexes that begin with the study cost the same, and PostgreSQL takes the newest.
    With any other one, each check of a foreign key would read all rows of the study, as long as the plan is kept.
    """
    op.create_primary_key(op.f(f"pk_{table}"), table, ["study_id", "id"])


def create_attempts() -> None:
    op.create_table(
        "attempts",
        sa.Column("key_hash", sa.LargeBinary(), nullable=False),
        sa.Column("n_attempts", sa.Integer(), nullable=False),
        sa.Column("resets_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("key_hash", name=op.f("pk_attempts")),
    )


def create_audit_log() -> None:
    op.create_table(
        "audit_log",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("study_id", sa.BigInteger(), nullable=True),
        sa.Column("slug", sa.Text(), nullable=True),
        sa.Column("lead_id", sa.BigInteger(), nullable=True),
        sa.Column("lead_email", sa.Text(), nullable=True),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("detail", postgresql.JSONB(), server_default=sa.text("'{}'"), nullable=False),
        sa.Column("happened_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_audit_log")),
    )
    op.create_index(op.f("ix_audit_log_study_id_id"), "audit_log", ["study_id", "id"], unique=False)
    op.create_index(op.f("ix_audit_log_lead_id_id"), "audit_log", ["lead_id", "id"], unique=False)


def create_chart_files() -> None:
    op.create_table(
        "chart_files",
        sa.Column("sha256", sa.Text(), nullable=False),
        sa.Column("format", sa.Text(), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint("format IN ('svg', 'png', 'pdf')", name=op.f("ck_chart_files_format")),
        sa.PrimaryKeyConstraint("sha256", "format", name=op.f("pk_chart_files")),
    )


def create_leads() -> None:
    op.create_table(
        "leads",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("email", sa.Text(), nullable=False),
        sa.Column("password_hash", sa.Text(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint("email = lower(email) AND email LIKE '%_@_%'", name=op.f("ck_leads_email")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_leads")),
        sa.UniqueConstraint("email", name=op.f("uq_leads_email")),
    )


def create_secrets() -> None:
    op.create_table(
        "secrets",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("value", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_secrets")),
    )


def create_lead_sessions() -> None:
    op.create_table(
        "lead_sessions",
        sa.Column("token_hash", sa.LargeBinary(), nullable=False),
        sa.Column("lead_id", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("is_from_link", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("revoked_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["lead_id"], ["leads.id"], name=op.f("fk_lead_sessions_lead_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("token_hash", name=op.f("pk_lead_sessions")),
    )
    op.create_index(op.f("ix_lead_sessions_lead_id"), "lead_sessions", ["lead_id"], unique=False)


def create_lead_identities() -> None:
    op.create_table(
        "lead_identities",
        sa.Column("issuer", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("lead_id", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(["lead_id"], ["leads.id"], name=op.f("fk_lead_identities_lead_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("issuer", "subject", name=op.f("pk_lead_identities")),
        sa.UniqueConstraint("lead_id", "issuer", name=op.f("uq_lead_identities_lead_id_issuer")),
    )


def create_sign_in_links() -> None:
    op.create_table(
        "sign_in_links",
        sa.Column("token_hash", sa.LargeBinary(), nullable=False),
        sa.Column("lead_id", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("used_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["lead_id"], ["leads.id"], name=op.f("fk_sign_in_links_lead_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("token_hash", name=op.f("pk_sign_in_links")),
    )
    op.create_index(op.f("ix_sign_in_links_lead_id"), "sign_in_links", ["lead_id"], unique=False)


def create_studies() -> None:
    op.create_table(
        "studies",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("slug", sa.Text(), nullable=False),
        sa.Column(
            "rater_token",
            sa.Text(),
            server_default=sa.text("substr(replace((gen_random_uuid())::text, '-'::text, ''::text), 1, 12)"),
            nullable=False,
        ),
        sa.Column("status", sa.Text(), server_default="draft", nullable=False),
        sa.Column("protocol_version", sa.Integer(), server_default="1", nullable=False),
        sa.Column("seed", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("is_demo", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("n_refused", sa.Integer(), server_default="0", nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("opened_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("closed_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("archived_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("keep_until", sa.Date(), nullable=True),
        sa.CheckConstraint("status = 'draft' OR opened_at IS NOT NULL", name=op.f("ck_studies_opened_at")),
        sa.CheckConstraint("status IN ('draft', 'open', 'paused', 'closed')", name=op.f("ck_studies_status")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_studies")),
        sa.UniqueConstraint("rater_token", name=op.f("uq_studies_rater_token")),
        sa.UniqueConstraint("slug", name=op.f("uq_studies_slug")),
    )


def create_study_members() -> None:
    op.create_table(
        "study_members",
        sa.Column("study_id", sa.BigInteger(), nullable=False),
        sa.Column("lead_id", sa.BigInteger(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("joined_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint("role IN ('owner', 'editor', 'analyst', 'monitor')", name=op.f("ck_study_members_role")),
        sa.ForeignKeyConstraint(["lead_id"], ["leads.id"], name=op.f("fk_study_members_lead_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["study_id"], ["studies.id"], name=op.f("fk_study_members_study_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("study_id", "lead_id", name=op.f("pk_study_members")),
    )
    op.create_index(op.f("ix_study_members_lead_id"), "study_members", ["lead_id"], unique=False)


def create_study_invitations() -> None:
    op.create_table(
        "study_invitations",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("study_id", sa.BigInteger(), nullable=False),
        sa.Column("token_hash", sa.LargeBinary(), nullable=False),
        sa.Column("email", sa.Text(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("invited_by", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("used_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("role IN ('owner', 'editor', 'analyst', 'monitor')", name=op.f("ck_study_invitations_role")),
        sa.ForeignKeyConstraint(
            ["study_id"], ["studies.id"], name=op.f("fk_study_invitations_study_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["study_id", "invited_by"],
            ["study_members.study_id", "study_members.lead_id"],
            name=op.f("fk_study_invitations_study_id_invited_by"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_study_invitations")),
        sa.UniqueConstraint("token_hash", name=op.f("uq_study_invitations_token_hash")),
    )
    op.create_index(op.f("ix_study_invitations_study_id"), "study_invitations", ["study_id"], unique=False)


def create_api_tokens() -> None:
    op.create_table(
        "api_tokens",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("study_id", sa.BigInteger(), nullable=False),
        sa.Column("lead_id", sa.BigInteger(), nullable=False),
        sa.Column("token_hash", sa.LargeBinary(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("used_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("role IN ('owner', 'editor', 'analyst', 'monitor')", name=op.f("ck_api_tokens_role")),
        sa.ForeignKeyConstraint(["study_id"], ["studies.id"], name=op.f("fk_api_tokens_study_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["study_id", "lead_id"],
            ["study_members.study_id", "study_members.lead_id"],
            name=op.f("fk_api_tokens_study_id_lead_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_api_tokens")),
        sa.UniqueConstraint("token_hash", name=op.f("uq_api_tokens_token_hash")),
    )
    op.create_index(op.f("ix_api_tokens_study_id_lead_id"), "api_tokens", ["study_id", "lead_id"], unique=False)


def create_api_requests() -> None:
    op.create_table(
        "api_requests",
        sa.Column("token_id", sa.BigInteger(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("request_hash", sa.LargeBinary(), nullable=False),
        sa.Column("response", postgresql.JSONB(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(
            ["token_id"], ["api_tokens.id"], name=op.f("fk_api_requests_token_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("token_id", "key", name=op.f("pk_api_requests")),
    )


def create_items() -> None:
    op.create_table(
        "items",
        sa.Column("study_id", sa.BigInteger(), nullable=False),
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("text", sa.Text(), nullable=True),
        sa.Column("turns", postgresql.JSONB(none_as_null=True), nullable=True),
        sa.Column("profile", sa.Text(), nullable=True),
        sa.Column("content_note", sa.Text(), nullable=True),
        sa.Column("retired_because", sa.Text(), nullable=True),
        sa.Column("attributes", postgresql.JSONB(), server_default=sa.text("'{}'"), nullable=False),
        sa.CheckConstraint("turns IS NULL OR jsonb_typeof(turns) = 'array'", name=op.f("ck_items_turns")),
        sa.CheckConstraint("(text IS NULL) <> (turns IS NULL)", name=op.f("ck_items_text_or_turns")),
        sa.ForeignKeyConstraint(["study_id"], ["studies.id"], name=op.f("fk_items_study_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("study_id", "id", name=op.f("pk_items")),
        sa.UniqueConstraint("study_id", "key", name=op.f("uq_items_study_id_key")),
    )
    op.create_index(
        "ix_items_retired",
        "items",
        ["study_id"],
        unique=False,
        postgresql_where=sa.text("retired_because IS NOT NULL"),
    )


def create_protocols() -> None:
    op.create_table(
        "protocols",
        sa.Column("study_id", sa.BigInteger(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("document", postgresql.JSON(), nullable=False),
        sa.Column("yaml", sa.Text(), nullable=False),
        sa.Column("sha256", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(["study_id"], ["studies.id"], name=op.f("fk_protocols_study_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("study_id", "version", name=op.f("pk_protocols")),
    )


def create_protocol_edits() -> None:
    op.create_table(
        "protocol_edits",
        sa.Column("study_id", sa.BigInteger(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("yaml", sa.Text(), nullable=False),
        sa.Column("lead_id", sa.BigInteger(), nullable=True),
        sa.Column("edited_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(["lead_id"], ["leads.id"], name=op.f("fk_protocol_edits_lead_id"), ondelete="SET NULL"),
        sa.ForeignKeyConstraint(
            ["study_id"], ["studies.id"], name=op.f("fk_protocol_edits_study_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("study_id", "number", name=op.f("pk_protocol_edits")),
    )


def create_text_uploads() -> None:
    op.create_table(
        "text_uploads",
        sa.Column("study_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("file_name", sa.Text(), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.Column("columns", postgresql.JSON(), nullable=False),
        sa.Column("is_repaired", sa.Boolean(), nullable=False),
        sa.Column("report", postgresql.JSON(), nullable=False),
        sa.Column("uploaded_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("used_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["study_id"], ["studies.id"], name=op.f("fk_text_uploads_study_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("study_id", name=op.f("pk_text_uploads")),
    )


def create_questions() -> None:
    op.create_table(
        "questions",
        sa.Column("study_id", sa.BigInteger(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("type", sa.Text(), nullable=False),
        sa.Column("target", sa.Text(), nullable=False),
        sa.CheckConstraint(
            "target IN ('response', 'pair', 'set', 'item', 'turn', 'rater')", name=op.f("ck_questions_target")
        ),
        sa.CheckConstraint(
            "type IN ('rating', 'slider', 'choice', 'ranking', 'category', 'text', 'highlight')",
            name=op.f("ck_questions_type"),
        ),
        sa.ForeignKeyConstraint(["study_id"], ["studies.id"], name=op.f("fk_questions_study_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("study_id", "key", name=op.f("pk_questions")),
    )


def create_raters() -> None:
    op.create_table(
        "raters",
        sa.Column("study_id", sa.BigInteger(), nullable=False),
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), server_default="person", nullable=False),
        sa.Column("pool", sa.Text(), nullable=True),
        sa.Column("is_simulated", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("is_imported", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("attributes", postgresql.JSONB(), server_default=sa.text("'{}'"), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint("kind IN ('person', 'model')", name=op.f("ck_raters_kind")),
        sa.ForeignKeyConstraint(["study_id"], ["studies.id"], name=op.f("fk_raters_study_id"), ondelete="CASCADE"),
        sa.UniqueConstraint("study_id", "key", name=op.f("uq_raters_study_id_key")),
    )
    create_key_last("raters")


def create_sources() -> None:
    op.create_table(
        "sources",
        sa.Column("study_id", sa.BigInteger(), nullable=False),
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("attributes", postgresql.JSONB(), server_default=sa.text("'{}'"), nullable=False),
        sa.CheckConstraint("kind IN ('human', 'model', 'human+model')", name=op.f("ck_sources_kind")),
        sa.ForeignKeyConstraint(["study_id"], ["studies.id"], name=op.f("fk_sources_study_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("study_id", "id", name=op.f("pk_sources")),
        sa.UniqueConstraint("study_id", "key", name=op.f("uq_sources_study_id_key")),
    )


def create_events() -> None:
    op.create_table(
        "events",
        sa.Column("study_id", sa.BigInteger(), nullable=False),
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("rater_id", sa.BigInteger(), nullable=True),
        sa.Column("assignment_id", sa.BigInteger(), nullable=True),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("detail", postgresql.JSONB(), server_default=sa.text("'{}'"), nullable=False),
        sa.Column("happened_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(
            ["study_id", "rater_id"],
            ["raters.study_id", "raters.id"],
            name=op.f("fk_events_study_id_rater_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(["study_id"], ["studies.id"], name=op.f("fk_events_study_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("study_id", "id", name=op.f("pk_events")),
    )
    op.create_index(op.f("ix_events_study_id_rater_id"), "events", ["study_id", "rater_id"], unique=False)


def create_rater_exclusions() -> None:
    op.create_table(
        "rater_exclusions",
        sa.Column("study_id", sa.BigInteger(), nullable=False),
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("rater_id", sa.BigInteger(), nullable=False),
        sa.Column("is_excluded", sa.Boolean(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("lead_id", sa.BigInteger(), nullable=True),
        sa.Column("decided_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(
            ["lead_id"], ["leads.id"], name=op.f("fk_rater_exclusions_lead_id"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["study_id", "rater_id"],
            ["raters.study_id", "raters.id"],
            name=op.f("fk_rater_exclusions_study_id_rater_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["study_id"], ["studies.id"], name=op.f("fk_rater_exclusions_study_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("study_id", "id", name=op.f("pk_rater_exclusions")),
    )
    op.create_index(
        op.f("ix_rater_exclusions_study_id_rater_id"), "rater_exclusions", ["study_id", "rater_id"], unique=False
    )


def create_invites() -> None:
    op.create_table(
        "invites",
        sa.Column("study_id", sa.BigInteger(), nullable=False),
        sa.Column("token_hash", sa.LargeBinary(), nullable=False),
        sa.Column("rater_id", sa.BigInteger(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("revoked_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["study_id", "rater_id"],
            ["raters.study_id", "raters.id"],
            name=op.f("fk_invites_study_id_rater_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(["study_id"], ["studies.id"], name=op.f("fk_invites_study_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("study_id", "token_hash", name=op.f("pk_invites")),
        sa.UniqueConstraint("token_hash", name=op.f("uq_invites_token_hash")),
    )


def create_platform_ids() -> None:
    op.create_table(
        "platform_ids",
        sa.Column("study_id", sa.BigInteger(), nullable=False),
        sa.Column("rater_id", sa.BigInteger(), nullable=False),
        sa.Column("platform", sa.Text(), nullable=False),
        sa.Column("platform_id", sa.Text(), nullable=False),
        sa.Column("parameters", postgresql.JSONB(), server_default=sa.text("'{}'"), nullable=False),
        sa.Column("arrived_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(
            ["study_id", "rater_id"],
            ["raters.study_id", "raters.id"],
            name=op.f("fk_platform_ids_study_id_rater_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["study_id"], ["studies.id"], name=op.f("fk_platform_ids_study_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("study_id", "platform", "platform_id", name=op.f("pk_platform_ids")),
    )


def create_rating_sessions() -> None:
    op.create_table(
        "rating_sessions",
        sa.Column("study_id", sa.BigInteger(), nullable=False),
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("rater_id", sa.BigInteger(), nullable=False),
        sa.Column("token_hash", sa.LargeBinary(), nullable=False),
        sa.Column("protocol_version", sa.Integer(), nullable=False),
        sa.Column("condition", sa.Text(), nullable=True),
        sa.Column("number_in_condition", sa.Integer(), nullable=True),
        sa.Column("state", sa.Text(), server_default="arrived", nullable=False),
        sa.Column("keys_off", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("arrived_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("begun_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("last_seen_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("lease_minutes", sa.Integer(), server_default="60", nullable=False),
        sa.Column("lease_expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("paused_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "(state = 'finished') = (finished_at IS NOT NULL)", name=op.f("ck_rating_sessions_finished_at")
        ),
        sa.CheckConstraint(
            "state IN ('arrived', 'active', 'finished', 'expired', 'full', 'screened_out', 'failed_checks', 'withdrawn')",
            name=op.f("ck_rating_sessions_state"),
        ),
        sa.ForeignKeyConstraint(
            ["study_id", "protocol_version"],
            ["protocols.study_id", "protocols.version"],
            name=op.f("fk_rating_sessions_study_id_protocol_version"),
        ),
        sa.ForeignKeyConstraint(
            ["study_id", "rater_id"],
            ["raters.study_id", "raters.id"],
            name=op.f("fk_rating_sessions_study_id_rater_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["study_id"], ["studies.id"], name=op.f("fk_rating_sessions_study_id"), ondelete="CASCADE"
        ),
        sa.UniqueConstraint("study_id", "rater_id", "id", name=op.f("uq_rating_sessions_study_id_rater_id_id")),
        sa.UniqueConstraint("token_hash", name=op.f("uq_rating_sessions_token_hash")),
    )
    create_key_last("rating_sessions")


def create_responses() -> None:
    op.create_table(
        "responses",
        sa.Column("study_id", sa.BigInteger(), nullable=False),
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("item_id", sa.BigInteger(), nullable=False),
        sa.Column("source_id", sa.BigInteger(), nullable=False),
        sa.Column("text", sa.Text(), nullable=True),
        sa.Column("turns", postgresql.JSONB(none_as_null=True), nullable=True),
        sa.Column("attributes", postgresql.JSONB(), server_default=sa.text("'{}'"), nullable=False),
        sa.CheckConstraint("turns IS NULL OR jsonb_typeof(turns) = 'array'", name=op.f("ck_responses_turns")),
        sa.CheckConstraint("(text IS NULL) <> (turns IS NULL)", name=op.f("ck_responses_text_or_turns")),
        sa.ForeignKeyConstraint(
            ["study_id", "item_id"],
            ["items.study_id", "items.id"],
            name=op.f("fk_responses_study_id_item_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["study_id", "source_id"], ["sources.study_id", "sources.id"], name=op.f("fk_responses_study_id_source_id")
        ),
        sa.ForeignKeyConstraint(["study_id"], ["studies.id"], name=op.f("fk_responses_study_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("study_id", "id", name=op.f("pk_responses")),
        sa.UniqueConstraint("study_id", "item_id", "id", name=op.f("uq_responses_study_id_item_id_id")),
        sa.UniqueConstraint("study_id", "key", name=op.f("uq_responses_study_id_key")),
    )


def create_trials() -> None:
    op.create_table(
        "trials",
        sa.Column("study_id", sa.BigInteger(), nullable=False),
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("item_id", sa.BigInteger(), nullable=False),
        sa.Column("response_ids", sa.ARRAY(sa.BigInteger()), nullable=False),
        sa.Column("condition", sa.Text(), server_default="", nullable=False),
        sa.Column("shuffle", sa.Double(), nullable=False),
        sa.Column("purpose", sa.Text(), server_default="rating", nullable=False),
        sa.CheckConstraint("purpose IN ('rating', 'practice', 'gold')", name=op.f("ck_trials_purpose")),
        sa.ForeignKeyConstraint(
            ["study_id", "item_id"],
            ["items.study_id", "items.id"],
            name=op.f("fk_trials_study_id_item_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("study_id", "id", name=op.f("pk_trials")),
        sa.UniqueConstraint(
            "study_id",
            "item_id",
            "response_ids",
            "condition",
            name=op.f("uq_trials_study_id_item_id_response_ids_condition"),
        ),
    )


def create_withdrawals() -> None:
    op.create_table(
        "withdrawals",
        sa.Column("study_id", sa.BigInteger(), nullable=False),
        sa.Column("token_hash", sa.LargeBinary(), nullable=False),
        sa.Column("receipt", sa.Text(), nullable=False),
        sa.Column("protocol_version", sa.Integer(), nullable=False),
        sa.Column("platform", sa.Text(), nullable=True),
        sa.Column("outcome", sa.Text(), nullable=False),
        sa.Column("move_hash", sa.LargeBinary(), nullable=True),
        sa.Column("withdrew_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("deleted_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "outcome IN ('completed', 'screened_out', 'failed_checks', 'full', 'withdrew')",
            name=op.f("ck_withdrawals_outcome"),
        ),
        sa.ForeignKeyConstraint(
            ["study_id", "protocol_version"],
            ["protocols.study_id", "protocols.version"],
            name=op.f("fk_withdrawals_study_id_protocol_version"),
        ),
        sa.ForeignKeyConstraint(["study_id"], ["studies.id"], name=op.f("fk_withdrawals_study_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("study_id", "token_hash", name=op.f("pk_withdrawals")),
        sa.UniqueConstraint("study_id", "receipt", name=op.f("uq_withdrawals_study_id_receipt")),
    )


def create_seats() -> None:
    op.create_table(
        "seats",
        sa.Column("study_id", sa.BigInteger(), nullable=False),
        sa.Column("trial_id", sa.BigInteger(), nullable=False),
        sa.Column("pool", sa.Text(), server_default="", nullable=False),
        sa.Column("seat", sa.SmallInteger(), nullable=False),
        sa.Column("rater_id", sa.BigInteger(), nullable=True),
        sa.Column("shuffle", sa.Double(), nullable=False),
        sa.Column("assignment_id", sa.BigInteger(), nullable=True),
        sa.CheckConstraint("seat >= 1", name=op.f("ck_seats_seat")),
        sa.ForeignKeyConstraint(
            ["study_id", "assignment_id"],
            ["assignments.study_id", "assignments.id"],
            name="fk_seats_study_id_assignment_id",
            initially="DEFERRED",
            deferrable=True,
            use_alter=True,
        ),
        sa.ForeignKeyConstraint(
            ["study_id", "rater_id"],
            ["raters.study_id", "raters.id"],
            name=op.f("fk_seats_study_id_rater_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["study_id", "trial_id"],
            ["trials.study_id", "trials.id"],
            name=op.f("fk_seats_study_id_trial_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("study_id", "trial_id", "pool", "seat", name=op.f("pk_seats")),
    )
    op.create_index(
        "ix_seats_free",
        "seats",
        ["study_id", "pool", "seat", "shuffle"],
        unique=False,
        postgresql_where=sa.text("assignment_id IS NULL"),
    )
    op.create_index(
        "ix_seats_named",
        "seats",
        ["study_id", "rater_id"],
        unique=False,
        postgresql_where=sa.text("rater_id IS NOT NULL"),
    )
    op.create_index(
        "uq_seats_assignment",
        "seats",
        ["study_id", "assignment_id"],
        unique=True,
        postgresql_where=sa.text("assignment_id IS NOT NULL"),
    )


def create_condition_seats() -> None:
    op.create_table(
        "condition_seats",
        sa.Column("study_id", sa.BigInteger(), nullable=False),
        sa.Column("pool", sa.Text(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("condition", sa.Text(), nullable=False),
        sa.Column("number_in_condition", sa.Integer(), nullable=False),
        sa.Column("rating_session_id", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(
            ["study_id", "rating_session_id"],
            ["rating_sessions.study_id", "rating_sessions.id"],
            name=op.f("fk_condition_seats_study_id_rating_session_id"),
        ),
        sa.ForeignKeyConstraint(
            ["study_id"], ["studies.id"], name=op.f("fk_condition_seats_study_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("study_id", "pool", "number", name=op.f("pk_condition_seats")),
    )
    op.create_index(
        "ix_condition_seats_free",
        "condition_seats",
        ["study_id", "pool", "number"],
        unique=False,
        postgresql_where=sa.text("rating_session_id IS NULL"),
    )
    op.create_index(
        "uq_condition_seats_rating_session",
        "condition_seats",
        ["study_id", "rating_session_id"],
        unique=True,
        postgresql_where=sa.text("rating_session_id IS NOT NULL"),
    )


def create_admission_seats() -> None:
    op.create_table(
        "admission_seats",
        sa.Column("study_id", sa.BigInteger(), nullable=False),
        sa.Column("attribute", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("rating_session_id", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(
            ["study_id", "rating_session_id"],
            ["rating_sessions.study_id", "rating_sessions.id"],
            name=op.f("fk_admission_seats_study_id_rating_session_id"),
        ),
        sa.ForeignKeyConstraint(
            ["study_id"], ["studies.id"], name=op.f("fk_admission_seats_study_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("study_id", "attribute", "value", "number", name=op.f("pk_admission_seats")),
    )
    op.create_index(
        "ix_admission_seats_free",
        "admission_seats",
        ["study_id", "attribute", "value", "number"],
        unique=False,
        postgresql_where=sa.text("rating_session_id IS NULL"),
    )
    op.create_index(
        "uq_admission_seats_rating_session",
        "admission_seats",
        ["study_id", "rating_session_id", "attribute"],
        unique=True,
        postgresql_where=sa.text("rating_session_id IS NOT NULL"),
    )


def create_session_moves() -> None:
    op.create_table(
        "session_moves",
        sa.Column("study_id", sa.BigInteger(), nullable=False),
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("rating_session_id", sa.BigInteger(), nullable=False),
        sa.Column("token_hash", sa.LargeBinary(), nullable=False),
        sa.Column("parameters", postgresql.JSONB(), server_default=sa.text("'{}'"), nullable=False),
        sa.Column("moved_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(
            ["study_id", "rating_session_id"],
            ["rating_sessions.study_id", "rating_sessions.id"],
            name=op.f("fk_session_moves_study_id_rating_session_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["study_id"], ["studies.id"], name=op.f("fk_session_moves_study_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("study_id", "id", name=op.f("pk_session_moves")),
        sa.UniqueConstraint("token_hash", name=op.f("uq_session_moves_token_hash")),
    )
    op.create_index(
        op.f("ix_session_moves_study_id_rating_session_id"),
        "session_moves",
        ["study_id", "rating_session_id"],
        unique=False,
    )


def create_steps() -> None:
    op.create_table(
        "steps",
        sa.Column("study_id", sa.BigInteger(), nullable=False),
        sa.Column("rating_session_id", sa.BigInteger(), nullable=False),
        sa.Column("step", sa.Text(), nullable=False),
        sa.Column("detail", postgresql.JSONB(), server_default=sa.text("'{}'"), nullable=False),
        sa.Column("done_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(
            ["study_id", "rating_session_id"],
            ["rating_sessions.study_id", "rating_sessions.id"],
            name=op.f("fk_steps_study_id_rating_session_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(["study_id"], ["studies.id"], name=op.f("fk_steps_study_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("study_id", "rating_session_id", "step", name=op.f("pk_steps")),
    )


def create_assignments() -> None:
    op.create_table(
        "assignments",
        sa.Column("study_id", sa.BigInteger(), nullable=False),
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("token", sa.Uuid(), server_default=sa.text("gen_random_uuid()"), nullable=False),
        sa.Column("trial_id", sa.BigInteger(), nullable=False),
        sa.Column("rater_id", sa.BigInteger(), nullable=False),
        sa.Column("rating_session_id", sa.BigInteger(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("response_ids", sa.ARRAY(sa.BigInteger()), nullable=False),
        sa.Column("shown_labels", sa.ARRAY(sa.Text()), nullable=True),
        sa.Column("repeat", sa.SmallInteger(), server_default="0", nullable=False),
        sa.Column("state", sa.Text(), server_default="planned", nullable=False),
        sa.Column("is_returned", sa.Boolean(), sa.Computed("state = 'returned'", persisted=True), nullable=False),
        sa.Column("n_turns_done", sa.Integer(), server_default="0", nullable=False),
        sa.Column("planned_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("served_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("first_action_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("submitted_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("active_ms", sa.BigInteger(), nullable=True),
        sa.Column("hidden_ms", sa.BigInteger(), nullable=True),
        sa.Column("skip_reason", sa.Text(), nullable=True),
        sa.Column("revisit_served_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("revisited_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("move_id", sa.BigInteger(), nullable=True),
        sa.Column("moved_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("(state = 'done') <= (submitted_at IS NOT NULL)", name=op.f("ck_assignments_submitted_at")),
        sa.CheckConstraint(
            "state IN ('planned', 'leased', 'done', 'skipped', 'returned')", name=op.f("ck_assignments_state")
        ),
        sa.CheckConstraint(
            "state IN ('planned', 'returned') OR served_at IS NOT NULL", name=op.f("ck_assignments_served_at")
        ),
        sa.CheckConstraint("(move_id IS NULL) = (moved_at IS NULL)", name=op.f("ck_assignments_moved_at")),
        sa.ForeignKeyConstraint(
            ["study_id", "move_id"],
            ["session_moves.study_id", "session_moves.id"],
            name=op.f("fk_assignments_study_id_move_id"),
        ),
        sa.ForeignKeyConstraint(
            ["study_id", "rater_id", "rating_session_id"],
            ["rating_sessions.study_id", "rating_sessions.rater_id", "rating_sessions.id"],
            name="fk_assignments_session_of_rater",
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["study_id", "trial_id"], ["trials.study_id", "trials.id"], name=op.f("fk_assignments_study_id_trial_id")
        ),
        sa.UniqueConstraint(
            "study_id", "rating_session_id", "position", name=op.f("uq_assignments_study_id_rating_session_id_position")
        ),
        sa.UniqueConstraint("token", name=op.f("uq_assignments_token")),
        postgresql_with={"fillfactor": 80},
    )
    op.create_index(
        "uq_assignments_once",
        "assignments",
        ["study_id", "rater_id", "trial_id", "repeat"],
        unique=True,
        postgresql_where=sa.text("NOT is_returned"),
    )
    create_key_last("assignments")


def create_ratings() -> None:
    op.create_table(
        "ratings",
        sa.Column("study_id", sa.BigInteger(), nullable=False),
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("rater_id", sa.BigInteger(), nullable=False),
        sa.Column("assignment_id", sa.BigInteger(), nullable=True),
        sa.Column("question", sa.Text(), nullable=False),
        sa.Column("item_id", sa.BigInteger(), nullable=True),
        sa.Column("response_id", sa.BigInteger(), nullable=True),
        sa.Column("turn", sa.Integer(), nullable=True),
        sa.Column("number", sa.Double(), nullable=True),
        sa.Column("outcome", sa.Text(), nullable=True),
        sa.Column("chosen_response_id", sa.BigInteger(), nullable=True),
        sa.Column("strength", sa.Double(), nullable=True),
        sa.Column("codes", sa.ARRAY(sa.Text()), nullable=True),
        sa.Column("text", sa.Text(), nullable=True),
        sa.Column("side", sa.Text(), nullable=True),
        sa.Column("idempotency_key", sa.Uuid(), nullable=True),
        sa.Column("rated_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("left_response_id", sa.BigInteger(), nullable=True),
        sa.Column("right_response_id", sa.BigInteger(), nullable=True),
        sa.Column("position", sa.Integer(), nullable=True),
        sa.Column("condition", sa.Text(), nullable=True),
        sa.Column("shown_label", sa.Text(), nullable=True),
        sa.Column("repeat", sa.SmallInteger(), server_default="0", nullable=False),
        sa.Column("served_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("active_ms", sa.BigInteger(), nullable=True),
        sa.Column("device", sa.Text(), nullable=True),
        sa.Column("n_keystrokes", sa.Integer(), nullable=True),
        sa.Column("n_pasted", sa.Integer(), nullable=True),
        sa.Column("typing_ms", sa.Integer(), nullable=True),
        sa.Column("probabilities", sa.Text(), nullable=True),
        sa.Column("comment", sa.Text(), nullable=True),
        sa.Column("exclude", sa.Text(), nullable=True),
        sa.Column("stored_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint(
            "(outcome IS NOT DISTINCT FROM 'response') = (chosen_response_id IS NOT NULL)",
            name=op.f("ck_ratings_chosen"),
        ),
        sa.CheckConstraint("device IN ('phone', 'tablet', 'desktop')", name=op.f("ck_ratings_device")),
        sa.CheckConstraint(
            "outcome IN ('response', 'tie', 'neither', 'cannot_judge')", name=op.f("ck_ratings_outcome")
        ),
        sa.CheckConstraint("side IN ('left', 'right')", name=op.f("ck_ratings_side")),
        sa.CheckConstraint(
            "(left_response_id IS NULL) = (right_response_id IS NULL)", name=op.f("ck_ratings_two_sides")
        ),
        sa.CheckConstraint(
            "chosen_response_id IS NULL OR left_response_id IS NULL OR chosen_response_id IN (left_response_id, right_response_id)",
            name=op.f("ck_ratings_chosen_was_shown"),
        ),
        sa.CheckConstraint("num_nonnulls(number, outcome, codes, text) = 1", name=op.f("ck_ratings_one_answer")),
        sa.CheckConstraint("repeat >= 0", name=op.f("ck_ratings_repeat")),
        sa.CheckConstraint("response_id IS NULL OR item_id IS NOT NULL", name=op.f("ck_ratings_response_has_item")),
        sa.ForeignKeyConstraint(
            ["study_id", "assignment_id"],
            ["assignments.study_id", "assignments.id"],
            name=op.f("fk_ratings_study_id_assignment_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["study_id", "chosen_response_id"],
            ["responses.study_id", "responses.id"],
            name=op.f("fk_ratings_study_id_chosen_response_id"),
        ),
        sa.ForeignKeyConstraint(
            ["study_id", "item_id", "response_id"],
            ["responses.study_id", "responses.item_id", "responses.id"],
            name="fk_ratings_response_of_item",
        ),
        sa.ForeignKeyConstraint(
            ["study_id", "item_id"], ["items.study_id", "items.id"], name=op.f("fk_ratings_study_id_item_id")
        ),
        sa.ForeignKeyConstraint(
            ["study_id", "left_response_id"],
            ["responses.study_id", "responses.id"],
            name=op.f("fk_ratings_study_id_left_response_id"),
        ),
        sa.ForeignKeyConstraint(
            ["study_id", "question"], ["questions.study_id", "questions.key"], name=op.f("fk_ratings_study_id_question")
        ),
        sa.ForeignKeyConstraint(
            ["study_id", "rater_id"],
            ["raters.study_id", "raters.id"],
            name=op.f("fk_ratings_study_id_rater_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["study_id", "right_response_id"],
            ["responses.study_id", "responses.id"],
            name=op.f("fk_ratings_study_id_right_response_id"),
        ),
    )
    op.create_index(op.f("ix_ratings_study_id_assignment_id"), "ratings", ["study_id", "assignment_id"], unique=False)
    op.create_index(
        "uq_ratings_one_answer",
        "ratings",
        [
            "study_id",
            "rater_id",
            "item_id",
            "question",
            "response_id",
            "turn",
            "condition",
            "repeat",
            sa.literal_column("least(left_response_id, right_response_id)"),
            sa.literal_column("greatest(left_response_id, right_response_id)"),
        ],
        unique=True,
        postgresql_nulls_not_distinct=True,
    )
    create_key_last("ratings")


def create_rating_history() -> None:
    op.create_table(
        "rating_history",
        sa.Column("study_id", sa.BigInteger(), nullable=False),
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("rating_id", sa.BigInteger(), nullable=False),
        sa.Column("number", sa.Double(), nullable=True),
        sa.Column("outcome", sa.Text(), nullable=True),
        sa.Column("chosen_response_id", sa.BigInteger(), nullable=True),
        sa.Column("strength", sa.Double(), nullable=True),
        sa.Column("codes", sa.ARRAY(sa.Text()), nullable=True),
        sa.Column("text", sa.Text(), nullable=True),
        sa.Column("side", sa.Text(), nullable=True),
        sa.Column("idempotency_key", sa.Uuid(), nullable=True),
        sa.Column("rated_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("replaced_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(
            ["study_id", "rating_id"],
            ["ratings.study_id", "ratings.id"],
            name=op.f("fk_rating_history_study_id_rating_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["study_id"], ["studies.id"], name=op.f("fk_rating_history_study_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("study_id", "id", name=op.f("pk_rating_history")),
    )
    op.create_index(
        op.f("ix_rating_history_study_id_rating_id"), "rating_history", ["study_id", "rating_id"], unique=False
    )


def create_registrations() -> None:
    op.create_table(
        "registrations",
        sa.Column("study_id", sa.BigInteger(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("protocol_version", sa.Integer(), nullable=False),
        sa.Column("sha256", sa.Text(), nullable=False),
        sa.Column("document", sa.Text(), nullable=False),
        sa.Column("registered_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(
            ["study_id"], ["studies.id"], name=op.f("fk_registrations_study_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("study_id", "number", name=op.f("pk_registrations")),
    )


def create_snapshots() -> None:
    op.create_table(
        "snapshots",
        sa.Column(
            "token",
            sa.Text(),
            server_default=sa.text("substr(replace((gen_random_uuid())::text, '-'::text, ''::text), 1, 16)"),
            nullable=False,
        ),
        sa.Column("study_id", sa.BigInteger(), nullable=True),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("protocol_version", sa.Integer(), nullable=False),
        sa.Column("data_hash", sa.Text(), nullable=False),
        sa.Column("read_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("report", sa.LargeBinary(), nullable=True),
        sa.Column("lead_id", sa.BigInteger(), nullable=True),
        sa.Column("saved_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("deleted_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("(deleted_at IS NULL) = (report IS NOT NULL)", name=op.f("ck_snapshots_report")),
        sa.ForeignKeyConstraint(["lead_id"], ["leads.id"], name=op.f("fk_snapshots_lead_id"), ondelete="SET NULL"),
        sa.ForeignKeyConstraint(["study_id"], ["studies.id"], name=op.f("fk_snapshots_study_id"), ondelete="SET NULL"),
        sa.PrimaryKeyConstraint("token", name=op.f("pk_snapshots")),
    )
    op.create_index(op.f("ix_snapshots_study_id"), "snapshots", ["study_id"], unique=False)


def create_model_runs() -> None:
    op.create_table(
        "model_runs",
        sa.Column("study_id", sa.BigInteger(), nullable=False),
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("purpose", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("protocol_version", sa.Integer(), nullable=False),
        sa.Column("rater_id", sa.BigInteger(), nullable=True),
        sa.Column("endpoint", sa.Text(), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("settings", postgresql.JSONB(), nullable=False),
        sa.Column("limits", postgresql.JSONB(), nullable=True),
        sa.Column("is_queued", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("is_stopped", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("stop_reason", sa.Text(), nullable=True),
        sa.Column("lead_id", sa.BigInteger(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint("purpose IN ('judge', 'respond')", name=op.f("ck_model_runs_purpose")),
        sa.ForeignKeyConstraint(["lead_id"], ["leads.id"], name=op.f("fk_model_runs_lead_id"), ondelete="SET NULL"),
        sa.ForeignKeyConstraint(["study_id"], ["studies.id"], name=op.f("fk_model_runs_study_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["study_id", "protocol_version"],
            ["protocols.study_id", "protocols.version"],
            name=op.f("fk_model_runs_study_id_protocol_version"),
        ),
        sa.ForeignKeyConstraint(
            ["study_id", "rater_id"],
            ["raters.study_id", "raters.id"],
            name=op.f("fk_model_runs_study_id_rater_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("study_id", "id", name=op.f("pk_model_runs")),
        sa.UniqueConstraint("study_id", "purpose", "name", name=op.f("uq_model_runs_study_id_purpose_name")),
    )


def create_model_requests() -> None:
    op.create_table(
        "model_requests",
        sa.Column("study_id", sa.BigInteger(), nullable=False),
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("run_id", sa.BigInteger(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("attempt", sa.SmallInteger(), server_default="0", nullable=False),
        sa.Column("kind", sa.Text(), server_default="first", nullable=False),
        sa.Column("stage", sa.SmallInteger(), server_default="0", nullable=False),
        sa.Column("item_id", sa.BigInteger(), nullable=False),
        sa.Column("response_ids", sa.ARRAY(sa.BigInteger()), nullable=False),
        sa.Column("condition", sa.Text(), server_default="", nullable=False),
        sa.Column("repeat", sa.SmallInteger(), server_default="0", nullable=False),
        sa.Column("n_turns_done", sa.Integer(), server_default="0", nullable=False),
        sa.Column("seed", sa.BigInteger(), nullable=True),
        sa.Column("prompt", postgresql.JSONB(), nullable=True),
        sa.Column("outcome", sa.Text(), nullable=True),
        sa.Column("problem", sa.Text(), nullable=True),
        sa.Column("raw_answer", sa.Text(), nullable=True),
        sa.Column("n_tries", sa.Integer(), server_default="0", nullable=False),
        sa.Column("tokens_in", sa.Integer(), nullable=True),
        sa.Column("tokens_out", sa.Integer(), nullable=True),
        sa.Column("latency_ms", sa.Integer(), nullable=True),
        sa.Column("model_version", sa.Text(), nullable=True),
        sa.Column("fingerprint", sa.Text(), nullable=True),
        sa.Column("probabilities", postgresql.JSONB(), nullable=True),
        sa.Column("asked_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("answered_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "outcome IN ('answered', 'unparsed', 'refused', 'cut_off', 'too_long', 'failed')",
            name=op.f("ck_model_requests_outcome"),
        ),
        sa.CheckConstraint("(outcome IS NULL) = (answered_at IS NULL)", name=op.f("ck_model_requests_answered_at")),
        sa.CheckConstraint("kind IN ('first', 'repair', 'step', 'length')", name=op.f("ck_model_requests_kind")),
        sa.CheckConstraint("(attempt = 0) = (kind = 'first')", name=op.f("ck_model_requests_attempt")),
        sa.ForeignKeyConstraint(
            ["study_id"], ["studies.id"], name=op.f("fk_model_requests_study_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["study_id", "run_id"],
            ["model_runs.study_id", "model_runs.id"],
            name=op.f("fk_model_requests_study_id_run_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["study_id", "item_id"],
            ["items.study_id", "items.id"],
            name=op.f("fk_model_requests_study_id_item_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("study_id", "id", name=op.f("pk_model_requests")),
        sa.UniqueConstraint(
            "study_id", "run_id", "number", "attempt", name=op.f("uq_model_requests_study_id_run_id_number_attempt")
        ),
    )


def create_model_texts() -> None:
    op.create_table(
        "model_texts",
        sa.Column("study_id", sa.BigInteger(), nullable=False),
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("run_id", sa.BigInteger(), nullable=False),
        sa.Column("request_id", sa.BigInteger(), nullable=False),
        sa.Column("item_id", sa.BigInteger(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("n_words", sa.Integer(), nullable=False),
        sa.Column("target_words", sa.Integer(), nullable=True),
        sa.Column("decision", sa.Text(), nullable=True),
        sa.Column("edited_text", sa.Text(), nullable=True),
        sa.Column("lead_id", sa.BigInteger(), nullable=True),
        sa.Column("decided_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("used_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("decision IN ('accepted', 'edited', 'rejected')", name=op.f("ck_model_texts_decision")),
        sa.CheckConstraint("(decision IS NULL) = (decided_at IS NULL)", name=op.f("ck_model_texts_decided_at")),
        sa.CheckConstraint(
            "(decision IS NOT DISTINCT FROM 'edited') = (edited_text IS NOT NULL)",
            name=op.f("ck_model_texts_edited_text"),
        ),
        sa.ForeignKeyConstraint(["study_id"], ["studies.id"], name=op.f("fk_model_texts_study_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["lead_id"], ["leads.id"], name=op.f("fk_model_texts_lead_id"), ondelete="SET NULL"),
        sa.ForeignKeyConstraint(
            ["study_id", "run_id"],
            ["model_runs.study_id", "model_runs.id"],
            name=op.f("fk_model_texts_study_id_run_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["study_id", "request_id"],
            ["model_requests.study_id", "model_requests.id"],
            name=op.f("fk_model_texts_study_id_request_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["study_id", "item_id"],
            ["items.study_id", "items.id"],
            name=op.f("fk_model_texts_study_id_item_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("study_id", "id", name=op.f("pk_model_texts")),
        sa.UniqueConstraint("study_id", "run_id", "item_id", name=op.f("uq_model_texts_study_id_run_id_item_id")),
    )


# In the order in which they refer to each other.
def create_rater_messages() -> None:
    op.create_table(
        "rater_messages",
        sa.Column("study_id", sa.BigInteger(), nullable=False),
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("rater_id", sa.BigInteger(), nullable=False),
        sa.Column("batch", sa.Uuid(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("lead_id", sa.BigInteger(), nullable=True),
        sa.Column("sent_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("read_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["lead_id"], ["leads.id"], name=op.f("fk_rater_messages_lead_id"), ondelete="SET NULL"),
        sa.ForeignKeyConstraint(
            ["study_id"], ["studies.id"], name=op.f("fk_rater_messages_study_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["study_id", "rater_id"],
            ["raters.study_id", "raters.id"],
            name=op.f("fk_rater_messages_study_id_rater_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("study_id", "id", name=op.f("pk_rater_messages")),
    )
    op.create_index(
        "ix_rater_messages_unread",
        "rater_messages",
        ["study_id", "rater_id"],
        unique=False,
        postgresql_where=sa.text("read_at IS NULL"),
    )
    op.create_index(op.f("ix_rater_messages_study_id_batch"), "rater_messages", ["study_id", "batch"], unique=False)


def create_webhooks() -> None:
    op.create_table(
        "webhooks",
        sa.Column("study_id", sa.BigInteger(), nullable=False),
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("address", sa.Text(), nullable=False),
        sa.Column("events", postgresql.ARRAY(sa.Text()), nullable=False),
        sa.Column("salt", sa.LargeBinary(), nullable=False),
        sa.Column("lead_id", sa.BigInteger(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("n_failures", sa.Integer(), server_default="0", nullable=False),
        sa.Column("failing_since", sa.DateTime(timezone=True), nullable=True),
        sa.Column("paused_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("pause_reason", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["lead_id"], ["leads.id"], name=op.f("fk_webhooks_lead_id"), ondelete="SET NULL"),
        sa.ForeignKeyConstraint(["study_id"], ["studies.id"], name=op.f("fk_webhooks_study_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("study_id", "id", name=op.f("pk_webhooks")),
    )


def create_webhook_deliveries() -> None:
    op.create_table(
        "webhook_deliveries",
        sa.Column("study_id", sa.BigInteger(), nullable=False),
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("webhook_id", sa.BigInteger(), nullable=False),
        sa.Column("rater_id", sa.BigInteger(), nullable=True),
        sa.Column("event", sa.Text(), nullable=False),
        sa.Column("occurrence", sa.Text(), nullable=True),
        sa.Column("message_id", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("n_attempts", sa.SmallInteger(), server_default="0", nullable=False),
        sa.Column("attempted_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("next_attempt_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("delivered_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("status", sa.SmallInteger(), nullable=True),
        sa.Column("answer", sa.Text(), nullable=True),
        sa.CheckConstraint(
            "event IN ('session.finished', 'study.full', 'webhook.test')", name=op.f("ck_webhook_deliveries_event")
        ),
        sa.ForeignKeyConstraint(
            ["study_id"], ["studies.id"], name=op.f("fk_webhook_deliveries_study_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["study_id", "rater_id"],
            ["raters.study_id", "raters.id"],
            name=op.f("fk_webhook_deliveries_study_id_rater_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["study_id", "webhook_id"],
            ["webhooks.study_id", "webhooks.id"],
            name=op.f("fk_webhook_deliveries_study_id_webhook_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("study_id", "id", name=op.f("pk_webhook_deliveries")),
    )
    op.create_index(
        "ix_webhook_deliveries_due",
        "webhook_deliveries",
        ["study_id", "webhook_id", "next_attempt_at"],
        unique=False,
        postgresql_where=sa.text("next_attempt_at IS NOT NULL"),
    )
    op.create_index(
        "ix_webhook_deliveries_webhook", "webhook_deliveries", ["study_id", "webhook_id", "id"], unique=False
    )
    op.create_index(
        "ix_webhook_deliveries_rater",
        "webhook_deliveries",
        ["study_id", "rater_id"],
        unique=False,
        postgresql_where=sa.text("rater_id IS NOT NULL"),
    )
    op.create_index(
        "uq_webhook_deliveries_occurrence",
        "webhook_deliveries",
        ["study_id", "webhook_id", "event", "occurrence"],
        unique=True,
        postgresql_where=sa.text("occurrence IS NOT NULL"),
    )


TABLES = (
    create_attempts,
    create_audit_log,
    create_chart_files,
    create_leads,
    create_secrets,
    create_lead_identities,
    create_lead_sessions,
    create_sign_in_links,
    create_studies,
    create_study_members,
    create_study_invitations,
    create_api_tokens,
    create_api_requests,
    create_items,
    create_protocols,
    create_protocol_edits,
    create_text_uploads,
    create_questions,
    create_raters,
    create_sources,
    create_events,
    create_rater_exclusions,
    create_invites,
    create_platform_ids,
    create_rating_sessions,
    create_responses,
    create_trials,
    create_withdrawals,
    create_seats,
    create_condition_seats,
    create_admission_seats,
    create_session_moves,
    create_steps,
    create_assignments,
    create_ratings,
    create_rating_history,
    create_registrations,
    create_model_runs,
    create_model_requests,
    create_model_texts,
    create_snapshots,
    create_rater_messages,
    create_webhooks,
    create_webhook_deliveries,
)


def upgrade() -> None:
    for create in TABLES:
        create()
    op.create_foreign_key(
        op.f("fk_seats_study_id_assignment_id"),
        "seats",
        "assignments",
        ["study_id", "assignment_id"],
        ["study_id", "id"],
        deferrable=True,
        initially="DEFERRED",
    )
    op.execute(KEEP_RATING_HISTORY)
    op.execute(KEEP_HISTORY)


def downgrade() -> None:
    for create in reversed(TABLES):
        name = create.__name__.removeprefix("create_")
        op.execute(f'DROP TABLE "{name}" CASCADE')
    op.execute("DROP FUNCTION keep_rating_history()")
