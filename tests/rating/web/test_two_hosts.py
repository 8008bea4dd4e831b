"""Two hosts on one server over TCP: a host is killed, then the server, and the replica takes over."""

import os
import re
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from urllib.request import urlopen

import pytest

from benchmarks.rater_client import RaterClient
from tests.kit.hosts import N_PAGES, N_RATERS, done, host, prepare
from tests.kit.postgres_fixture import folder_in_memory, reachable_folder
from tests.kit.tcp_servers import copy_as_replica, make_primary, served

pytestmark = pytest.mark.slow


def lag_of(address: str) -> float:
    """How far the replica is behind, as /metrics says."""
    with urlopen(f"{address}/metrics") as answer:  # noqa: S310 - our own server
        found = re.search(r"^attune_replica_lag_seconds (\S+)$", answer.read().decode(), re.MULTILINE)
    assert found
    return float(found[1])


def rate(address: str, other: str, number: int, acknowledged: list[str]) -> None:
    """Rate everything; if the host does not answer, go on at the other one, as behind a proxy."""
    rater = RaterClient(address, "study", f"rater-{number}")
    rater.acknowledged = acknowledged
    try:
        rater.go_all_the_way(300)
    except (ConnectionError, OSError):
        again = RaterClient(other, "study", f"rater-{number}")
        again.headers["Cookie"], again.acknowledged = rater.headers["Cookie"], acknowledged
        state = again.look()
        while state == "show":
            state = again.submit()
        again.close()


def test_no_answer_is_lost_with_a_host_and_then_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmarks.rater_client._PATIENCE", 8)
    with reachable_folder(folder_in_memory()) as place, served(place, make_primary(place)) as primary:
        prepare(primary)
        with served(place, copy_as_replica(place, primary)) as replica:
            both = {"DATABASE_URL": primary.url, "DATABASE_REPLICA_URL": replica.url}
            acknowledged = [list[str]() for _ in range(N_RATERS)]
            with host(place, "one", **both) as (one, pid), host(place, "two", **both) as (two, _):
                with ThreadPoolExecutor(N_RATERS) as pool:
                    places = [(one, two) if n % 2 else (two, one) for n in range(N_RATERS)]
                    ends = [pool.submit(rate, *places[n], n, acknowledged[n]) for n in range(N_RATERS)]
                    while sum(map(len, acknowledged)) < 30:
                        # A quick rater may have rated everything; the others are still at it.
                        assert not [end.exception() for end in ends if end.done() and end.exception()]
                        assert not all(end.done() for end in ends)
                        time.sleep(0.01)
                    os.killpg(pid, signal.SIGKILL)
                    for end in ends:
                        end.result(timeout=120)
                tokens = {token for mine in acknowledged for token in mine}
                finished = done(primary)
                # The host may have been killed after it stored a page and before it said so.
                assert tokens <= finished
                assert len(finished) == N_RATERS * N_PAGES
                while lag_of(two) > 0:
                    time.sleep(0.1)
            primary.process.kill()
            assert replica.ask("SELECT pg_promote()") is True
            assert done(replica) == finished
            with host(place, "two", DATABASE_URL=replica.url) as (two, _):
                late = RaterClient(two, "study", "late")
                assert late.begin() == "full"
                late.close()
