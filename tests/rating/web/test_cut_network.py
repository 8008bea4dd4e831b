"""Two hosts and their database as three machines: the network between one host and the database drops all packets."""

import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.request import urlopen

import pytest

from benchmarks.rater_client import RaterClient
from tests.kit.hosts import N_PAGES, N_RATERS, SERVE, done, host, prepare
from tests.kit.network_namespaces import HERE, NETWORK, Link, linked, namespaces, why_not, within
from tests.kit.postgres_fixture import folder_in_memory, reachable_folder
from tests.kit.tcp_servers import Server, make_primary, served_in

# The tests may connect to nothing but 127.0.0.1 otherwise.
pytestmark = [pytest.mark.slow, pytest.mark.allow_hosts([f"{NETWORK}.{number}.2" for number in (1, 2)])]
# A proxy gives up then, and so do the raters of this test.
PATIENCE_S = 60
THINKS_S = 0.2


@dataclass(frozen=True)
class Machines:
    """Addresses of the hosts, their links to the database, and the database."""

    one: str
    two: str
    cable: Link
    server: Server

    def count_connections_of_one(self) -> object:
        address = self.cable.left.address
        return self.server.ask(f"SELECT count(*) FROM pg_stat_activity WHERE client_addr = '{address}'")  # noqa: S608


@contextmanager
def machines(place: Path) -> Iterator[Machines]:
    """Two hosts and a database with a network namespace each; the tests reach each of them."""
    with (
        namespaces("one", "two", "db") as (one, two, db),
        linked(HERE, one, 1) as to_one,
        linked(HERE, two, 2) as to_two,
        linked(HERE, db, 3) as to_db,
        linked(one, db, 4) as cable,
        linked(two, db, 5) as other,
        served_in(db, place, make_primary(place), to_db.right.address) as server,
    ):
        prepare(server)
        everywhere = ("--host", "0.0.0.0")  # noqa: S104 - of a network namespace
        with (
            host(place, "one", *within(one), *SERVE, *everywhere, DATABASE_URL=server.url_at(cable.right.address)) as a,
            host(place, "two", *within(two), *SERVE, *everywhere, DATABASE_URL=server.url_at(other.right.address)) as b,
        ):
            yield Machines(
                a[0].replace("127.0.0.1", to_one.right.address),
                b[0].replace("127.0.0.1", to_two.right.address),
                cable,
                server,
            )


@dataclass
class Visit:
    """What happened to a rater: the pages that were acknowledged, and how the first host failed, after how long."""

    acknowledged: list[str]
    failure: str = ""
    waited_s: float = 0.0


def rate(addresses: tuple[str, str], number: int, visit: Visit) -> None:
    """Rate everything; if the host fails, go on at the other one, as behind a proxy."""
    rater = RaterClient(addresses[0], "study", f"rater-{number}")
    rater.acknowledged = visit.acknowledged
    begun = time.monotonic()
    try:
        state = rater.begin()
        while state == "show":
            time.sleep(THINKS_S)
            begun = time.monotonic()
            state = rater.submit()
    except (ConnectionError, RuntimeError) as error:
        visit.failure, visit.waited_s = str(error), time.monotonic() - begun
        again = RaterClient(addresses[1], "study", f"rater-{number}")
        again.headers["Cookie"], again.acknowledged = rater.headers["Cookie"], visit.acknowledged
        state = again.look()
        # A page that the first host stored after all sends the rater to the current one.
        while state in {"show", "rate"}:
            state = again.submit() if state == "show" else again.look()
        again.close()
    rater.close()


def wait_until(is_so: Callable[[], bool]) -> float:
    """Seconds until it is so."""
    begun = time.monotonic()
    while not is_so():
        assert time.monotonic() - begun < PATIENCE_S, "it did not come about"
        time.sleep(0.2)
    return time.monotonic() - begun


def is_ready(address: str) -> bool:
    try:
        with urlopen(f"{address}/readyz", timeout=PATIENCE_S) as answer:  # noqa: S310 - our own server
            return bool(answer.status == 200)
    except OSError:
        return False


@pytest.fixture
def network() -> Iterator[Machines]:
    if reason := why_not():
        pytest.skip(reason)
    with reachable_folder(folder_in_memory()) as place, machines(place) as found:
        yield found


def test_raters_go_on_at_the_other_host_while_one_cannot_reach_the_database(
    network: Machines, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("benchmarks.rater_client._PATIENCE", 1)
    visits = [Visit([]) for _ in range(N_RATERS)]
    one, two = network.one, network.two
    with ThreadPoolExecutor(N_RATERS) as pool:
        ends = [pool.submit(rate, (one, two) if n % 2 else (two, one), n, visits[n]) for n in range(N_RATERS)]
        wait_until(lambda: sum(len(visit.acknowledged) for visit in visits) >= 30)
        network.cable.cut()
        noticed_s = wait_until(lambda: network.count_connections_of_one() == 0)
        for end in ends:
            end.result(timeout=2 * PATIENCE_S)
    assert not is_ready(one)
    acknowledged = {token for visit in visits for token in visit.acknowledged}
    finished = done(network.server)
    network.cable.mend()
    back_s = wait_until(lambda: is_ready(one))
    # An answer may be stored whose acknowledgement got lost; the rater was shown the next page then.
    assert acknowledged <= finished
    assert len(finished) == N_RATERS * N_PAGES
    assert [visit.failure[:3] for visit in visits] == ["", "503"] * (N_RATERS // 2)
    waited_s = max(visit.waited_s for visit in visits)
    sys.stdout.write(f"503 after {waited_s:.1f} s, locks free after {noticed_s:.1f} s, ready after {back_s:.1f} s\n")
