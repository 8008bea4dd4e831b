"""How many turns of a dialogue a rater has passed, where it is revealed turn by turn."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "2026_11_21_9"
down_revision = "2026_11_21_7"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("assignments", sa.Column("n_turns_done", sa.Integer(), server_default="0", nullable=False))


def downgrade() -> None:
    op.drop_column("assignments", "n_turns_done")
