"""Open pages of raters who wait for a partner or write with one: each hears when its page has to be drawn again.

Each process looks at all of its open pages at once, in one statement per second, and at those of two raters as soon as
one of them has said something in this process. While a page is open, its rater is there; who waits is matched here too,
if another process had locked a row when they came.
"""

import asyncio
import logging
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

from app.base.database.engine import Begin
from app.base.database.outages import OUTAGES
from app.protocol.conversation import ConversationPartner
from app.rating.conversations.dyads import Member, Room, list_rooms, pair

log = logging.getLogger("attune.rating")
LOOK_S = 1.0
# After an outage of the database.
PAUSE_S = 5.0


@dataclass(slots=True, eq=False)
class _Page:
    """An open page, which is woken after each look. `room` is None when the rater has left the room."""

    member: Member
    partner: ConversationPartner
    seed: int
    room: Room | None = None
    woken: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def place(self) -> tuple[int, int | None]:
        """Study and ID of the dyad, as far as it is known."""
        return self.member.study_id, self.room.dyad_id if self.room else None


@dataclass(slots=True)
class _Watch:
    """The open pages of one event loop, and the task that looks at them."""

    pages: set[_Page] = field(default_factory=set)
    task: asyncio.Task[None] | None = None
    # Study and ID of the dyads in which something was said since the last look.
    told: set[tuple[int, int | None]] = field(default_factory=set)
    is_told: asyncio.Event = field(default_factory=asyncio.Event)


class Rooms:
    """The open pages of this process."""

    def __init__(self, begin: Begin) -> None:
        """Nothing is looked at before a page is open; `begin` opens transactions."""
        self._begin = begin
        # One at a time, so that the connections are left to the raters.
        self._database = ThreadPoolExecutor(1, "rooms")
        self._watches: WeakKeyDictionary[asyncio.AbstractEventLoop, _Watch] = WeakKeyDictionary()

    async def listen(self, member: Member, partner: ConversationPartner, seed: int) -> AsyncIterator[Room | None]:
        """Yield where a rater is, after each look; None once they are elsewhere, because they were matched there."""
        watch = self._watches.setdefault(asyncio.get_running_loop(), _Watch())
        page = _Page(member, partner, seed)
        watch.pages.add(page)
        # Something may have been said since the page was drawn.
        watch.is_told.set()
        if watch.task is None or watch.task.done():
            watch.task = asyncio.create_task(self._look(watch))
        try:
            while True:
                await page.woken.wait()
                page.woken.clear()
                yield page.room
        finally:
            watch.pages.discard(page)

    async def tell(self, study_id: int, dyad_id: int) -> None:
        """Look at the pages of two raters now: one of them has said something, or has ended it."""
        watch = self._watches.get(asyncio.get_running_loop())
        if watch:
            watch.told.add((study_id, dyad_id))
            watch.is_told.set()

    def close(self) -> None:
        """Look no more."""
        self._database.shutdown(wait=False, cancel_futures=True)

    async def _look(self, watch: _Watch) -> None:
        loop = asyncio.get_running_loop()
        next_at = loop.time()
        while watch.pages:
            is_due = loop.time() >= next_at
            told, watch.told = watch.told, set()
            watch.is_told.clear()
            pages = [page for page in watch.pages if is_due or page.room is None or page.place in told]
            try:
                rooms = await loop.run_in_executor(self._database, self._read, pages) if pages else {}
            except OUTAGES:
                log.warning("rooms cannot be read: the database does not answer")
                await asyncio.sleep(PAUSE_S)
                continue
            for page in pages:
                page.room = rooms.get(page.member)
                page.woken.set()
            if is_due:
                next_at = loop.time() + LOOK_S
            with suppress(TimeoutError):
                await asyncio.wait_for(watch.is_told.wait(), max(0.0, next_at - loop.time()))

    def _read(self, pages: list[_Page]) -> dict[Member, Room]:
        """Note that these pages are open, and match those who wait."""
        with self._begin() as db:
            rooms = list_rooms(db, {page.member for page in pages})
        for page in pages:
            room = rooms.get(page.member)
            if room and not room.is_paired and not room.has_waited(page.partner):
                with self._begin() as db:
                    pair(db, page.partner, page.member, page.seed)
        return rooms
