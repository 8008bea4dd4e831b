"""The tables match the migrations."""

from sqlalchemy import Engine

from app.schema import differences


def test_migrations_match_tables(shared_engine: Engine) -> None:
    assert differences(shared_engine) == []
