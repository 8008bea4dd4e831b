"""What tests of kept results do to the data, and how they wait."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from sqlalchemy import text

from tests.results.reports.test_live_report import PATIENCE_S, exclude_one

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy import Engine


def change(engine: Engine, why: str = "a test") -> None:
    with engine.begin() as db:
        exclude_one(db, why)


def n_kept(engine: Engine) -> int:
    with engine.begin() as db:
        return int(db.execute(text("SELECT count(*) FROM kept_results WHERE part <> 'counts'")).scalar_one())


def until(is_so: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE_S
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.01)
