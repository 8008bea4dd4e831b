"""Shared parts of the tables: naming of constraints, recurring columns, references within one study."""

from collections.abc import Iterable

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Column,
    DateTime,
    ForeignKey,
    ForeignKeyConstraint,
    Identity,
    MetaData,
    func,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)


def time(name: str, *, now: bool = False) -> Column[object]:
    return Column(name, DateTime(timezone=True), nullable=not now, server_default=func.now() if now else None)


def study_key() -> Column[int]:
    return Column("study_id", BigInteger, ForeignKey("studies.id", ondelete="CASCADE"), nullable=False)


def row_id() -> Column[int]:
    return Column("id", BigInteger, Identity(), nullable=False)


def attributes() -> Column[object]:
    return Column("attributes", JSONB, nullable=False, server_default=text("'{}'"))


def one_of(column: str, names: Iterable[str]) -> CheckConstraint:
    """Constraint: the text column contains one of these names."""
    return CheckConstraint(f"{column} IN ({', '.join(map(repr, names))})", name=column)


def within_study(column: str, table: str, *, ondelete: str | None = None) -> ForeignKeyConstraint:
    """Foreign key to a table's row in the same study."""
    return ForeignKeyConstraint(["study_id", column], [f"{table}.study_id", f"{table}.id"], ondelete=ondelete)
