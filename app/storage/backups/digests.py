"""A digest of every table, to compare a restored database with the one that was backed up."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from psycopg import sql

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    import psycopg

_TABLES = """
    SELECT nspname, relname FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
    WHERE relkind = 'r' AND nspname NOT IN ('pg_catalog', 'information_schema') AND nspname NOT LIKE 'pg\\_%'
    ORDER BY 1, 2
"""
# The sum does not depend on the order of the rows. SHA-256 gives the same on every machine and version of PostgreSQL.
_DIGEST = """
    SELECT count(*), coalesce(sum(
        ('x' || encode(substring(sha256(convert_to(t::text, 'UTF8')) for 8), 'hex'))::bit(64)::bigint::numeric), 0)
    FROM {} AS t
"""


class Digest(NamedTuple):
    """The number of rows of a table, and a number made from their contents."""

    n_rows: int
    content: str


def table_digests(connection: psycopg.Connection[Any]) -> dict[str, Digest]:
    """The digest of each table; within a transaction, all are of the same moment."""
    # The text of a time depends on the time zone, that of a number on the digits.
    connection.execute("SET LOCAL timezone = 'UTC'")
    connection.execute("SET LOCAL extra_float_digits = 1")
    found = {}
    for schema, table in connection.execute(_TABLES).fetchall():
        row = connection.execute(sql.SQL(_DIGEST).format(sql.Identifier(schema, table))).fetchone()
        assert row is not None  # noqa: S101 - an aggregate has one row
        found[table if schema == "public" else f"{schema}.{table}"] = Digest(int(row[0]), str(row[1]))
    return found


def differing(before: Mapping[str, Digest], after: Mapping[str, Digest]) -> list[str]:
    """The tables that are not the same in both.

    >>> differing({"ratings": Digest(2, "7")}, {"ratings": Digest(2, "8"), "items": Digest(0, "0")})
    ['items', 'ratings']
    """
    return sorted(name for name in {*before, *after} if before.get(name) != after.get(name))
