"""Columns in short form: `required` columns refuse NULL, `optional` columns accept it."""

from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql

BIGINT = sa.BigInteger()
BIGINTS = sa.ARRAY(sa.BigInteger())
BOOLEAN = sa.Boolean()
BYTES = sa.LargeBinary()
DATE = sa.Date()
DOUBLE: sa.Double[float] = sa.Double()
INTEGER = sa.Integer()
JSON = postgresql.JSON()
JSONB = postgresql.JSONB()
SMALLINT = sa.SmallInteger()
TEXT = sa.Text()
TEXTS = sa.ARRAY(sa.Text())
TIME = sa.DateTime(timezone=True)
UUID = sa.Uuid()


def required(
    name: str,
    kind: sa.types.TypeEngine[Any],
    *generated: sa.Computed | sa.Identity,
    server_default: str | sa.TextClause | None = None,
) -> sa.Column[Any]:
    return sa.Column(name, kind, *generated, nullable=False, server_default=server_default)


def optional(name: str, kind: sa.types.TypeEngine[Any]) -> sa.Column[Any]:
    return sa.Column(name, kind, nullable=True)


def row_id() -> sa.Column[Any]:
    """`id`, counted by the database."""
    return required("id", BIGINT, sa.Identity(always=False))


def study_id() -> sa.Column[Any]:
    return required("study_id", BIGINT)


def now(name: str) -> sa.Column[Any]:
    """Time at which the row was inserted."""
    return required(name, TIME, server_default=sa.text("now()"))


def flag(name: str) -> sa.Column[Any]:
    """A boolean that is false by default."""
    return required(name, BOOLEAN, server_default=sa.text("false"))


def json_object(name: str) -> sa.Column[Any]:
    """A JSON object that is empty by default."""
    return required(name, JSONB, server_default=sa.text("'{}'"))
