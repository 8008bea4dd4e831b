"""Browsers that go on with a rating session by an ID alone, and what they may see."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "2026_11_22_1"
down_revision = "2026_11_21_12"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "session_moves",
        sa.Column("study_id", sa.BigInteger(), nullable=False),
        sa.Column("id", sa.BigInteger(), sa.Identity(), nullable=False),
        sa.Column("rating_session_id", sa.BigInteger(), nullable=False),
        sa.Column("token_hash", sa.LargeBinary(), nullable=False),
        sa.Column("parameters", postgresql.JSONB(), server_default=sa.text("'{}'"), nullable=False),
        sa.Column("moved_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(
            ["study_id"], ["studies.id"], name=op.f("fk_session_moves_study_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["study_id", "rating_session_id"],
            ["rating_sessions.study_id", "rating_sessions.id"],
            name=op.f("fk_session_moves_study_id_rating_session_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("study_id", "id", name=op.f("pk_session_moves")),
        sa.UniqueConstraint("token_hash", name=op.f("uq_session_moves_token_hash")),
    )
    op.create_index(
        op.f("ix_session_moves_study_id_rating_session_id"), "session_moves", ["study_id", "rating_session_id"]
    )
    op.add_column("assignments", sa.Column("move_id", sa.BigInteger(), nullable=True))
    op.add_column("assignments", sa.Column("moved_at", sa.DateTime(timezone=True), nullable=True))
    op.create_foreign_key(
        op.f("fk_assignments_study_id_move_id"),
        "assignments",
        "session_moves",
        ["study_id", "move_id"],
        ["study_id", "id"],
    )
    op.create_check_constraint("moved_at", "assignments", "(move_id IS NULL) = (moved_at IS NULL)")
    op.add_column("withdrawals", sa.Column("move_hash", sa.LargeBinary(), nullable=True))


def downgrade() -> None:
    op.drop_column("withdrawals", "move_hash")
    op.drop_constraint("moved_at", "assignments", type_="check")
    op.drop_constraint(op.f("fk_assignments_study_id_move_id"), "assignments", type_="foreignkey")
    op.drop_column("assignments", "moved_at")
    op.drop_column("assignments", "move_id")
    op.drop_table("session_moves")
