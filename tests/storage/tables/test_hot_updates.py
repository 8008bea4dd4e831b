"""What changes with each trial is in no index, so that PostgreSQL updates the row within its page (HOT)."""

from __future__ import annotations

import pytest

from app.storage.tables import metadata

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
