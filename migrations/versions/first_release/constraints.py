"""Constraints, with their names made from the table and its columns."""

import sqlalchemy as sa
from alembic import op


def primary_key(table: str, *columns: str) -> sa.PrimaryKeyConstraint:
    return sa.PrimaryKeyConstraint(*columns, name=op.f(f"pk_{table}"))


def unique(table: str, *columns: str) -> sa.UniqueConstraint:
    return sa.UniqueConstraint(*columns, name=op.f(f"uq_{table}_{'_'.join(columns)}"))


def check(table: str, name: str, condition: str) -> sa.CheckConstraint:
    return sa.CheckConstraint(condition, name=op.f(f"ck_{table}_{name}"))


def one_of(table: str, column: str, *values: str) -> sa.CheckConstraint:
    """The column contains one of these values."""
    return check(table, column, f"{column} IN ({', '.join(map(repr, values))})")


def reference(
    table: str, columns: list[str], targets: list[str], *, name: str | None = None, ondelete: str | None = None
) -> sa.ForeignKeyConstraint:
    """Foreign key; `targets` are columns as `table.column`."""
    name = name or f"fk_{table}_{'_'.join(columns)}"
    return sa.ForeignKeyConstraint(columns, targets, name=op.f(name), ondelete=ondelete)


def within_study(table: str, column: str, target: str, *, ondelete: str | None = None) -> sa.ForeignKeyConstraint:
    """Foreign key to a row of another table in the same study."""
    return reference(table, ["study_id", column], [f"{target}.study_id", f"{target}.id"], ondelete=ondelete)


def of_study(table: str) -> sa.ForeignKeyConstraint:
    """Rows belong to a study and are deleted with it."""
    return reference(table, ["study_id"], ["studies.id"], ondelete="CASCADE")


def of_lead(table: str, *, ondelete: str) -> sa.ForeignKeyConstraint:
    return reference(table, ["lead_id"], ["leads.id"], ondelete=ondelete)
