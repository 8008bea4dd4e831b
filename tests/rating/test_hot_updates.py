"""Rows that change with each trial are updated within their page (HOT), and found by their key from the first one."""

import pytest
from sqlalchemy import Engine, text

from app.schema import metadata

# Columns that a request of the rating page changes.
CHANGED = {
    "assignments": {"state", "served_at", "first_action_at", "submitted_at", "active_ms", "hidden_ms", "n_turns_done"},
    "rating_sessions": {"last_seen_at", "lease_expires_at"},
}


@pytest.mark.parametrize("table", CHANGED)
def test_columns_that_change_with_each_trial_are_in_no_index(table: str) -> None:
    used = set()
    for index in metadata.tables[table].indexes:
        where = str(index.dialect_options["postgresql"]["where"])
        used |= {*map(str, index.expressions), *where.split()}
    assert {f"{table}.{name}" for name in CHANGED[table]} & used == set()
    assert CHANGED[table] & used == set()


@pytest.mark.parametrize("table", ["assignments", "rating_sessions", "raters", "ratings"])
def test_primary_key_is_newest_index_that_begins_with_study(engine: Engine, table: str) -> None:
    """While a table is almost empty, all usable indexes cost the same, and PostgreSQL takes the newest."""
    newest = text("""
        SELECT indisprimary FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]
        WHERE i.indrelid = CAST(:table AS regclass) AND i.indpred IS NULL AND a.attname = 'study_id'
        ORDER BY i.indexrelid DESC LIMIT 1
    """)
    with engine.connect() as db:
        assert db.execute(newest, {"table": table}).scalar_one()
