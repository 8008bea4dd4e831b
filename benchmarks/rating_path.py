"""The rating path under load: two worker processes and real HTTP, compared to a baseline in the same run.

`submit` is a rater's *Next*: a page of answers is checked and stored, the next page is served, and the commit precedes
the response. The baseline is a raw ASGI application that writes one row and responds with ok (`benchmarks.bare_app`),
with the same two processes, clients and durable PostgreSQL. First without pauses, to measure throughput; then with many
raters who pause, to measure response times. The clients run on the same machine and use part of it.
Run: python -m benchmarks.rating_path [raters, default 200]
"""

from __future__ import annotations

import os
import random
import socket
import statistics
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING

import psycopg
from sqlalchemy import create_engine

from app.actions.studies.life_cycle import open_study
from app.postgres import EmbeddedPostgres
from app.settings import folder
from app.storage.database.migrate import upgrade
from benchmarks.bare_app import TABLE
from benchmarks.rater_client import RaterClient
from tests.builder import build_study, protocol_of
from tests.postgres_fixture import libpq_url, reachable_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

N_AT_ONCE, N_ITEMS, N_TRIALS, PAUSE_S, SECONDS = 16, 2000, 400, 2.0, 15.0


@contextmanager
def serving(target: str, url: str) -> Iterator[str]:
    """Run two uvicorn processes on a free port; yield the address."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "uvicorn", target, "--workers", "2", "--port", str(port), "--log-level", "warning"]
    factory = ["--factory"] if target.startswith("app.") else []
    environment = {**os.environ, "DATABASE_URL": url}
    with subprocess.Popen([*command, *factory, "--lifespan", "off", "--no-access-log"], env=environment) as process:
        _wait_for(port)
        yield f"http://127.0.0.1:{port}"
        process.terminate()


def _wait_for(port: int) -> None:
    for _ in range(200):
        try:
            socket.create_connection(("127.0.0.1", port)).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise TimeoutError("the server did not start")


def load(n_clients: int, make: Callable[[int], Callable[[], float]], pause_s: float) -> tuple[list[float], float]:
    """Let clients send requests until time is up; return the seconds of each request, and of the whole.

    Args:
        n_clients: number of simultaneous clients; all have arrived before time starts.
        make: creates a client by its number; each call of the client sends one request and returns its seconds.
        pause_s: mean pause of a client between two requests, in seconds.
    """
    with ThreadPoolExecutor(n_clients) as pool:
        clients = list(pool.map(make, range(n_clients)))
        begun = time.perf_counter()

        def run(number: int) -> list[float]:
            rng, seconds = random.Random(number), []  # noqa: S311 - for pauses, not for secrets
            time.sleep(rng.random() * pause_s)
            while time.perf_counter() < begun + SECONDS:
                seconds.append(clients[number]())
                time.sleep(rng.expovariate(1 / pause_s) if pause_s else 0)
            return seconds

        all_seconds = [one for seconds in pool.map(run, range(n_clients)) for one in seconds]
    return all_seconds, time.perf_counter() - begun


def bare_step(address: str) -> Callable[[int], Callable[[], float]]:
    """Return a factory of clients of the baseline."""

    def make(number: int) -> Callable[[], float]:
        client = RaterClient(address, "x", str(number))

        def ask() -> float:
            begun = time.perf_counter()
            status, _, _ = client.ask("POST", "/", {"q0": "left", "q1r0": "4", "q1r1": "2"})
            assert status == 200
            return time.perf_counter() - begun

        return ask

    return make


def rater_step(address: str, name: str, arrivals: list[float]) -> Callable[[int], Callable[[], float]]:
    """Return a factory of raters with enough trials; seconds from arrival to first page are appended to `arrivals`."""

    def make(number: int) -> Callable[[], float]:
        client, begun = RaterClient(address, "study", f"{name}-{number}"), time.perf_counter()
        assert client.begin() == "show"
        arrivals.append(time.perf_counter() - begun)

        def ask() -> float:
            assert client.submit() == "show"
            return client.seconds[-1]

        return ask

    return make


def line(name: str, seconds: Sequence[float], whole: float) -> str:
    """Return one row of the table, in milliseconds; `whole` is the total time in seconds."""
    cuts = statistics.quantiles(seconds, n=100)
    p50, p95, p99 = (cuts[p - 1] * 1000 for p in (50, 95, 99))
    return f"{name:42} {len(seconds) / whole:8.0f}/s {p50:8.1f} {p95:8.1f} {p99:8.1f} {max(seconds) * 1000:8.1f}"


def main() -> None:
    """Print the table."""
    n_raters = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    with reachable_folder() as place:
        server = EmbeddedPostgres(place)
        server.start()
        url = server.url("postgres")
        engine = create_engine(url)
        upgrade(engine, folder("migrations"))
        with engine.begin() as db:
            build_study(
                db, protocol_of(design={"raters_per_trial": 200, "trials_per_rater": N_TRIALS}), n_items=N_ITEMS
            )
            open_study(db, "study")
        with psycopg.connect(libpq_url(url)) as connection:
            connection.execute(TABLE)
        engine.dispose()
        measure(url, n_raters)
        server.stop()


def measure(url: str, n_raters: int) -> None:
    """Print the baseline, the path without pauses, and the path with pauses."""
    print(f"{'milliseconds':42} {'requests':>10} {'p50':>8} {'p95':>8} {'p99':>8} {'max':>8}")
    with serving("benchmarks.bare_app:app", url) as address:
        bare = load(N_AT_ONCE, bare_step(address), 0)
        print(line(f"bare baseline, {N_AT_ONCE} at once", *bare))
    with serving("app.main:create_app", url) as address:
        load(4, rater_step(address, "warm", []), 0.2)
        path = load(N_AT_ONCE, rater_step(address, "busy", []), 0)
        print(line(f"submit, {N_AT_ONCE} raters who never pause", *path))
        arrivals = list[float]()
        calm = load(n_raters, rater_step(address, "calm", arrivals), PAUSE_S)
        print(line(f"arrive and get {N_TRIALS} trials, all at once", arrivals, max(arrivals)))
        print(line(f"submit, {n_raters} raters pausing {PAUSE_S:g} s", *calm))
    share = (len(path[0]) / path[1]) / (len(bare[0]) / bare[1])
    print(
        f"the path reaches {share:.2f} of the bare baseline's requests; load on the machine: {os.getloadavg()[0]:.1f}"
    )


if __name__ == "__main__":
    main()
