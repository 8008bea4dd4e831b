"""On which class of device an answer was given."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "2026_11_22_5"
down_revision = "2026_11_22_4"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("ratings", sa.Column("device", sa.Text(), nullable=True))
    op.create_check_constraint("device", "ratings", "device IN ('phone', 'tablet', 'desktop')")


def downgrade() -> None:
    op.drop_constraint("device", "ratings", type_="check")
    op.drop_column("ratings", "device")
