"""Requests counted and timed for Prometheus: by route, never by address, so that no label names a study or a rater."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from prometheus_client import Counter, Gauge, Histogram, disable_created_metrics

from app.web.middleware.observed_requests import ObservedRequests

if TYPE_CHECKING:
    from starlette.types import Scope

SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
disable_created_metrics()  # type: ignore[no-untyped-call]
REQUESTS = Counter("attune_requests", "Requests by method, route and status.", ["method", "route", "status"])
LATENCY = Histogram("attune_request_seconds", "Time until a response is sent.", ["method", "route"], buckets=SECONDS)
COMPUTING = Gauge("attune_reports_computing", "Reports that are being computed now.", multiprocess_mode="livesum")
NO_ROUTE = "none"
METHODS = frozenset({"GET", "POST"})


class RequestMetrics(ObservedRequests):
    """Counts each request after its response has been sent; `app` must write the matched route into its scope."""

    def note(self, scope: Scope, status: int, seconds: float, *, has_failed: bool) -> None:  # noqa: ARG002 - failed requests count too
        """Count and time a request."""
        method, route = method_of(scope), template(scope)
        _count(method, route, status).inc()
        _timer(method, route).observe(seconds)


def method_of(scope: Scope) -> str:
    """The method of a request; methods that no route has become `other`."""
    method: str = scope["method"]
    return method if method in METHODS else "other"


def template(scope: Scope) -> str:
    """The path of the matched route, such as `/s/{slug}/rate`.

    A router's own prefix is missing in its routes; it is the beginning of the address, which has no parameters.

    >>> from starlette.routing import Route
    >>> template({"path": "/s/x/rate", "route": Route("/{slug}/rate", print)})
    '/s/{slug}/rate'
    """
    route = scope.get("route")
    if route is None:
        return "/static" if "endpoint" in scope else NO_ROUTE
    path: str = route.path
    n_missing = scope["path"].count("/") - path.count("/")
    return "/".join(scope["path"].split("/")[: n_missing + 1]) + path if n_missing > 0 else path


@lru_cache(maxsize=4096)
def _count(method: str, route: str, status: int) -> Counter:
    return REQUESTS.labels(method, route, str(status))


@lru_cache(maxsize=512)
def _timer(method: str, route: str) -> Histogram:
    return LATENCY.labels(method, route)
