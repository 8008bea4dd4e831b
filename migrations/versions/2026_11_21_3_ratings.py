"""Ratings and their history."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "2026_11_21_3"
down_revision = "2026_11_21_2"
branch_labels = None
depends_on = None

# A changed answer keeps the earlier value and both times, whichever way it was changed.
KEEP_HISTORY = """
CREATE FUNCTION keep_rating_history() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO rating_history (study_id, rating_id, number, outcome, chosen_response_id, strength, codes, text, side,
                              idempotency_key, rated_at)
  VALUES (OLD.study_id, OLD.id, OLD.number, OLD.outcome, OLD.chosen_response_id, OLD.strength, OLD.codes, OLD.text,
          OLD.side, OLD.idempotency_key, OLD.rated_at);
  RETURN NULL;
END $$
"""


def upgrade() -> None:
    op.create_table(
        "ratings",
        sa.Column("study_id", sa.BigInteger(), nullable=False),
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("rater_id", sa.BigInteger(), nullable=False),
        sa.Column("assignment_id", sa.BigInteger(), nullable=True),
        sa.Column("question", sa.Text(), nullable=False),
        sa.Column("item_id", sa.BigInteger(), nullable=True),
        sa.Column("response_id", sa.BigInteger(), nullable=True),
        sa.Column("turn", sa.Integer(), nullable=True),
        sa.Column("number", sa.Double(), nullable=True),
        sa.Column("outcome", sa.Text(), nullable=True),
        sa.Column("chosen_response_id", sa.BigInteger(), nullable=True),
        sa.Column("strength", sa.Double(), nullable=True),
        sa.Column("codes", sa.ARRAY(sa.Text()), nullable=True),
        sa.Column("text", sa.Text(), nullable=True),
        sa.Column("side", sa.Text(), nullable=True),
        sa.Column("idempotency_key", sa.Uuid(), nullable=True),
        sa.Column("rated_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("left_response_id", sa.BigInteger(), nullable=True),
        sa.Column("right_response_id", sa.BigInteger(), nullable=True),
        sa.Column("position", sa.Integer(), nullable=True),
        sa.Column("condition", sa.Text(), nullable=True),
        sa.Column("shown_label", sa.Text(), nullable=True),
        sa.Column("repeat", sa.SmallInteger(), server_default="0", nullable=False),
        sa.Column("served_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("active_ms", sa.BigInteger(), nullable=True),
        sa.Column("comment", sa.Text(), nullable=True),
        sa.Column("exclude", sa.Text(), nullable=True),
        sa.Column("stored_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint(
            "(outcome IS NOT DISTINCT FROM 'response') = (chosen_response_id IS NOT NULL)",
            name=op.f("ck_ratings_chosen"),
        ),
        sa.CheckConstraint(
            "outcome IN ('response', 'tie', 'neither', 'cannot_judge')", name=op.f("ck_ratings_outcome")
        ),
        sa.CheckConstraint("side IN ('left', 'right')", name=op.f("ck_ratings_side")),
        sa.CheckConstraint(
            "(left_response_id IS NULL) = (right_response_id IS NULL)", name=op.f("ck_ratings_two_sides")
        ),
        sa.CheckConstraint(
            "chosen_response_id IS NULL OR left_response_id IS NULL"
            " OR chosen_response_id IN (left_response_id, right_response_id)",
            name=op.f("ck_ratings_chosen_was_shown"),
        ),
        sa.CheckConstraint("num_nonnulls(number, outcome, codes, text) = 1", name=op.f("ck_ratings_one_answer")),
        sa.CheckConstraint("repeat >= 0", name=op.f("ck_ratings_repeat")),
        sa.CheckConstraint("response_id IS NULL OR item_id IS NOT NULL", name=op.f("ck_ratings_response_has_item")),
        sa.ForeignKeyConstraint(
            ["study_id", "assignment_id"],
            ["assignments.study_id", "assignments.id"],
            name=op.f("fk_ratings_study_id_assignment_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["study_id", "chosen_response_id"],
            ["responses.study_id", "responses.id"],
            name=op.f("fk_ratings_study_id_chosen_response_id"),
        ),
        sa.ForeignKeyConstraint(
            ["study_id", "item_id", "response_id"],
            ["responses.study_id", "responses.item_id", "responses.id"],
            name="fk_ratings_response_of_item",
        ),
        sa.ForeignKeyConstraint(
            ["study_id", "item_id"], ["items.study_id", "items.id"], name=op.f("fk_ratings_study_id_item_id")
        ),
        sa.ForeignKeyConstraint(
            ["study_id", "left_response_id"],
            ["responses.study_id", "responses.id"],
            name=op.f("fk_ratings_study_id_left_response_id"),
        ),
        sa.ForeignKeyConstraint(
            ["study_id", "question"], ["questions.study_id", "questions.key"], name=op.f("fk_ratings_study_id_question")
        ),
        sa.ForeignKeyConstraint(
            ["study_id", "rater_id"],
            ["raters.study_id", "raters.id"],
            name=op.f("fk_ratings_study_id_rater_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["study_id", "right_response_id"],
            ["responses.study_id", "responses.id"],
            name=op.f("fk_ratings_study_id_right_response_id"),
        ),
        sa.ForeignKeyConstraint(["study_id"], ["studies.id"], name=op.f("fk_ratings_study_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("study_id", "id", name=op.f("pk_ratings")),
    )
    op.create_index(op.f("ix_ratings_study_id_assignment_id"), "ratings", ["study_id", "assignment_id"], unique=False)
    op.create_index(
        "uq_ratings_one_answer",
        "ratings",
        [
            "study_id",
            "rater_id",
            "item_id",
            "question",
            "response_id",
            "turn",
            "condition",
            "repeat",
            sa.literal_column("least(left_response_id, right_response_id)"),
            sa.literal_column("greatest(left_response_id, right_response_id)"),
        ],
        unique=True,
        postgresql_nulls_not_distinct=True,
    )
    op.create_table(
        "rating_history",
        sa.Column("study_id", sa.BigInteger(), nullable=False),
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("rating_id", sa.BigInteger(), nullable=False),
        sa.Column("number", sa.Double(), nullable=True),
        sa.Column("outcome", sa.Text(), nullable=True),
        sa.Column("chosen_response_id", sa.BigInteger(), nullable=True),
        sa.Column("strength", sa.Double(), nullable=True),
        sa.Column("codes", sa.ARRAY(sa.Text()), nullable=True),
        sa.Column("text", sa.Text(), nullable=True),
        sa.Column("side", sa.Text(), nullable=True),
        sa.Column("idempotency_key", sa.Uuid(), nullable=True),
        sa.Column("rated_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("replaced_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(
            ["study_id", "rating_id"],
            ["ratings.study_id", "ratings.id"],
            name=op.f("fk_rating_history_study_id_rating_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["study_id"], ["studies.id"], name=op.f("fk_rating_history_study_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("study_id", "id", name=op.f("pk_rating_history")),
    )
    op.create_index(
        op.f("ix_rating_history_study_id_rating_id"), "rating_history", ["study_id", "rating_id"], unique=False
    )
    op.create_table(
        "events",
        sa.Column("study_id", sa.BigInteger(), nullable=False),
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("rater_id", sa.BigInteger(), nullable=True),
        sa.Column("assignment_id", sa.BigInteger(), nullable=True),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("detail", postgresql.JSONB(astext_type=sa.Text()), server_default=sa.text("'{}'"), nullable=False),
        sa.Column("happened_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(
            ["study_id", "rater_id"],
            ["raters.study_id", "raters.id"],
            name=op.f("fk_events_study_id_rater_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(["study_id"], ["studies.id"], name=op.f("fk_events_study_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("study_id", "id", name=op.f("pk_events")),
    )
    op.create_table(
        "chart_files",
        sa.Column("sha256", sa.Text(), nullable=False),
        sa.Column("format", sa.Text(), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint("format IN ('svg', 'png', 'pdf')", name=op.f("ck_chart_files_format")),
        sa.PrimaryKeyConstraint("sha256", "format", name=op.f("pk_chart_files")),
    )
    op.execute(KEEP_HISTORY)
    op.execute(
        "CREATE TRIGGER keep_history AFTER UPDATE ON ratings FOR EACH ROW"
        " WHEN (OLD.number IS DISTINCT FROM NEW.number OR OLD.outcome IS DISTINCT FROM NEW.outcome"
        " OR OLD.chosen_response_id IS DISTINCT FROM NEW.chosen_response_id"
        " OR OLD.strength IS DISTINCT FROM NEW.strength"
        " OR OLD.codes IS DISTINCT FROM NEW.codes OR OLD.text IS DISTINCT FROM NEW.text)"
        " EXECUTE FUNCTION keep_rating_history()"
    )


def downgrade() -> None:
    op.drop_table("chart_files")
    op.drop_table("events")
    op.drop_table("rating_history")
    op.drop_table("ratings")
    op.execute("DROP FUNCTION keep_rating_history()")
