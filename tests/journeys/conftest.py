"""A real browser and a real server: the application on its own database and a free local port."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import Any

import pytest
import uvicorn
from fastapi import FastAPI
from playwright.sync_api import Browser, BrowserContext, Locator, Page
from sqlalchemy import Engine
from starlette.types import ASGIApp, Receive, Scope, Send

from app.analysis import analyze
from tests.kit.application import renewed
from tests.kit.browser import FLAGS, HOW, find_chromium
from tests.kit.making_here import making_here
from tests.kit.reports_here import reports_here
from tests.kit.waiting import eventually

# Only a failing test waits so long, and a busy machine can be slow.
# Reading a spreadsheet starts a process, which took over a minute on two processors with 24 journeys at once.
TIMEOUT_MS = 120_000
WIDE = {"width": 1280, "height": 800}
# Console messages that journeys cause on purpose: resubmitted forms, refusals, ended sessions, busy servers, network
# failures.
EXPECTED_ERRORS = (
    "status of 4",
    "status of 503",
    "Error Code 403",
    "Error Code 409",
    "Error Code 503",
    "net::ERR",
    "htmx:sendError",
    "htmx:afterRequest",
)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Start one Chromium for the whole test run."""
    from playwright.sync_api import expect, sync_playwright

    path = find_chromium()
    assert path, HOW
    expect.set_options(timeout=TIMEOUT_MS)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        yield chromium
        chromium.close()


class Server:
    """One uvicorn for all journeys of a worker: to stop one takes a fifth of a second. Each journey has its own
    application, and a connection that is still open when the next one begins would still speak to the old one.
    """

    def __init__(self, port: int) -> None:
        """`serve` sets the application before the first request."""
        self.address = f"http://127.0.0.1:{port}"
        self.app: ASGIApp | None = None
        self.running = uvicorn.Server(uvicorn.Config(self, log_level="warning", lifespan="off", ws="none"))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand a request to the application of the journey."""
        assert self.app, "a request between two journeys"
        await self.app(scope, receive, send)

    @contextmanager
    def serve(self, app: ASGIApp) -> Iterator[None]:
        """Serve the application; at the end take no request more, and wait until the last one is answered."""
        self.app = app
        yield
        self.app = None
        eventually(lambda: not self.running.server_state.tasks, pause_s=0.005)


@pytest.fixture(scope="session")
def running_server() -> Iterator[Server]:
    """Start a server without an application."""
    with closing(socket.create_server(("127.0.0.1", 0))) as listening:
        server = Server(listening.getsockname()[1])
        thread = threading.Thread(target=server.running.run, kwargs={"sockets": [listening]})
        thread.start()
        eventually(lambda: server.running.started, pause_s=0.005)
        yield server
        server.running.should_exit = True
        thread.join()


@pytest.fixture
def server(running_server: Server, built_app: FastAPI, engine: Engine) -> Iterator[str]:
    """Run the application and yield its address."""
    app = renewed(built_app, engine)
    app.state.reports = reports_here(engine.begin, analyze)
    app.state.making = making_here(engine.begin)
    with running_server.serve(app):
        yield running_server.address


@pytest.fixture
def new_context(
    browser: Browser, server: str, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[..., BrowserContext]]:
    """Make browser contexts with their own cookies; the test fails if a page logs an error or violates the policy."""
    made: list[BrowserContext] = []
    errors: list[str] = []

    def press_keys_once_loaded(page: Page) -> None:
        """Hold each key back until the page's scripts have run, which hear it."""
        for name in ("press", "type"):
            send = getattr(page.keyboard, name)

            def send_once_loaded(keys: str, send: Callable[..., None] = send, **options: Any) -> None:  # noqa: ANN401
                page.wait_for_load_state("load")
                send(keys, **options)

            monkeypatch.setattr(page.keyboard, name, send_once_loaded)

    for name in ("press", "press_sequentially"):
        press = getattr(Locator, name)

        def press_once_loaded(to: Locator, keys: str, press: Callable[..., None] = press, **options: Any) -> None:  # noqa: ANN401
            to.page.wait_for_load_state("load")
            press(to, keys, **options)

        monkeypatch.setattr(Locator, name, press_once_loaded)

    def make(**options: Any) -> BrowserContext:  # noqa: ANN401 - Playwright's options
        context = browser.new_context(base_url=server, viewport=options.pop("viewport", WIDE), **options)
        context.set_default_timeout(TIMEOUT_MS)
        context.on("weberror", lambda error: errors.append(str(error.error)))
        context.on("page", press_keys_once_loaded)
        context.on("console", lambda message: errors.append(message.text) if _is_problem(message) else None)
        made.append(context)
        return context

    yield make
    for context in made:
        context.close()
    assert errors == []


def _is_problem(message: Any) -> bool:  # noqa: ANN401 - Playwright's message
    """Return whether a console message is an unexpected error or warning."""
    return message.type in {"error", "warning"} and not any(words in message.text for words in EXPECTED_ERRORS)


@pytest.fixture
def page(new_context: Callable[..., BrowserContext]) -> Page:
    """Return a page in a wide browser window."""
    return new_context().new_page()
