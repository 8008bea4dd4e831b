"""Attempts to sign in, counted."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "2026_11_21_4"
down_revision = "2026_11_21_3"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "attempts",
        sa.Column("key_hash", sa.LargeBinary(), nullable=False),
        sa.Column("n_attempts", sa.Integer(), nullable=False),
        sa.Column("resets_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("key_hash", name=op.f("pk_attempts")),
    )


def downgrade() -> None:
    op.drop_table("attempts")
