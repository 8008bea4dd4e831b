"""Studies whose answers take PostgreSQL more than a moment to count."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import text

if TYPE_CHECKING:
    from sqlalchemy import Connection

# The first condition needs no row: where all studies together are small, nothing is counted. The estimate is that of
# the last VACUUM or ANALYZE, both of which follow growth by themselves.
_LARGE = text("""
    SELECT s.slug, n.n_ratings FROM (
      SELECT study_id, count(*) AS n_ratings FROM ratings
      WHERE (SELECT reltuples FROM pg_class WHERE oid = CAST('ratings' AS regclass)) > :more_than
      GROUP BY study_id HAVING count(*) > :more_than) n
    JOIN studies s ON s.id = n.study_id ORDER BY s.id
""")


def list_large_studies(db: Connection, more_than: int) -> list[tuple[str, int]]:
    """Slug and number of ratings of the studies with more ratings than this."""
    return [(row.slug, int(row.n_ratings)) for row in db.execute(_LARGE, {"more_than": more_than})]
