"""Effect of slow clients on raters: 500 connections that each send one byte every few seconds, with 32 raters.

The same raters rate without and with the slow connections; the table shows how long they waited for *Next*.
Run: python -m benchmarks.dribble [number of slow connections, default 500]
"""

from __future__ import annotations

import socket
import statistics
import sys
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from sqlalchemy import create_engine

from app.actions.studies.life_cycle import open_study
from app.postgres import EmbeddedPostgres
from app.settings import folder
from app.storage.database.migrate import upgrade
from benchmarks.rating_path import line, load, rater_step
from benchmarks.serving import attune
from tests.builder import build_study, protocol_of
from tests.postgres_fixture import reachable_folder

if TYPE_CHECKING:
    from collections.abc import Iterator

N_RATERS, PAUSE_S, BYTE_EVERY_S = 32, 0.5, 2.0
HEAD = (
    b"POST /s/study/consent HTTP/1.1\r\nHost: 127.0.0.1\r\nSec-Fetch-Site: same-origin\r\n"
    b"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 100000\r\n\r\n"
)


@contextmanager
def dribbling(address: str, n_sockets: int) -> Iterator[list[int]]:
    """Keep `n_sockets` slow connections open, reopening closed ones; yields a list with the number of reopenings."""
    parts, is_over, n_closed = urlsplit(address), threading.Event(), [0]
    where = (str(parts.hostname), int(parts.port or 80))

    def open_one() -> socket.socket:
        one = socket.create_connection(where, timeout=10)
        one.sendall(HEAD)
        return one

    def dribble() -> None:
        sockets = [open_one() for _ in range(n_sockets)]
        while not is_over.wait(BYTE_EVERY_S):
            for place, one in enumerate(sockets):
                try:
                    one.sendall(b"x")
                except OSError:
                    one.close()
                    n_closed[0] += 1
                    sockets[place] = open_one()
        for one in sockets:
            one.close()

    thread = threading.Thread(target=dribble, daemon=True)
    thread.start()
    time.sleep(BYTE_EVERY_S)
    yield n_closed
    is_over.set()
    thread.join(timeout=30)


def main() -> None:
    """Print both rows and their ratio."""
    n_sockets = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    with reachable_folder() as place:
        server = EmbeddedPostgres(place)
        server.start()
        url = server.url("postgres")
        engine = create_engine(url)
        upgrade(engine, folder("migrations"))
        with engine.begin() as db:
            build_study(db, protocol_of(design={"raters_per_trial": 200, "trials_per_rater": 400}), n_items=800)
            open_study(db, "study")
        engine.dispose()
        with attune(url) as address:
            measure(address, n_sockets)
        server.stop()


def measure(address: str, n_sockets: int) -> None:
    """Print the response times without and with slow connections, and the ratios of medians and 95th percentiles."""
    print(f"{'milliseconds':42} {'requests':>10} {'p50':>8} {'p95':>8} {'p99':>8} {'max':>8}")
    load(4, rater_step(address, "warm", []), 0.2)
    alone = load(N_RATERS, rater_step(address, "alone", []), PAUSE_S)
    print(line(f"{N_RATERS} raters alone", *alone))
    with dribbling(address, n_sockets) as n_closed:
        beside = load(N_RATERS, rater_step(address, "beside", []), PAUSE_S)
        print(line(f"{N_RATERS} raters beside {n_sockets} slow sockets", *beside))
    cuts = [statistics.quantiles(seconds, n=100) for seconds, _ in (alone, beside)]
    p50, p95 = (cuts[1][p - 1] / cuts[0][p - 1] for p in (50, 95))
    print(f"ratio of medians {p50:.2f}, of 95th percentiles {p95:.2f}; slow sockets that were closed: {n_closed[0]}")


if __name__ == "__main__":
    main()
