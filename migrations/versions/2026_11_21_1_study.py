"""Leads and studies."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "2026_11_21_1"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "secrets",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("value", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_secrets")),
    )
    op.create_table(
        "leads",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("email", sa.Text(), nullable=False),
        sa.Column("password_hash", sa.Text(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint("email = lower(email) AND email LIKE '%%_@_%%'", name=op.f("ck_leads_email")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_leads")),
        sa.UniqueConstraint("email", name=op.f("uq_leads_email")),
    )
    op.create_table(
        "lead_sessions",
        sa.Column("token_hash", sa.LargeBinary(), nullable=False),
        sa.Column("lead_id", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("revoked_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["lead_id"], ["leads.id"], name=op.f("fk_lead_sessions_lead_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("token_hash", name=op.f("pk_lead_sessions")),
    )
    op.create_index(op.f("ix_lead_sessions_lead_id"), "lead_sessions", ["lead_id"], unique=False)
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
    op.create_table(
        "studies",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("slug", sa.Text(), nullable=False),
        sa.Column("lead_id", sa.BigInteger(), nullable=True),
        sa.Column("status", sa.Text(), server_default="draft", nullable=False),
        sa.Column("protocol_version", sa.Integer(), server_default="1", nullable=False),
        sa.Column("seed", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("is_demo", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("opened_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("closed_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("status = 'draft' OR opened_at IS NOT NULL", name=op.f("ck_studies_opened_at")),
        sa.CheckConstraint("status IN ('draft', 'open', 'paused', 'closed')", name=op.f("ck_studies_status")),
        sa.ForeignKeyConstraint(["lead_id"], ["leads.id"], name=op.f("fk_studies_lead_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_studies")),
        sa.UniqueConstraint("slug", name=op.f("uq_studies_slug")),
    )
    op.create_index(op.f("ix_studies_lead_id"), "studies", ["lead_id"], unique=False)
    op.create_table(
        "protocols",
        sa.Column("study_id", sa.BigInteger(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("document", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("yaml", sa.Text(), nullable=False),
        sa.Column("sha256", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(["study_id"], ["studies.id"], name=op.f("fk_protocols_study_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("study_id", "version", name=op.f("pk_protocols")),
    )
    op.create_table(
        "questions",
        sa.Column("study_id", sa.BigInteger(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("type", sa.Text(), nullable=False),
        sa.Column("target", sa.Text(), nullable=False),
        sa.CheckConstraint("target IN ('response', 'pair', 'item', 'turn', 'rater')", name=op.f("ck_questions_target")),
        sa.CheckConstraint(
            "type IN ('rating', 'slider', 'choice', 'category', 'text', 'highlight')", name=op.f("ck_questions_type")
        ),
        sa.ForeignKeyConstraint(["study_id"], ["studies.id"], name=op.f("fk_questions_study_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("study_id", "key", name=op.f("pk_questions")),
    )
    op.create_table(
        "sources",
        sa.Column("study_id", sa.BigInteger(), nullable=False),
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column(
            "attributes", postgresql.JSONB(astext_type=sa.Text()), server_default=sa.text("'{}'"), nullable=False
        ),
        sa.CheckConstraint("kind IN ('human', 'model', 'human+model')", name=op.f("ck_sources_kind")),
        sa.ForeignKeyConstraint(["study_id"], ["studies.id"], name=op.f("fk_sources_study_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("study_id", "id", name=op.f("pk_sources")),
        sa.UniqueConstraint("study_id", "key", name=op.f("uq_sources_study_id_key")),
    )
    op.create_table(
        "items",
        sa.Column("study_id", sa.BigInteger(), nullable=False),
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("text", sa.Text(), nullable=True),
        sa.Column("turns", postgresql.JSONB(none_as_null=True, astext_type=sa.Text()), nullable=True),
        sa.Column("profile", sa.Text(), nullable=True),
        sa.Column("content_note", sa.Text(), nullable=True),
        sa.Column(
            "attributes", postgresql.JSONB(astext_type=sa.Text()), server_default=sa.text("'{}'"), nullable=False
        ),
        sa.CheckConstraint("turns IS NULL OR jsonb_typeof(turns) = 'array'", name=op.f("ck_items_turns")),
        sa.CheckConstraint("(text IS NULL) <> (turns IS NULL)", name=op.f("ck_items_text_or_turns")),
        sa.ForeignKeyConstraint(["study_id"], ["studies.id"], name=op.f("fk_items_study_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("study_id", "id", name=op.f("pk_items")),
        sa.UniqueConstraint("study_id", "key", name=op.f("uq_items_study_id_key")),
    )
    op.create_table(
        "responses",
        sa.Column("study_id", sa.BigInteger(), nullable=False),
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("item_id", sa.BigInteger(), nullable=False),
        sa.Column("source_id", sa.BigInteger(), nullable=False),
        sa.Column("text", sa.Text(), nullable=True),
        sa.Column("turns", postgresql.JSONB(none_as_null=True, astext_type=sa.Text()), nullable=True),
        sa.Column(
            "attributes", postgresql.JSONB(astext_type=sa.Text()), server_default=sa.text("'{}'"), nullable=False
        ),
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


def downgrade() -> None:
    op.drop_table("responses")
    op.drop_table("items")
    op.drop_table("sources")
    op.drop_table("questions")
    op.drop_table("protocols")
    op.drop_table("studies")
    op.drop_table("sign_in_links")
    op.drop_table("lead_sessions")
    op.drop_table("leads")
    op.drop_table("secrets")
