"""The probes: liveness without the database, readiness with what keeps the server from taking answers."""

from typing import NoReturn

import pytest
from fastapi import FastAPI
from sqlalchemy import Connection, text
from starlette.testclient import TestClient


def test_liveness_probe_does_not_use_database(app: FastAPI, visitor: TestClient) -> None:
    def begin() -> NoReturn:
        raise AssertionError

    app.state.begin = begin
    answer = visitor.get("/healthz")
    assert (answer.status_code, answer.json()) == (200, {"status": "ok"})


def test_server_with_database_tables_and_disk_is_ready(visitor: TestClient) -> None:
    answer = visitor.get("/readyz")
    assert (answer.status_code, answer.json()) == (200, {"status": "ready", "problems": {}})


def test_outdated_migration_is_not_ready(db: Connection, visitor: TestClient) -> None:
    db.execute(text("UPDATE alembic_version SET version_num = 'older'"))
    answer = visitor.get("/readyz")
    assert answer.status_code == 503
    assert answer.json()["problems"] == {"migrations": "The tables need an upgrade. Run: attune db upgrade"}


def test_full_disk_is_not_ready_unless_database_is_remote(
    app: FastAPI, visitor: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.base.health_checks.free_bytes", lambda _place: 1000)
    answer = visitor.get("/readyz")
    assert answer.status_code == 503
    assert answer.json()["problems"] == {"disk": "Less than 1 GiB is free for the database."}
    app.state.data_dir = None
    assert visitor.get("/readyz").status_code == 200
