"""Migrations: up, down and up again; a store of another version is refused with a clear sentence."""

from collections.abc import Callable, Iterator

import pytest
from alembic import command
from sqlalchemy import Engine, inspect, text

from app.base.database.engine import make_engine
from app.base.database.migrate import UnknownSchemaError, alembic_config, has_all_migrations, upgrade
from app.schema import differences, metadata
from app.settings import folder

MIGRATIONS = folder("migrations")


@pytest.fixture
def empty(new_database: Callable[[str | None], str]) -> Iterator[Engine]:
    """Yield an engine on an empty database."""
    engine = make_engine(new_database(None), n_connections=1)
    yield engine
    engine.dispose()


def downgrade(engine: Engine) -> None:
    """Undo all migrations."""
    config = alembic_config(MIGRATIONS)
    with engine.connect() as connection:
        config.attributes["connection"] = connection
        command.downgrade(config, "base")
        connection.commit()


def test_schema_is_created_removed_and_recreated(empty: Engine) -> None:
    upgrade(empty, MIGRATIONS)
    queue = {f"procrastinate_{name}" for name in ("events", "jobs", "periodic_defers", "workers")}
    assert set(inspect(empty).get_table_names()) == {*metadata.tables, *queue, "alembic_version"}
    downgrade(empty)
    assert inspect(empty).get_table_names() == ["alembic_version"]
    upgrade(empty, MIGRATIONS)
    assert differences(empty) == []
    with empty.connect() as db:
        assert has_all_migrations(db, MIGRATIONS)


def test_unknown_schema_version_is_rejected_without_changes(empty: Engine) -> None:
    with empty.begin() as db:
        db.execute(text("CREATE TABLE alembic_version (version_num text PRIMARY KEY)"))
        db.execute(text("INSERT INTO alembic_version VALUES ('2025_01_01_older')"))
    with pytest.raises(UnknownSchemaError, match=r"another version of Attune \(schema 2025_01_01_older\)"):
        upgrade(empty, MIGRATIONS)
    assert inspect(empty).get_table_names() == ["alembic_version"]
