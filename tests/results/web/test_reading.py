"""Results and downloads only read: they work on a replica, which refuses every change."""

from collections.abc import Iterator
from contextlib import contextmanager

from fastapi import FastAPI
from sqlalchemy import Connection, text
from starlette.testclient import TestClient

from tests.kit.folder import rated_folder
from tests.studies.web.test_new_study import parts

PATHS = ("results", "results.json", "ratings.csv", "ratings.csv?spreadsheet=1", "downloads/wide.csv", "export.zip")


def test_results_and_downloads_need_no_write(app: FastAPI, db: Connection, client: TestClient) -> None:
    read: list[str] = []

    @contextmanager
    def begin() -> Iterator[Connection]:
        with db.begin_nested() as nested:
            db.execute(text("SET LOCAL transaction_read_only = on"))
            read.append("once")
            yield db
            nested.rollback()

    client.post("/studies/new", files=parts({name: text.decode() for name, text in rated_folder().items()}))
    app.state.begin_reading = begin
    for path in PATHS:
        before = len(read)
        assert client.get(f"/studies/rated/{path}").status_code == 200, path
        assert len(read) > before, path
