"""Raters and assignments."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "2026_11_21_2"
down_revision = "2026_11_21_1"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "raters",
        sa.Column("study_id", sa.BigInteger(), nullable=False),
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), server_default="person", nullable=False),
        sa.Column("pool", sa.Text(), nullable=True),
        sa.Column("is_simulated", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column(
            "attributes", postgresql.JSONB(astext_type=sa.Text()), server_default=sa.text("'{}'"), nullable=False
        ),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint("kind IN ('person', 'model')", name=op.f("ck_raters_kind")),
        sa.ForeignKeyConstraint(["study_id"], ["studies.id"], name=op.f("fk_raters_study_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("study_id", "id", name=op.f("pk_raters")),
        sa.UniqueConstraint("study_id", "key", name=op.f("uq_raters_study_id_key")),
    )
    op.create_table(
        "platform_ids",
        sa.Column("study_id", sa.BigInteger(), nullable=False),
        sa.Column("rater_id", sa.BigInteger(), nullable=False),
        sa.Column("platform", sa.Text(), nullable=False),
        sa.Column("platform_id", sa.Text(), nullable=False),
        sa.Column(
            "parameters", postgresql.JSONB(astext_type=sa.Text()), server_default=sa.text("'{}'"), nullable=False
        ),
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
    op.create_table(
        "rating_sessions",
        sa.Column("study_id", sa.BigInteger(), nullable=False),
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("rater_id", sa.BigInteger(), nullable=False),
        sa.Column("token_hash", sa.LargeBinary(), nullable=False),
        sa.Column("protocol_version", sa.Integer(), nullable=False),
        sa.Column("state", sa.Text(), server_default="arrived", nullable=False),
        sa.Column("keys_off", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("arrived_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("begun_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("last_seen_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("lease_expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "(state = 'finished') = (finished_at IS NOT NULL)", name=op.f("ck_rating_sessions_finished_at")
        ),
        sa.CheckConstraint(
            "state IN ('arrived', 'active', 'finished', 'expired', 'full')", name=op.f("ck_rating_sessions_state")
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
        sa.PrimaryKeyConstraint("study_id", "id", name=op.f("pk_rating_sessions")),
        sa.UniqueConstraint("token_hash", name=op.f("uq_rating_sessions_token_hash")),
    )
    op.create_index(
        op.f("ix_rating_sessions_study_id_rater_id"), "rating_sessions", ["study_id", "rater_id"], unique=False
    )
    op.create_table(
        "trials",
        sa.Column("study_id", sa.BigInteger(), nullable=False),
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("item_id", sa.BigInteger(), nullable=False),
        sa.Column("response_ids", sa.ARRAY(sa.BigInteger()), nullable=False),
        sa.Column("condition", sa.Text(), server_default="", nullable=False),
        sa.Column("shuffle", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(
            ["study_id", "item_id"],
            ["items.study_id", "items.id"],
            name=op.f("fk_trials_study_id_item_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(["study_id"], ["studies.id"], name=op.f("fk_trials_study_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("study_id", "id", name=op.f("pk_trials")),
        sa.UniqueConstraint(
            "study_id",
            "item_id",
            "response_ids",
            "condition",
            name=op.f("uq_trials_study_id_item_id_response_ids_condition"),
        ),
    )
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
        sa.Column("planned_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("served_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("first_action_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("submitted_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("active_ms", sa.BigInteger(), nullable=True),
        sa.Column("hidden_ms", sa.BigInteger(), nullable=True),
        sa.Column("skip_reason", sa.Text(), nullable=True),
        sa.CheckConstraint("(state = 'done') <= (submitted_at IS NOT NULL)", name=op.f("ck_assignments_submitted_at")),
        sa.CheckConstraint(
            "state IN ('planned', 'leased', 'done', 'skipped', 'returned')", name=op.f("ck_assignments_state")
        ),
        sa.CheckConstraint(
            "state IN ('planned', 'returned') OR served_at IS NOT NULL", name=op.f("ck_assignments_served_at")
        ),
        sa.ForeignKeyConstraint(
            ["study_id", "rater_id"],
            ["raters.study_id", "raters.id"],
            name=op.f("fk_assignments_study_id_rater_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["study_id", "rating_session_id"],
            ["rating_sessions.study_id", "rating_sessions.id"],
            name=op.f("fk_assignments_study_id_rating_session_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["study_id", "trial_id"], ["trials.study_id", "trials.id"], name=op.f("fk_assignments_study_id_trial_id")
        ),
        sa.ForeignKeyConstraint(["study_id"], ["studies.id"], name=op.f("fk_assignments_study_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("study_id", "id", name=op.f("pk_assignments")),
        sa.UniqueConstraint(
            "study_id", "rating_session_id", "position", name=op.f("uq_assignments_study_id_rating_session_id_position")
        ),
        sa.UniqueConstraint("token", name=op.f("uq_assignments_token")),
    )
    op.create_index(
        "uq_assignments_once",
        "assignments",
        ["study_id", "rater_id", "trial_id", "repeat"],
        unique=True,
        postgresql_where=sa.text("state <> 'returned'"),
    )
    op.create_table(
        "seats",
        sa.Column("study_id", sa.BigInteger(), nullable=False),
        sa.Column("trial_id", sa.BigInteger(), nullable=False),
        sa.Column("seat", sa.SmallInteger(), nullable=False),
        sa.Column("shuffle", sa.Double(), nullable=False),
        sa.Column("assignment_id", sa.BigInteger(), nullable=True),
        sa.CheckConstraint("seat >= 1", name=op.f("ck_seats_seat")),
        sa.ForeignKeyConstraint(
            ["study_id", "assignment_id"],
            ["assignments.study_id", "assignments.id"],
            name=op.f("fk_seats_study_id_assignment_id"),
            initially="DEFERRED",
            deferrable=True,
        ),
        sa.ForeignKeyConstraint(
            ["study_id", "trial_id"],
            ["trials.study_id", "trials.id"],
            name=op.f("fk_seats_study_id_trial_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(["study_id"], ["studies.id"], name=op.f("fk_seats_study_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("study_id", "trial_id", "seat", name=op.f("pk_seats")),
        sa.UniqueConstraint("study_id", "assignment_id", name=op.f("uq_seats_study_id_assignment_id")),
    )
    op.create_index(
        "ix_seats_free",
        "seats",
        ["study_id", "seat", "shuffle"],
        unique=False,
        postgresql_where=sa.text("assignment_id IS NULL"),
    )


def downgrade() -> None:
    op.drop_table("seats")
    op.drop_table("assignments")
    op.drop_table("trials")
    op.drop_table("rating_sessions")
    op.drop_table("invites")
    op.drop_table("platform_ids")
    op.drop_table("raters")
