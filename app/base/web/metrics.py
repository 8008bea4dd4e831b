"""Metrics in Prometheus's format, for the machine itself or with a token."""

import os
import secrets
from collections.abc import Iterator, Mapping
from ipaddress import ip_address
from pathlib import Path

from fastapi import APIRouter, Request
from fastapi.concurrency import run_in_threadpool
from prometheus_client import (
    CONTENT_TYPE_LATEST,
    REGISTRY,
    CollectorRegistry,
    generate_latest,
    multiprocess,
)
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from starlette.responses import Response

from app.base.database.operations import Operations
from app.base.database.replica import ReplicaReads
from app.base.web.cookies import address_of
from app.base.web.errors import NotFoundError
from app.base.web.metric_files import FOLDER, only_living

router = APIRouter()
FORWARDED = ("x-forwarded-for", "forwarded", "x-real-ip", "via")


@router.get("/metrics")
async def show_metrics(request: Request) -> Response:
    state = request.app.state
    if not may_read(request.headers, address_of(request), state.metrics_token, is_public=bool(state.public_url)):
        raise NotFoundError
    async with state.long_turns.turn("metrics"):
        found = await run_in_threadpool(state.operations.now, state.begin)
        lag_s = await run_in_threadpool(_lag_s, state.replica) if found else None
        text = await run_in_threadpool(render, found, lag_s)
    return Response(text, media_type=CONTENT_TYPE_LATEST)


def may_read(headers: Mapping[str, str], address: str, token: str | None, *, is_public: bool) -> bool:
    """Whether a request may read the metrics.

    Without a token only programs on this machine may, and nobody if the server has a public address: a proxy on the
    same machine would look like one of them.

    >>> may_read({}, "127.0.0.1", None, is_public=False), may_read({}, "192.0.2.1", None, is_public=False)
    (True, False)
    >>> may_read({"authorization": "Bearer x"}, "192.0.2.1", "x", is_public=True)
    True
    """
    if token:
        return secrets.compare_digest(headers.get("authorization", "").encode(), f"Bearer {token}".encode())
    return not is_public and _is_loopback(address) and not any(name in headers for name in FORWARDED)


def _is_loopback(address: str) -> bool:
    try:
        return ip_address(address).is_loopback
    except ValueError:
        return False


def _lag_s(replica: ReplicaReads | None) -> float | None:
    """How far the replica is behind; -1 if it does not respond, None if there is none."""
    lag_s = replica.lag_s() if replica else None
    return -1.0 if replica and lag_s is None else lag_s


def render(found: Operations | None, lag_s: float | None = None) -> bytes:
    """The numbers of all processes of this server, and those of the database."""
    registry = CollectorRegistry()
    registry.register(_OfDatabase(found, lag_s))
    if FOLDER not in os.environ:
        return generate_latest(REGISTRY) + generate_latest(registry)
    multiprocess.MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    with only_living(Path(os.environ[FOLDER])):
        return generate_latest(registry)


class _OfDatabase:
    """Collector of the numbers that were read from the database."""

    def __init__(self, found: Operations | None, lag_s: float | None) -> None:
        self._found, self._lag_s = found, lag_s

    def collect(self) -> Iterator[GaugeMetricFamily | CounterMetricFamily]:
        """One family per number."""
        found = self._found
        yield GaugeMetricFamily("attune_database_up", "1 if the database responds.", value=int(found is not None))
        if self._lag_s is not None:
            words = "Seconds that the replica is behind; -1 if it does not respond."
            yield GaugeMetricFamily("attune_replica_lag_seconds", words, value=self._lag_s)
        if found is None:
            return
        connections = GaugeMetricFamily(
            "attune_database_connections", "Connections of all processes, by state.", labels=["state"]
        )
        for state, n in found.connections.items():
            connections.add_metric([state], n)
        yield connections
        yield CounterMetricFamily(
            "attune_answers_saved", "Answers stored or changed, by all hosts.", value=found.written.n_answers
        )
        yield CounterMetricFamily("attune_claims", "Seats claimed, by all hosts.", value=found.written.n_claims)
        words = "Reports that are being computed or wait for it."
        yield GaugeMetricFamily("attune_reports_computing", words, value=found.n_reports)
        trials = GaugeMetricFamily(
            "attune_trials", "Trials shown in open studies: served is the sum of the other states.", labels=["state"]
        )
        for state, n in (*found.trials._asdict().items(), ("n_unaccounted", found.trials.n_unaccounted)):
            trials.add_metric([state.removeprefix("n_")], n)
        yield trials
