"""Create the web application. uvicorn calls `create_app`; tests pass an engine."""

import asyncio
import ctypes
import gc
import logging
import multiprocessing
import os
import signal
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from functools import lru_cache
from pathlib import Path
from threading import Thread

from fastapi import FastAPI
from fastapi.routing import iter_route_contexts
from sqlalchemy import Engine
from starlette.applications import Starlette
from starlette.datastructures import URLPath
from starlette.types import ASGIApp, Receive, Scope, Send

from app import routes
from app.accounts.openid.provider import Client, OpenIdProvider
from app.accounts.passwords import BREACHED
from app.accounts.sign_in import signed_out
from app.base.backups.backups import MAX_AGE_DAYS
from app.base.database.address import parse_address
from app.base.database.engine import SPARE_CONNECTIONS, database_url, hot_share, make_engine, transactions
from app.base.database.operations import RecentOperations
from app.base.database.replica import ReplicaReads
from app.base.help.library import Library
from app.base.postgres import default_data_dir
from app.base.rendering.assets import Assets
from app.base.rendering.pages import Pages
from app.base.telemetry import TracedRequests, make_tracer, trace_statements
from app.base.web import error_responses
from app.base.web.deps import LongTurns
from app.base.web.errors import SignInError
from app.base.web.metric_files import FOLDER, only_living
from app.base.web.middleware.bodies import Bodies, Compression, TooLarge
from app.base.web.middleware.logged_requests import AccessLog, LoggablePath, RequestMetrics
from app.base.web.middleware.logged_requests import log as access_log
from app.base.web.middleware.proxies import TrustedProxies
from app.base.web.middleware.security import AllowedHosts, Guard
from app.base.web.middleware.unexpected_errors import UnexpectedErrors
from app.llm.client.servers import read_servers
from app.llm.live.replies import Replies
from app.rating.conversations.rooms import Rooms
from app.rating.prolific.client import Prolific
from app.rating.withdrawal.deletions import DeletionList
from app.results.making.bounded_jobs import ReportBounds
from app.results.making.making import Making
from app.results.reports.live_report import LiveReports
from app.routes import UPLOADS, paths_of
from app.settings import Settings, folder, settings
from app.studies.creation.upload_process import UploadReader
from app.studies.walk_throughs import is_walk_through_page
from app.webhooks.addresses import parse_networks

MEBIBYTE = 1024 * 1024
# No page needs this long: a statement that takes longer only blocks a connection that others wait for.
STATEMENT_S = 60
# New objects until the next garbage collection; Python's default is 700, and a rating page makes thousands.
GARBAGE = 5_000
# The number of `M_ARENA_MAX` in the C library of Linux.
ARENAS, MAX_ARENAS = -8, 2


class Application(FastAPI):
    """FastAPI, with our own middleware outside of everything else.

    Middleware added in the usual way is inside FastAPI's size limit and its handler of last resort: their responses
    would have no security headers, and one of them no readable message.
    """

    def url_path_for(self, name: str, /, **path_params: object) -> URLPath:
        """The address of a handler. Its pattern is cached, because FastAPI searches all routers for each address."""
        form = self._form_of_address(name, *path_params)
        return URLPath(form.format_map(path_params), protocol="http")

    @lru_cache(maxsize=256)  # noqa: B019 - an application lives as long as its process
    def _form_of_address(self, name: str, *parameters: str) -> str:
        return str(super().url_path_for(name, **{one: f"{{{one}}}" for one in parameters}))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request without asking each time whether FastAPI's telemetry is on: it is not."""
        await Starlette.__call__(self, scope, receive, send)

    def build_middleware_stack(self) -> ASGIApp:
        """Wrap our middleware around that of FastAPI."""
        loggable = self.state.loggable = LoggablePath(paths_of(self.routes))
        app: ASGIApp = TooLarge(super().build_middleware_stack())
        app = Bodies(app, max_bytes=MEBIBYTE, uploads=UPLOADS)
        app = RequestMetrics(Compression(UnexpectedErrors(app, loggable=loggable)))
        app = TracedRequests(app, self.state.tracer) if self.state.tracer else app
        hosts = AllowedHosts(self.state.allowed_hosts, self.state.public_url)
        app = Guard(
            app, hosts=hosts, public_url=self.state.public_url, loggable=loggable, may_frame=is_walk_through_page
        )
        app = AccessLog(app, loggable=loggable) if access_log.isEnabledFor(logging.INFO) else app
        return TrustedProxies(app, self.state.trusted_proxies)


def create_app(engine: Engine | None = None) -> FastAPI:
    """Create the application for one database; several applications can run at once.

    Args:
        engine: a migrated database; None for the one in the settings.
    """
    now = settings()
    engine = engine or make_engine(
        database_url(now.database_url, now.data_dir), n_connections=now.n_threads, statement_s=STATEMENT_S
    )
    app = Application(
        title="Attune",
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        max_body_size=MEBIBYTE,
        # FastAPI's own spans have the whole address, with tokens and participant IDs; ours: app/base/telemetry.py.
        lifespan=closing_replies,
        telemetry={"tracing": False, "metrics": False, "logs": False, "auto_configure": False},
    )
    set_state(app, engine)
    assets = Assets(folder("static"), folder("docs") / "pictures")
    app.state.help = Library(folder("docs"), assets.url)
    app.state.pages = Pages(folder("templates"), assets, app.url_path_for)
    assets.mount(app)
    routes.include(app, max_upload_bytes=app.state.max_upload_bytes)
    error_responses.register(app)
    app.exception_handler(SignInError)(signed_out)
    return app


