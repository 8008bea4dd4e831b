"""Hosts of one study on a server over TCP, for the tests of more than one machine."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import text

from app.base.database.address import parse_address
from app.base.database.engine import make_engine
from app.base.database.migrate import upgrade
from app.rating.life_cycle import open_study
from app.settings import folder
from tests.kit.builder import build_study, protocol_of
from tests.kit.tcp_servers import Server

N_RATERS, N_PAGES = 8, 12
SERVE = (sys.executable, "-m", "app", "serve", "--port", "0", "--workers", "2")


@contextmanager
def host(place: Path, name: str, *command: str, **environment: str) -> Iterator[tuple[str, int]]:
    """`attune serve` with two processes and a data folder of its own; yields its address and process group."""
    given = {**os.environ, "ATTUNE_DATA_DIR": str(place / name), "ATTUNE_BACKUP_DIR": "", **environment}
    log = place / f"{name}.said"
    with (
        log.open("w") as said,
        subprocess.Popen(command or SERVE, env=given, stderr=said, start_new_session=True) as process,
    ):
        while not (found := re.search(r"http://\S+", log.read_text())):
            assert process.poll() is None, log.read_text()
            time.sleep(0.05)
        try:
            yield found[0], process.pid
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)


def done(server: Server) -> set[str]:
    engine = make_engine(parse_address(server.url), n_connections=1)
    with engine.begin() as db:
        found = db.execute(text("SELECT token::text FROM assignments WHERE state = 'done'")).scalars().all()
    engine.dispose()
    return set(found)


def prepare(server: Server) -> None:
    engine = make_engine(parse_address(server.url), n_connections=2)
    upgrade(engine, folder("migrations"))
    with engine.begin() as db:
        design = {"raters_per_trial": N_RATERS, "trials_per_rater": N_PAGES}
        build_study(db, protocol_of(design=design), n_items=N_PAGES)
        open_study(db, "study")
    engine.dispose()
