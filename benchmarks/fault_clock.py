"""A clock of the database that can be set: statements read the time from a function that adds the hours of a table.

The default values of columns still read the true time, so that rows mix both, as they do after a real jump.
"""

from sqlalchemy import Connection, text

HOURS = (2, -2, 30, -30, 0)
_MADE = """
    CREATE TABLE fault_clock (jump interval NOT NULL);
    INSERT INTO fault_clock VALUES (interval '0');
    CREATE FUNCTION public.now() RETURNS timestamptz STABLE LANGUAGE sql
      AS 'SELECT pg_catalog.now() + jump FROM public.fault_clock';
    CREATE FUNCTION public.clock_timestamp() RETURNS timestamptz VOLATILE LANGUAGE sql
      AS 'SELECT pg_catalog.clock_timestamp() + jump FROM public.fault_clock';
    DO $$ BEGIN
      EXECUTE format('ALTER DATABASE %I SET search_path = public, pg_catalog', current_database());
    END $$
"""
SET = "UPDATE fault_clock SET jump = make_interval(hours => %s)"


def make_settable(db: Connection) -> None:
    """Let later connections read the time from the settable clock."""
    db.execute(text(_MADE.replace(":", "\\:")))
