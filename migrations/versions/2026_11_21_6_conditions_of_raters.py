"""A sitting keeps its condition between raters, and its number there, from which the conditions within follow."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "2026_11_21_6"
down_revision = "2026_11_21_5"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("rating_sessions", sa.Column("condition", sa.Text()))
    op.add_column("rating_sessions", sa.Column("number_in_condition", sa.Integer()))


def downgrade() -> None:
    op.drop_column("rating_sessions", "number_in_condition")
    op.drop_column("rating_sessions", "condition")
