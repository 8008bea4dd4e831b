"""Questions that rank the responses of an item."""

from __future__ import annotations

from alembic import op

revision = "2026_11_22_4"
down_revision = "2026_11_22_1"
branch_labels = None
depends_on = None

BEFORE = {
    "type": "'rating', 'slider', 'choice', 'category', 'text', 'highlight'",
    "target": "'response', 'pair', 'item', 'turn', 'rater'",
}
AFTER = {
    "type": "'rating', 'slider', 'choice', 'ranking', 'category', 'text', 'highlight'",
    "target": "'response', 'pair', 'set', 'item', 'turn', 'rater'",
}


def upgrade() -> None:
    _allow(AFTER)


def downgrade() -> None:
    _allow(BEFORE)


def _allow(names: dict[str, str]) -> None:
    for column, values in names.items():
        op.drop_constraint(column, "questions", type_="check")
        op.create_check_constraint(column, "questions", f"{column} IN ({values})")
