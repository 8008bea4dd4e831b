"""A protocol keeps the order of its keys: jsonb sorted the codes of a question and the sources of a study."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "2026_11_21_5"
down_revision = "2026_11_21_4"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.alter_column(
        "protocols",
        "document",
        type_=postgresql.JSON(astext_type=sa.Text()),
        existing_nullable=False,
        postgresql_using="document::json",
    )


def downgrade() -> None:
    op.alter_column(
        "protocols",
        "document",
        type_=postgresql.JSONB(astext_type=sa.Text()),
        existing_nullable=False,
        postgresql_using="document::jsonb",
    )
