"""One log line per request, if the log level includes it."""

import logging
import re
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from functools import lru_cache

from prometheus_client import Counter, Histogram, disable_created_metrics
from starlette.types import ASGIApp, Message, Receive, Scope, Send

# Status and duration of each request, for middleware that logs or counts them.


class ObservedRequests(ABC):
    """Pure ASGI: passes everything on, and notes each request when the application has ended it."""

    def __init__(self, app: ASGIApp) -> None:
        """Observe the requests to `app`."""
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass everything on, and note the status of the response."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        begun, status, has_failed = time.perf_counter(), 0, True

        async def watch(message: Message) -> None:
            nonlocal status
            status = message.get("status", status)
            await send(message)

        try:
            await self.app(scope, receive, watch)
            has_failed = False
        finally:
            self.note(scope, status, time.perf_counter() - begun, has_failed=has_failed)

    @abstractmethod
    def note(self, scope: Scope, status: int, seconds: float, *, has_failed: bool) -> None:
        """Log or count a request. `status` is 0 if no response began; `has_failed` if the application raised."""


log = logging.getLogger("attune.access")


class AccessLog(ObservedRequests):
    """Logs method, path without secrets, status and milliseconds, but no user or IP address."""

    def __init__(self, app: ASGIApp, *, loggable: Callable[[str], str]) -> None:
        """Log requests to `app`; `loggable` removes secrets from a path."""
        super().__init__(app)
        self.loggable = loggable

    def note(self, scope: Scope, status: int, seconds: float, *, has_failed: bool) -> None:
        """Log a request that was answered; errors are logged by `UnexpectedErrors`."""
        if not has_failed:
            log.info("%s %s %d %.1f ms", scope["method"], self.loggable(scope["path"]), status, seconds * 1000)


# Paths for log lines, without secrets and personal data.

_SLUG = re.compile(r"[a-z0-9-]{1,64}")
_SLUG_FOLLOWS = frozenset({"s", "studies"})
_MAX_SEGMENTS = 8


class LoggablePath:
    """Keeps the words of our own routes and the slug of a study; everything else becomes `*`.

    A list of secrets to remove could miss new ones: sign-in tokens, rating tokens, and anything that a visitor types.
    """

    def __init__(self, paths: Iterable[str]) -> None:
        """`paths` are the paths of all routes, such as `/s/{slug}/rate/{token}`."""
        self._words = frozenset(part for path in paths for part in path.split("/") if "{" not in part) | _SLUG_FOLLOWS

    def __call__(self, path: str) -> str:
        """The path as it may appear in a log line.

        >>> loggable = LoggablePath(["/s/{slug}/rate/{token}", "/sign-in/{token}"])
        >>> loggable("/s/demo/rate/4f9c"), loggable("/sign-in/secret"), loggable("/anna@example.org")
        ('/s/demo/rate/*', '/sign-in/*', '/*')
        """
        parts = path.split("/")[1 : _MAX_SEGMENTS + 1]
        return "/" + "/".join(self._part(parts, place) for place in range(len(parts)))

    def _part(self, parts: list[str], place: int) -> str:
        part = parts[place]
        is_slug = place == 1 and parts[0] in _SLUG_FOLLOWS and _SLUG.fullmatch(part)
        return part if is_slug or part in self._words else "*"


# Requests counted and timed for Prometheus: by route, never by address, so that no label names a study or a rater.

SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
disable_created_metrics()  # type: ignore[no-untyped-call]
REQUESTS = Counter("attune_requests", "Requests by method, route and status.", ["method", "route", "status"])
LATENCY = Histogram("attune_request_seconds", "Time until a response is sent.", ["method", "route"], buckets=SECONDS)
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
