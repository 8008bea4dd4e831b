"""OpenTelemetry traces. Without an endpoint in the environment, or without the packages, nothing is loaded.

A span per request has the route, never the address; a span per statement has its first word, never its text or values.
No span has the message of an exception, because it may quote what a visitor sent.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from sqlalchemy import Engine
from starlette.types import ASGIApp, Receive, Scope, Send

from app import __version__
from app.base.web.middleware.logged_requests import ObservedRequests, method_of, template

if TYPE_CHECKING:
    from opentelemetry.sdk.trace.export import SpanExporter
    from opentelemetry.trace import Tracer


log = logging.getLogger("attune.web")
ENDPOINTS = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
SERVER_ERROR = 500


def is_wanted(environment: Mapping[str, str]) -> bool:
    """Whether the standard environment variables ask for traces.

    >>> is_wanted({}), is_wanted({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318"})
    (False, True)
    """
    is_off = environment.get("OTEL_SDK_DISABLED", "").lower() == "true"
    return not is_off and any(environment.get(name) for name in ENDPOINTS)


def make_tracer(exporter: SpanExporter | None = None) -> Tracer | None:
    """The tracer of this process; None if no traces are wanted or the packages are missing.

    Args:
        exporter: where spans go at once; by default they are sent in batches to the endpoint in the environment.
    """
    if exporter is None and not is_wanted(os.environ):
        return None
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor, SimpleSpanProcessor
    except ImportError:
        log.warning("no traces are sent: pip install 'attune-studies[telemetry]'")
        return None
    resource = Resource({"service.name": "attune", "service.version": __version__}).merge(Resource.create())
    provider = TracerProvider(resource=resource)
    processor = SimpleSpanProcessor(exporter) if exporter else BatchSpanProcessor(OTLPSpanExporter())
    provider.add_span_processor(processor)
    return provider.get_tracer("attune", __version__)


class TracedRequests(ObservedRequests):
    """A span per request, named after its route."""

    def __init__(self, app: ASGIApp, tracer: Tracer) -> None:
        """Trace requests to `app`, which must write the matched route into the scope that it is given."""
        super().__init__(app)
        self.tracer = tracer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request within its span."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        from opentelemetry.trace import SpanKind

        with self.tracer.start_as_current_span(
            method_of(scope), kind=SpanKind.SERVER, record_exception=False, set_status_on_exception=False
        ):
            await super().__call__(scope, receive, send)

    def note(self, scope: Scope, status: int, seconds: float, *, has_failed: bool) -> None:  # noqa: ARG002 - a span has its own times
        """Name the span, and note method, route and status."""
        from opentelemetry.trace import StatusCode, get_current_span

        span, method, route = get_current_span(), method_of(scope), template(scope)
        span.update_name(f"{method} {route}")
        span.set_attributes({"http.request.method": method, "http.route": route})
        if status:
            span.set_attribute("http.response.status_code", status)
        if status >= SERVER_ERROR:
            span.set_status(StatusCode.ERROR)


def trace_statements(engine: Engine, tracer: Tracer) -> None:
    """Make a span for each statement of this engine's connections, as far as they are opened from now on."""
    from sqlalchemy import event

    factory = _traced_cursor(tracer)

    @event.listens_for(engine, "connect")
    def use_traced_cursors(connection: Any, _record: object) -> None:  # noqa: ANN401 - of psycopg
        connection.cursor_factory = factory


def _traced_cursor(tracer: Tracer) -> type:
    """A cursor of psycopg; the statements of rating pages use it too, which do not pass through SQLAlchemy."""
    import psycopg

    class TracedCursor(psycopg.Cursor[Any]):
        def execute(self, query: Any, params: Any = None, **options: Any) -> TracedCursor:  # noqa: ANN401 - as in psycopg
            with _span(tracer, query):
                return super().execute(query, params, **options)

    return TracedCursor


@contextmanager
def _span(tracer: Tracer, query: object) -> Iterator[None]:
    """The span of a statement."""
    import psycopg
    from opentelemetry.trace import SpanKind, StatusCode

    operation = _operation(query)
    with tracer.start_as_current_span(
        operation,
        kind=SpanKind.CLIENT,
        attributes={"db.system.name": "postgresql", "db.operation.name": operation},
        record_exception=False,
        set_status_on_exception=False,
    ) as span:
        try:
            yield
        except psycopg.Error as error:
            span.set_attribute("error.type", error.sqlstate or type(error).__name__)
            span.set_status(StatusCode.ERROR)
            raise


def _operation(query: object) -> str:
    """The first word of a statement.

    >>> _operation("SELECT 1"), _operation(b"update x")
    ('SELECT', 'UPDATE')
    """
    text = query.decode() if isinstance(query, bytes) else str(query)
    word = text.split(maxsplit=1)[0].upper() if text.split() else ""
    return word if word.isalpha() else "OTHER"
