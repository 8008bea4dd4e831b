"""Results read from a streaming replica over TCP: how far it lags, and when the primary is read instead."""

from collections.abc import Iterator
from typing import NoReturn

import psycopg
import pytest
from sqlalchemy import text
from sqlalchemy.exc import OperationalError

from app.base.database.address import parse_address
from app.base.database.engine import make_engine, transactions
from app.base.database.replica import ReplicaReads
from tests.kit.postgres_fixture import folder_in_memory, reachable_folder
from tests.kit.tcp_servers import Server, copy_as_replica, make_primary, served
from tests.kit.waiting import eventually


@pytest.fixture(scope="module")
def pair() -> Iterator[tuple[Server, Server]]:
    """A primary and its replica, which has replayed a transaction: before that its lag is unknown."""
    with reachable_folder(folder_in_memory()) as place, served(place, make_primary(place)) as primary:
        primary.ask("CREATE TABLE answers (value integer)")
        with served(place, copy_as_replica(place, primary)) as replica:
            primary.ask("INSERT INTO answers VALUES (0)")
            eventually(lambda: replica.ask("SELECT count(*) FROM answers") == 1)
            yield primary, replica


@pytest.fixture
def reads(pair: tuple[Server, Server], monkeypatch: pytest.MonkeyPatch) -> Iterator[ReplicaReads]:
    monkeypatch.setattr("app.base.database.replica.CHECK_S", 0.0)
    monkeypatch.setattr("app.base.database.replica.AWAY_S", 0.0)
    engines = [make_engine(parse_address(server.url), n_connections=1) for server in pair]
    yield ReplicaReads(*map(transactions, engines), max_lag_s=5)
    for engine in engines:
        engine.dispose()


def is_read_from_replica(reads: ReplicaReads) -> bool:
    with reads.begin() as db:
        return bool(db.execute(text("SELECT pg_is_in_recovery()")).scalar_one())


def test_no_connection_goes_without_a_password(pair: tuple[Server, Server]) -> None:
    for server in pair:
        with pytest.raises(psycopg.OperationalError, match="password"):
            psycopg.connect(f"postgresql://attune@127.0.0.1:{server.port}/postgres")


def test_a_replica_that_keeps_up_is_read(pair: tuple[Server, Server], reads: ReplicaReads) -> None:
    primary, replica = pair
    primary.ask("INSERT INTO answers VALUES (1)")
    eventually(lambda: replica.ask("SELECT count(*) FROM answers WHERE value = 1") == 1)
    eventually(lambda: reads.lag_s() == 0)
    assert is_read_from_replica(reads)


def test_beyond_the_bound_the_primary_is_read(
    pair: tuple[Server, Server], reads: ReplicaReads, monkeypatch: pytest.MonkeyPatch
) -> None:
    primary, replica = pair
    eventually(lambda: reads.lag_s() == 0)
    replica.ask("SELECT pg_wal_replay_pause()")
    try:
        primary.ask("INSERT INTO answers VALUES (2)")
        lag_s = reads.lag_s()
        assert lag_s is not None
        assert lag_s > 0
        monkeypatch.setattr(reads, "_max_lag_s", lag_s / 2)
        assert not is_read_from_replica(reads)
    finally:
        replica.ask("SELECT pg_wal_replay_resume()")
    monkeypatch.setattr(reads, "_max_lag_s", 5)
    eventually(lambda: is_read_from_replica(reads))


def test_server_that_is_no_replica_or_does_not_respond_is_not_read(pair: tuple[Server, Server]) -> None:
    primary, _ = pair
    engine = make_engine(parse_address(primary.url), n_connections=1)
    nowhere = make_engine("postgresql+psycopg://nobody@127.0.0.1:1/none", n_connections=1)
    begin = transactions(engine)
    assert not ReplicaReads(begin, begin).is_usable()
    assert not ReplicaReads(begin, transactions(nowhere)).is_usable()
    engine.dispose()


def test_replica_that_did_not_respond_is_left_alone_for_a_while(
    pair: tuple[Server, Server], monkeypatch: pytest.MonkeyPatch
) -> None:
    now, n_asked = [100.0], 0

    def fail() -> NoReturn:
        nonlocal n_asked
        n_asked += 1
        raise OperationalError("SELECT", {}, psycopg.OperationalError("timeout expired"))

    monkeypatch.setattr("app.base.database.replica.time.monotonic", lambda: now[0])
    engine = make_engine(parse_address(pair[0].url), n_connections=1)
    reads = ReplicaReads(transactions(engine), fail)
    assert [reads.lag_s() for _ in range(3)] == [None] * 3
    assert n_asked == 1
    now[0] += 15
    assert reads.lag_s() is None
    assert n_asked == 2
    engine.dispose()


def test_both_sides_notice_a_silent_network(pair: tuple[Server, Server]) -> None:
    engine = make_engine(parse_address(f"{pair[0].url}?tcp_user_timeout=7000"), n_connections=1)
    with engine.begin() as db:
        info = db.connection.driver_connection.info  # type: ignore[union-attr]
        ours = info.get_parameters()
        theirs = db.execute(text("SELECT name, setting FROM pg_settings WHERE name LIKE 'tcp_%'")).all()
    engine.dispose()
    assert {name: ours.get(name) for name in ("connect_timeout", "keepalives_idle", "keepalives_interval")} == {
        "connect_timeout": "5",
        "keepalives_idle": "4",
        "keepalives_interval": "2",
    }
    assert ours["tcp_user_timeout"] == "7000"  # that of the address
    expected = {"tcp_keepalives_idle": "4", "tcp_keepalives_interval": "2", "tcp_user_timeout": "10000"}
    assert dict(map(tuple, theirs)).items() >= expected.items()
