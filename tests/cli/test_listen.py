"""What `attune serve` tells the processes that it starts."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import create_engine

from app.cli.listen import hand_over
from app.main import create_app
from app.settings import settings

URL = "postgresql+psycopg://attune@/attune?host=/somewhere"


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    for name in ("DATABASE_URL", "ATTUNE_EMBEDDED"):
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)
    monkeypatch.setenv("ATTUNE_DATA_DIR", str(tmp_path))
    settings.cache_clear()
    yield
    settings.cache_clear()


def test_the_processes_watch_the_disk_of_the_embedded_database(tmp_path: Path) -> None:
    hand_over(URL)
    assert create_app(create_engine(URL)).state.data_dir == tmp_path


def test_the_disk_of_a_server_elsewhere_is_not_watched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", URL)
    settings.cache_clear()
    hand_over(URL)
    assert create_app(create_engine(URL)).state.data_dir is None
