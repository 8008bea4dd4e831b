"""Indexes, and primary keys that must be created in a certain order."""

import sqlalchemy as sa
from alembic import op


def create_key(table: str) -> None:
    """Create the primary key of a table after all other indexes that begin with the study.

    While a table is almost empty, all its indexes of which at least one column can be used cost the same, and
    PostgreSQL takes the newest. With any other index that begins with the study, each check of a foreign key would read
    all rows of the study, as long as the plan is kept. Indexes that the rating page needs are created later and do not
    begin with the study: they are newer than the key, and cannot be used in its place.
    """
    op.create_primary_key(op.f(f"pk_{table}"), table, ["study_id", "id"])


def index(table: str, *columns: str) -> None:
    op.create_index(op.f(f"ix_{table}_{'_'.join(columns)}"), table, list(columns))


def partial_index(
    name: str, table: str, columns: list[str], *, where: str, unique: bool = False, include: list[str] | None = None
) -> None:
    """Create an index on the rows that meet a condition, which also has the columns to include."""
    op.create_index(
        name, table, columns, unique=unique, postgresql_where=sa.text(where), postgresql_include=include or []
    )
