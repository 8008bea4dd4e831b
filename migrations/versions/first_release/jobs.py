"""The tables of the queue, as procrastinate creates them."""

import hashlib

from alembic import op
from procrastinate.schema import SchemaManager

# Of the schema of procrastinate 3.10. Another version needs its own migration, with the statements that come with it.
SCHEMA = "c70ec4b400a60ad9592787653aae5ae77ae41bf801d56b5bd2712751a07f2009"
_DROP = """
    DO $$ DECLARE one text; BEGIN
      FOR one IN SELECT format('DROP TABLE %s CASCADE', oid::regclass) FROM pg_class
                 WHERE relname ^@ 'procrastinate_' AND relkind = 'r' AND relnamespace = 'public'::regnamespace
      LOOP EXECUTE one; END LOOP;
      FOR one IN SELECT format('DROP FUNCTION %s', oid::regprocedure) FROM pg_proc
                 WHERE proname ^@ 'procrastinate_' AND pronamespace = 'public'::regnamespace
      LOOP EXECUTE one; END LOOP;
      FOR one IN SELECT format('DROP TYPE %s', oid::regtype) FROM pg_type
                 WHERE typname ^@ 'procrastinate_' AND typtype IN ('e', 'c') AND typnamespace = 'public'::regnamespace
      LOOP EXECUTE one; END LOOP;
    END $$
"""


def create_queue() -> None:
    schema = SchemaManager.get_schema()
    if hashlib.sha256(schema.encode()).hexdigest() != SCHEMA:
        raise RuntimeError("The installed version of procrastinate has other tables than this version of Attune.")
    op.get_bind().execution_options(no_parameters=True).exec_driver_sql(schema)


def drop_queue() -> None:
    op.get_bind().execution_options(no_parameters=True).exec_driver_sql(_DROP)
