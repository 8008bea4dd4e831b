"""Fast path for the routes that raters call most often, before FastAPI's router: one transaction in one thread.

They use the same loaders as other handlers: the complete body, a turn, a transaction, the rater's own assignment.
Errors are handled by the same handlers.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextvars import copy_context
from queue import SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING, Any, TypeVar
from uuid import UUID

from fastapi.exceptions import RequestValidationError
from starlette.middleware.errors import ServerErrorMiddleware
from starlette.middleware.exceptions import ExceptionMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Match, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from app.base.database.engine import Connection
from app.base.rendering.pages import use_language
from app.base.web.deps import turn
from app.rating.deps import Form, OwnTrial, get_form, get_own

if TYPE_CHECKING:
    from app.rating.answers.at_once_page import ShownPage

Handler = Callable[[Request, Connection, OwnTrial, Form], Response]
Job = tuple[Callable[[], Any], asyncio.AbstractEventLoop, asyncio.Future[Any]]


def hot_route(path: str, handle: Handler, handle_at_once: HandlerAtOnce) -> Route:
    """A POST route at `path` (with `slug` and `token`) for the rater's own assignment, named like its handler.

    `handle_at_once` is tried first, for the page that this rater saw last. If it returns None, `handle` does the same
    with everything read again.
    """

    async def endpoint(request: Request) -> Response:
        form, state = await get_form(request), request.app.state
        async with turn(state.hot_turns):
            response: Response | None = None
            if page := state.shown_pages.find(request):
                use_language(request, page.protocol.language)
                response = await handle_at_once(request, page, form)
            return response or await state.hot_threads.run(_in_transaction, request, handle, form)

    return Route(path, endpoint, methods=["POST"], name=handle.__name__)


def _in_transaction(request: Request, handle: Handler, form: Form) -> Response:
    """Handle the request in a transaction that is committed before the response is sent."""
    slug, token = request.path_params["slug"], _uuid(request.path_params["token"])
    with request.app.state.begin() as db:
        own = get_own(request, slug, token, db)
        return handle(request, db, own, form)


def _uuid(token: str) -> UUID:
    try:
        return UUID(token)
    except ValueError:
        raise RequestValidationError([]) from None


class HotRoutes:
    """Pure ASGI: tries a few routes before the application."""

    def __init__(
        self, app: ASGIApp, routes: Sequence[Route], handlers: Mapping[Any, Callable[[Request, Exception], Any]]
    ) -> None:
        """Try `routes` before `app`; `handlers` are the application's error handlers."""
        self.app, self.routes = app, routes
        expected = {kind: handle for kind, handle in handlers.items() if kind not in {500, Exception}}
        self.failed = ServerErrorMiddleware(ExceptionMiddleware(_fail, expected), handlers.get(Exception))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle the request, or pass it on."""
        if scope["type"] == "http" and scope["method"] == "POST":
            for route in self.routes:
                match, found = route.matches(scope)
                if match is Match.FULL:
                    scope.update(found, route=route)  # in place, so that the outer layers know the route
                    await self._answer(scope, receive, send)
                    return
        await self.app(scope, receive, send)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Call the route's function directly; only errors go through Starlette's layers, which look up their words."""
        try:
            response = await scope["route"].endpoint(Request(scope, receive, send))
        except Exception as error:  # noqa: BLE001 - raised again by `_fail`
            scope["attune.failure"] = error
            response = self.failed
        await response(scope, receive, send)


async def _fail(scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG001 - the signature of an application
    raise scope.pop("attune.failure")


if TYPE_CHECKING:
    HandlerAtOnce = Callable[[Request, ShownPage, Form], Awaitable[Response | None]]


# Threads for the routes that raters call most often.
#
# Starlette's thread pool takes a fifth of the processor time of a whole request: for each call, it looks up its
# limiter, its idle threads and the running event loop. These threads wait for work at one queue.

T = TypeVar("T")


class HotThreads:
    """Runs functions in up to `n` threads, which are started when they are first needed."""

    def __init__(self, n: int) -> None:
        """`n` must be at least the number of functions that are run at once; more of them wait."""
        self._n, self._n_running = n, 0
        self._threads: list[Thread] = []
        self._jobs: SimpleQueue[Job] = SimpleQueue()

    async def run(self, function: Callable[..., T], *arguments: object) -> T:
        """The result of a function, with the context variables of the caller; its exceptions are raised here."""
        loop = asyncio.get_running_loop()
        done: asyncio.Future[T] = loop.create_future()
        self._n_running += 1
        if len(self._threads) < min(self._n_running, self._n):
            self._start_one()
        context = copy_context()
        self._jobs.put((lambda: context.run(function, *arguments), loop, done))
        try:
            return await done
        finally:
            self._n_running -= 1

    def _start_one(self) -> None:
        thread = Thread(target=self._work, name=f"hot-{len(self._threads)}", daemon=True)
        self._threads.append(thread)
        thread.start()

    def _work(self) -> None:
        while True:
            job, loop, done = self._jobs.get()
            result, error = None, None
            try:
                result = job()
            except BaseException as raised:  # noqa: BLE001 - raised again in the event loop
                error = raised
            loop.call_soon_threadsafe(_settle, done, result, error)
            del job, done, result, error


def _settle(done: asyncio.Future[Any], result: object, error: BaseException | None) -> None:
    """Pass on the outcome, unless nobody waits for it any more."""
    if done.cancelled():
        return
    if error is None:
        done.set_result(result)
    else:
        done.set_exception(error)
