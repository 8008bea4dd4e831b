"""Effect of slow clients on raters: 500 connections that each send one byte every few seconds, with 32 raters.

The same raters rate without and with the slow connections; the table shows how long they waited for *Next*.
Run: python -m benchmarks.dribble [number of slow connections, default 500]
"""

import socket
import statistics
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

import uvloop

from benchmarks.load import analyze, begin, database, make_study
from benchmarks.load_client import Begun, Rater, Tally, drive
from benchmarks.serving import attune

N_RATERS, PAUSE_S, SECONDS, BYTE_EVERY_S = 32, 0.5, 15.0, 2.0
# Each rates about 30 trials in that time, of a list of 40; some more stand by for those who are faster.
N_READY = 48
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
    with database() as engine:
        make_study(engine, "study", 2 * N_READY)
        with attune(engine.url.render_as_string(hide_password=False)) as address:
            ready = begin(address, "study", 2 * N_READY)
            analyze(engine)
            measure(address, ready, n_sockets)


def measure(address: str, ready: list[Begun], n_sockets: int) -> None:
    """Without, with, and the ratio of the medians and of the 95th percentiles."""
    print(f"{'milliseconds':42} {'requests':>10} {'p50':>8} {'p95':>8} {'p99':>8} {'max':>8}")
    alone = rate(f"{N_RATERS} raters alone", address, ready)
    with dribbling(address, n_sockets) as n_closed:
        beside = rate(f"{N_RATERS} raters beside {n_sockets} slow sockets", address, ready)
    p50, p95 = (beside[p - 1] / alone[p - 1] for p in (50, 95))
    print(f"ratio of medians {p50:.2f}, of 95th percentiles {p95:.2f}; slow sockets that were closed: {n_closed[0]}")


def rate(name: str, address: str, ready: list[Begun]) -> list[float]:
    """Let raters rate for some seconds and print how long they waited for *Next*; its percentiles in seconds."""
    tally = Tally()
    raters = [Rater(address, ready, tally, saves=False, think_s=PAUSE_S) for _ in range(N_RATERS)]
    uvloop.run(drive(raters, SECONDS))
    cuts = statistics.quantiles(tally.submit_s, n=100)
    numbers = (*(cuts[p - 1] for p in (50, 95, 99)), max(tally.submit_s))
    waits = " ".join(f"{seconds * 1000:8.1f}" for seconds in numbers)
    print(f"{name:42} {tally.acknowledged / SECONDS:8.0f}/s {waits}, {tally.n_errors} errors")
    return cuts


if __name__ == "__main__":
    main()
