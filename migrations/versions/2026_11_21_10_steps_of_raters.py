"""The steps that raters have passed, how sittings end otherwise, and how many did not consent."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "2026_11_21_10"
down_revision = "2026_11_21_9"
branch_labels = None
depends_on = None

STATES = "'arrived', 'active', 'finished', 'expired', 'full'"
ENDED = "'screened_out', 'failed_checks', 'withdrawn'"


def upgrade() -> None:
    op.create_table(
        "steps",
        sa.Column("study_id", sa.BigInteger(), nullable=False),
        sa.Column("rating_session_id", sa.BigInteger(), nullable=False),
        sa.Column("step", sa.Text(), nullable=False),
        sa.Column("detail", postgresql.JSONB(astext_type=sa.Text()), server_default=sa.text("'{}'"), nullable=False),
        sa.Column("done_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(["study_id"], ["studies.id"], name=op.f("fk_steps_study_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["study_id", "rating_session_id"],
            ["rating_sessions.study_id", "rating_sessions.id"],
            name=op.f("fk_steps_study_id_rating_session_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("study_id", "rating_session_id", "step", name=op.f("pk_steps")),
    )
    op.add_column("studies", sa.Column("n_refused", sa.Integer(), server_default="0", nullable=False))
    op.drop_constraint(op.f("ck_rating_sessions_state"), "rating_sessions")
    op.create_check_constraint(op.f("ck_rating_sessions_state"), "rating_sessions", f"state IN ({STATES}, {ENDED})")
    op.execute("""
        INSERT INTO steps (study_id, rating_session_id, step, done_at)
        SELECT study_id, id, 'instructions', begun_at FROM rating_sessions WHERE begun_at IS NOT NULL
    """)


def downgrade() -> None:
    op.execute(f"UPDATE rating_sessions SET state = 'expired' WHERE state IN ({ENDED})")  # noqa: S608 - constants only
    op.drop_constraint(op.f("ck_rating_sessions_state"), "rating_sessions")
    op.create_check_constraint(op.f("ck_rating_sessions_state"), "rating_sessions", f"state IN ({STATES})")
    op.drop_column("studies", "n_refused")
    op.drop_table("steps")
