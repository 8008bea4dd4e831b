"""What a trial is for: to be rated, to practise on, or a gold trial, whose right answers are known."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "2026_11_21_12"
down_revision = "2026_11_21_11"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("trials", sa.Column("purpose", sa.Text(), server_default="rating", nullable=False))
    op.create_check_constraint("purpose", "trials", "purpose IN ('rating', 'practice', 'gold')")


def downgrade() -> None:
    op.drop_constraint("purpose", "trials", type_="check")
    op.drop_column("trials", "purpose")
