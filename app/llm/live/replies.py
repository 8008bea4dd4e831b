"""Replies of models to raters: made once, by whichever process is asked first, while any number of them listens.

A reply does not depend on the request that asked for it: who closes the tab finds it later. All of them are made in one
event loop in a thread of their own, which begins with the first reply; until then a web process does not load the
client.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field
from threading import Lock, Thread
from typing import TypeVar

from app.base.database.engine import Begin, Connection
from app.base.database.outages import OUTAGES
from app.llm.client.connection import RateLimit, Send, connection, load_client
from app.llm.client.servers import ModelServer
from app.llm.live.claims import CLAIM_S, Claim, Key, Over, Used, claim, list_free, record, release, renew
from app.llm.live.making import Line, Making
from app.llm.live.written import Written

log = logging.getLogger("attune.models")
# Who listens comes first, in its own process, where it hears the reply while it is written; without a listener, the
# reply is begun after this time.
GRACE_S = 1.0
# How often a process looks whether another one has made a reply.
LOOK_S = 1.0
RENEW_S = CLAIM_S / 3
# After an outage of the database.
PAUSE_S = 1.0
CLOSE_S = 5.0
CLOSED = "No replies are made any more: the process ends."
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Heard:
    """A reply so far. `text` is all of it, and can also become shorter: a reply that broke off is begun again.

    `state` is `awaited` until the reply is `said`, `withheld` or `failed`.
    """

    text: str = ""
    state: str = "awaited"


@dataclass(slots=True, eq=False)
class _Listener:
    """Someone in another event loop who is woken when there is more to hear."""

    loop: asyncio.AbstractEventLoop
    woken: asyncio.Event = field(default_factory=asyncio.Event)

    def wake(self) -> None:
        with suppress(RuntimeError):  # the loop is closed, and nobody listens any more
            self.loop.call_soon_threadsafe(self.woken.set)


@dataclass(slots=True, eq=False)
class _Reply:
    """A reply that someone waits for in this process, whoever makes it."""

    heard: Heard = Heard()
    listeners: set[_Listener] = field(default_factory=set)
    is_wanted: asyncio.Event = field(default_factory=asyncio.Event)
    task: asyncio.Task[None] | None = None

    def say(self, heard: Heard) -> None:
        self.heard = heard
        for listener in self.listeners:
            listener.wake()


def _run(loop: asyncio.AbstractEventLoop) -> None:
    loop.run_forever()
    loop.close()


class Replies:
    """Who makes the replies of models to raters in this process."""

    def __init__(self, begin: Begin, servers: Sequence[ModelServer]) -> None:
        """Nothing is begun before the first reply.

        Args:
            begin: opens transactions.
            servers: those of the installation.
        """
        self._begin, self._servers = begin, servers
        self._starting = Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._is_closed = False
        # One at a time, so that many replies at once leave the connections to the raters.
        self._database = ThreadPoolExecutor(1, "replies")
        # From here on, all is used in the loop only.
        self._replies: dict[Key, _Reply] = {}
        self._claims: dict[Key, Claim] = {}
        self._elsewhere: dict[Key, asyncio.Event] = {}
        self._lines: dict[str, Line] = {}
        self._connections: dict[tuple[str, str], Send] = {}
        self._connecting = asyncio.Lock()
        self._open = AsyncExitStack()
        self._chores: dict[str, asyncio.Task[None]] = {}

    # For other threads and event loops.

    def ensure(self, study_id: int, turn_id: int) -> None:
        """Make the reply that a turn awaits, unless it is there or being made. Returns at once."""
        self._soon(self._attach, Key(study_id, turn_id), None)

    def prepare(self) -> None:
        """Load the client, which takes a second, before there is a message to reply to. Returns at once."""
        self._soon(load_client)

    async def listen(self, study_id: int, turn_id: int) -> AsyncIterator[Heard]:
        """Yield a reply so far each time that there is more, and last how it ended; it is made if need be.

        Pieces are heard in the process that makes the reply; in others it comes as a whole. The first reply of a model
        in a process also comes as a whole, if only its end can tell thoughts from words.
        """
        listener = _Listener(asyncio.get_running_loop())
        reply = await asyncio.wrap_future(self._call(lambda: self._attach(Key(study_id, turn_id), listener)))
        last = Heard()
        try:
            while last.state == "awaited":
                await listener.woken.wait()
                listener.woken.clear()
                if last != reply.heard:
                    last = reply.heard
                    yield last
        finally:
            self._soon(reply.listeners.discard, listener)

    def close(self) -> None:
        """Give up the replies that are being made, for other processes to make at once."""
        with self._starting:
            loop, self._is_closed = self._loop, True
        if loop is not None:
            with suppress(TimeoutError):
                asyncio.run_coroutine_threadsafe(self._give_up(), loop).result(CLOSE_S)
            loop.call_soon_threadsafe(loop.stop)
        self._database.shutdown(wait=False)

    def _running(self) -> asyncio.AbstractEventLoop:
        """The loop, which begins now if it has not.

        Raises:
            RuntimeError: it was closed.
        """
        with self._starting:
            if self._is_closed:
                raise RuntimeError(CLOSED)
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                Thread(target=_run, args=(self._loop,), name="replies", daemon=True).start()
            return self._loop

    def _soon(self, function: Callable[..., object], *values: object) -> None:
        with suppress(RuntimeError):  # the process ends
            self._running().call_soon_threadsafe(function, *values)

    def _call(self, function: Callable[[], T]) -> Future[T]:
        loop = self._running()

        async def call() -> T:
            return function()

        return asyncio.run_coroutine_threadsafe(call(), loop)

    # In the loop.

    def _attach(self, key: Key, listener: _Listener | None) -> _Reply:
        reply = self._replies.get(key)
        if reply is None:
            reply = self._replies[key] = _Reply()
            reply.task = asyncio.create_task(self._bring(key, reply))
        if listener is not None:
            reply.listeners.add(listener)
            reply.is_wanted.set()
            listener.wake()
        return reply

    async def _bring(self, key: Key, reply: _Reply) -> None:
        """Make a reply, or wait until another process has, if anybody listens."""
        with suppress(TimeoutError):
            async with asyncio.timeout(GRACE_S):
                await reply.is_wanted.wait()
        heard = None
        try:
            heard = await self._end_of(key, reply)
        except Exception:
            log.exception("a reply cannot be claimed")
        finally:
            del self._replies[key]
        reply.say(heard or Heard("", "failed"))

    async def _end_of(self, key: Key, reply: _Reply) -> Heard | None:
        """How a reply ended; None if another process makes it, and nobody listens in this one."""
        while True:
            found = await self._in_database(lambda db: claim(db, key, self._servers))
            if isinstance(found, Over):
                return Heard(found.text, found.state)
            if found is not None and (made := await self._make(found, reply)) is not None:
                return Heard(made.text or "", made.state)
            if not reply.listeners:
                return None
            if found is None:
                event = self._elsewhere.setdefault(key, asyncio.Event())
                self._do("look", self._look)
                await event.wait()

    async def _make(self, own: Claim, reply: _Reply) -> Written | None:
        """Make a claimed reply and store it; None if another process has taken the claim meanwhile."""
        self._claims[own.key] = own
        self._do("renew", self._renew)
        making = Making(own, lambda text: reply.say(Heard(text)), self._in_database)
        try:
            made, used = await making.make(self._line(own.server), lambda: self._connection(own))
            is_stored = await self._in_database(lambda db: record(db, own, made, used))
        except Exception as error:  # a reply that cannot be stored must not be made, and paid, again and again
            log.exception("a reply cannot be used")
            made = Written("failed", problem=f"The reply cannot be used ({type(error).__name__}).")
            is_stored = await self._in_database(lambda db: record(db, own, made, Used()))
        except asyncio.CancelledError:
            with suppress(*OUTAGES):
                await self._once(lambda db: release(db, own, is_sent=making.is_sent))
            raise
        finally:
            del self._claims[own.key]
        return made if is_stored else None

    def _line(self, server: ModelServer) -> Line:
        """The queue of a server."""
        if server.name not in self._lines:
            self._lines[server.name] = Line(asyncio.Semaphore(server.at_once), RateLimit(server.per_minute))
        return self._lines[server.name]

    async def _connection(self, own: Claim) -> Send:
        """The connection to a model, which stays open.

        Raises:
            ClientMissingError: the client is not installed.
        """
        name = own.server.name, own.partner.model
        async with self._connecting:
            if name not in self._connections:
                made = connection(own.server.endpoint(own.partner.model), rate_limit=self._line(own.server).rate_limit)
                self._connections[name] = await self._open.enter_async_context(made)
        return self._connections[name]

    async def _once(self, work: Callable[[Connection], T]) -> T:
        def transaction() -> T:
            with self._begin() as db:
                return work(db)

        return await asyncio.get_running_loop().run_in_executor(self._database, transaction)

    async def _in_database(self, work: Callable[[Connection], T]) -> T:
        """Do work in a transaction, again and again while the database is not there."""
        while True:
            try:
                return await self._once(work)
            except OUTAGES as error:
                log.warning("the database is not there for a reply: %s", type(error).__name__)
                await asyncio.sleep(PAUSE_S)

    def _do(self, name: str, chore: Callable[[], object]) -> None:
        """Do a chore while there is one."""
        if name not in self._chores or self._chores[name].done():
            self._chores[name] = asyncio.create_task(chore())  # type: ignore[arg-type]  # a coroutine

    async def _renew(self) -> None:
        """Renew the claims of this process while it has any."""
        while self._claims:
            await asyncio.sleep(RENEW_S)
            if own := [*self._claims.values()]:
                await self._in_database(lambda db: renew(db, own))

    async def _look(self) -> None:
        """Look for the replies that other processes make, while there are any."""
        while self._elsewhere:
            await asyncio.sleep(LOOK_S)
            for key in await self._in_database(lambda db: list_free(db, [*self._elsewhere])):
                self._elsewhere.pop(key).set()

    async def _give_up(self) -> None:
        tasks = [*(reply.task for reply in self._replies.values() if reply.task), *self._chores.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._open.aclose()
