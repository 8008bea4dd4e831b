"""Who withdrew and may know it again, a rater's own pauses, and trials that are looked back on."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "2026_11_21_11"
down_revision = "2026_11_21_10"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "withdrawals",
        sa.Column("study_id", sa.BigInteger(), nullable=False),
        sa.Column("token_hash", sa.LargeBinary(), nullable=False),
        sa.Column("receipt", sa.Text(), nullable=False),
        sa.Column("protocol_version", sa.Integer(), nullable=False),
        sa.Column("platform", sa.Text(), nullable=True),
        sa.Column("outcome", sa.Text(), nullable=False),
        sa.Column("withdrew_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("deleted_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "outcome IN ('completed', 'screened_out', 'failed_checks', 'full', 'withdrew')",
            name=op.f("ck_withdrawals_outcome"),
        ),
        sa.ForeignKeyConstraint(["study_id"], ["studies.id"], name=op.f("fk_withdrawals_study_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["study_id", "protocol_version"],
            ["protocols.study_id", "protocols.version"],
            name=op.f("fk_withdrawals_study_id_protocol_version"),
        ),
        sa.PrimaryKeyConstraint("study_id", "token_hash", name=op.f("pk_withdrawals")),
        sa.UniqueConstraint("study_id", "receipt", name=op.f("uq_withdrawals_study_id_receipt")),
    )
    op.add_column("rating_sessions", sa.Column("paused_at", sa.DateTime(timezone=True), nullable=True))
    for name in ("revisit_served_at", "revisited_at"):
        op.add_column("assignments", sa.Column(name, sa.DateTime(timezone=True), nullable=True))
    op.create_index(op.f("ix_events_study_id_rater_id"), "events", ["study_id", "rater_id"])


def downgrade() -> None:
    op.drop_index(op.f("ix_events_study_id_rater_id"), "events")
    for name in ("revisit_served_at", "revisited_at"):
        op.drop_column("assignments", name)
    op.drop_column("rating_sessions", "paused_at")
    op.drop_table("withdrawals")
