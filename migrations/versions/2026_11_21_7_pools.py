"""A seat belongs to a pool of raters, or to one rater by name; making many of them costs less."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "2026_11_21_7"
down_revision = "2026_11_21_6"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("seats", sa.Column("pool", sa.Text(), server_default="", nullable=False))
    op.add_column("seats", sa.Column("rater_id", sa.BigInteger()))
    op.drop_constraint("pk_seats", "seats")
    op.create_primary_key("pk_seats", "seats", ["study_id", "trial_id", "pool", "seat"])
    op.drop_index("ix_seats_free", "seats")
    op.create_index(
        "ix_seats_free",
        "seats",
        ["study_id", "pool", "seat", "shuffle"],
        postgresql_where=sa.text("assignment_id IS NULL"),
    )
    op.create_foreign_key(
        op.f("fk_seats_study_id_rater_id"),
        "seats",
        "raters",
        ["study_id", "rater_id"],
        ["study_id", "id"],
        ondelete="CASCADE",
    )
    op.create_index(
        "ix_seats_named", "seats", ["study_id", "rater_id"], postgresql_where=sa.text("rater_id IS NOT NULL")
    )
    op.drop_constraint("fk_seats_study_id", "seats")
    op.drop_constraint("fk_trials_study_id", "trials")
    op.drop_constraint("uq_seats_study_id_assignment_id", "seats")
    op.create_index(
        "uq_seats_assignment",
        "seats",
        ["study_id", "assignment_id"],
        unique=True,
        postgresql_where=sa.text("assignment_id IS NOT NULL"),
    )


def downgrade() -> None:
    op.drop_index("uq_seats_assignment", "seats")
    op.create_unique_constraint("uq_seats_study_id_assignment_id", "seats", ["study_id", "assignment_id"])
    op.create_foreign_key("fk_trials_study_id", "trials", "studies", ["study_id"], ["id"], ondelete="CASCADE")
    op.create_foreign_key("fk_seats_study_id", "seats", "studies", ["study_id"], ["id"], ondelete="CASCADE")
    op.drop_index("ix_seats_named", "seats")
    op.drop_constraint(op.f("fk_seats_study_id_rater_id"), "seats")
    op.drop_index("ix_seats_free", "seats")
    op.create_index(
        "ix_seats_free", "seats", ["study_id", "seat", "shuffle"], postgresql_where=sa.text("assignment_id IS NULL")
    )
    op.drop_constraint("pk_seats", "seats")
    op.execute("DELETE FROM seats WHERE pool <> ''")
    op.create_primary_key("pk_seats", "seats", ["study_id", "trial_id", "seat"])
    op.drop_column("seats", "rater_id")
    op.drop_column("seats", "pool")
