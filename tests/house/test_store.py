"""The tables match the migrations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.schema import differences

if TYPE_CHECKING:
    from sqlalchemy import Engine


def test_migrations_match_tables(shared_engine: Engine) -> None:
    assert differences(shared_engine) == []
