"""Add a mark for raters whose ratings were collected elsewhere."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "2026_11_22_imported_raters"
down_revision = "2026_11_22_initial"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("raters", sa.Column("is_imported", sa.Boolean(), server_default=sa.text("false"), nullable=False))


def downgrade() -> None:
    op.drop_column("raters", "is_imported")