@asynccontextmanager
async def closing_replies(app: FastAPI) -> AsyncIterator[None]:
    """At the end of the process, leave the replies that are being made to other processes."""
    yield
    app.state.rooms.close()
    await asyncio.to_thread(app.state.replies.close)


def set_state(app: FastAPI, engine: Engine) -> None:
    """Give the application its database and what follows from the settings, except for its pages and routes."""
    now = settings()
    _set_database(app, engine, now)
    _set_processes(app, now)
    _share_connections(app, now.n_threads)
    app.state.long_turns = LongTurns(SPARE_CONNECTIONS)
    app.state.n_threads = now.n_threads
    app.state.max_upload_bytes = now.max_upload_mb * MEBIBYTE
    app.state.max_arrivals = now.max_arrivals_per_minute
    app.state.public_url = now.public_url
    app.state.trusted_proxies = now.proxies
    app.state.allowed_hosts = now.allowed_hosts.split(",")
    app.state.metrics_token = now.metrics_token
    app.state.has_local_passwords = now.local_passwords
    BREACHED.file = now.breached_passwords_file
    _set_services(app, now)


def _set_database(app: FastAPI, engine: Engine, now: Settings) -> None:
    """The database, its replica and its files."""
    app.state.begin = transactions(engine)
    app.state.tracer = make_tracer()
    if app.state.tracer:
        trace_statements(engine, app.state.tracer)
    app.state.replica = _replica(app, now)
    app.state.begin_reading = app.state.replica.begin if app.state.replica else app.state.begin
    app.state.operations = RecentOperations()
    app.state.migrations = folder("migrations")
    # The folder of the embedded database, whose disk is watched.
    is_embedded = now.embedded or not now.database_url
    app.state.data_dir = now.data_dir or default_data_dir() if is_embedded else None
    # How long the backups of a database elsewhere are kept is not known here.
    app.state.backup_days = MAX_AGE_DAYS if is_embedded else None
    app.state.deletions = DeletionList(now.backups_folder(default_data_dir))


def _set_processes(app: FastAPI, now: Settings) -> None:
    """The side process for uploads, within its limits; reports and files, which the worker makes."""
    app.state.uploads = UploadReader(now.upload_bounds)
    bounds = ReportBounds(now.report_seconds, now.report_memory_mb)
    app.state.making = Making(app.state.begin)
    app.state.reports = LiveReports(app.state.begin, bounds.in_words)


def _set_services(app: FastAPI, now: Settings) -> None:
    """Other servers that this one may talk to."""
    token = now.prolific_token
    app.state.prolific = Prolific(token.get_secret_value()) if token else None
    app.state.model_servers = read_servers(now.model_servers_file)
    app.state.replies = Replies(app.state.begin, app.state.model_servers)
    app.state.rooms = Rooms(app.state.begin)
    app.state.webhook_networks = parse_networks(now.webhook_networks)
    app.state.openid = _openid(now)


def _share_connections(app: FastAPI, n_threads: int) -> None:
    """Divide the connections between saves and submits, which get a quarter, and everything else.

    More of them at once would only make each slower on a busy server: the caches of their connections displace each
    other, and more transactions share the locks of the rows that answers reference.
    """
    n_hot = hot_share(n_threads)
    app.state.turns = asyncio.Semaphore(n_threads - n_hot)
    app.state.hot_turns = asyncio.Semaphore(n_hot)


def _openid(now: Settings) -> OpenIdProvider | None:
    """The provider that leads may sign in at, if the settings name one; they are complete then."""
    if now.openid_issuer is None or now.openid_client_secret is None:
        return None
    secret = now.openid_client_secret.get_secret_value()
    client = Client(
        now.openid_issuer,
        now.openid_client_id or "",
        secret,
        now.public_url or "",
        now.openid_name,
        tuple(now.openid_acr.split()),
    )
    return OpenIdProvider(client)


def _replica(app: FastAPI, now: Settings) -> ReplicaReads | None:
    """The replica that results and downloads are read from, if the settings name one."""
    if not now.database_replica_url:
        return None
    url = parse_address(now.database_replica_url)
    engine = make_engine(url, n_connections=SPARE_CONNECTIONS, statement_s=STATEMENT_S)
    return ReplicaReads(app.state.begin, transactions(engine), max_lag_s=now.max_replica_lag_s)


def server_process() -> FastAPI:
    """The application of one of several server processes, which ends when its parent does, even by kill -9."""
    if parent := multiprocessing.parent_process():

        def leave() -> None:
            parent.join()
            os.kill(os.getpid(), signal.SIGTERM)

        Thread(target=leave, daemon=True).start()
    share_arenas()
    if shared := os.environ.get(FOLDER):
        with only_living(Path(shared)):  # this process may replace one that ended
            pass
    app = create_app()
    # FastAPI would read the parameters of each handler while somebody waits for the first pages of this process.
    deque(iter_route_contexts(app.routes), maxlen=0)
    _collect_less_garbage()
    return app


def share_arenas() -> bool:
    """Let all threads take memory from two arenas, and say whether this C library can.

    By default, each of many threads keeps megabytes for itself, a twelfth of the memory of a process.
    """
    with suppress(AttributeError, OSError):
        return bool(ctypes.CDLL(None).mallopt(ARENAS, MAX_ARENAS))
    return False


def _collect_less_garbage() -> None:
    """Leave what is loaded now out of garbage collections, and collect less often: it took a tenth of each request."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(GARBAGE, 20, 20)
