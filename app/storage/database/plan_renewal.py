"""Plans that PostgreSQL made while tables were small are made again when they may have grown.

A connection keeps the plan of each statement, and of each check of a foreign key. PostgreSQL makes it for the table's
size at that time: while a table has up to a page of rows, reading all of it costs as much as any index, and so does an
index of which only `study_id` can be used. Kept, such a plan reads every rater's answers for each request, until
autovacuum notices that the table has grown, which takes a minute or two.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import event
from sqlalchemy.exc import DisconnectionError

if TYPE_CHECKING:
    from sqlalchemy import Engine
    from sqlalchemy.engine.interfaces import DBAPIConnection
    from sqlalchemy.pool import ConnectionPoolEntry

# How often a connection was used when its plans are made again for the first time.
FIRST = 16
DISCARD = "DISCARD PLANS"


def is_renewal_due(n_uses: int) -> bool:
    """Whether a connection that is used for this time discards its plans: each time that `n_uses` has doubled."""
    return n_uses >= FIRST and not n_uses & (n_uses - 1)


def renew_plans(engine: Engine) -> None:
    """Discard the plans of a connection whenever it was used twice as often as when they were made.

    Tables grow by a few rows per use, so a plan for a small table is gone before the table is large. The plans of all
    statements take about 20 ms, and are made again ten times in 10,000 uses.
    """

    @event.listens_for(engine, "checkout")
    def renew(connection: DBAPIConnection, entry: ConnectionPoolEntry, _: Any) -> None:  # noqa: ANN401 - private to the pool
        n_uses = entry.info["n_uses"] = entry.info.get("n_uses", 0) + 1
        if not is_renewal_due(n_uses):
            return
        driver: Any = connection
        try:
            driver.execute(DISCARD)
            driver.commit()  # a rollback would make psycopg forget its prepared statements
        except engine.dialect.loaded_dbapi.Error as error:
            raise DisconnectionError from error
