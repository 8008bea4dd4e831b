"""Add registrations: the protocol and the plan as they were at a time, with a hash."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "2026_11_22_registrations"
down_revision = "2026_11_22_imported_raters"
branch_labels = None
depends_on = None


def upgrade() -> None:
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


def downgrade() -> None:
    op.drop_table("registrations")
