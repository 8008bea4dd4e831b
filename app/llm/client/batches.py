"""Batches: many requests as one file, answered within a day at a lower price.

Each request is sent as usual, but waits until no other has come for a moment; then all are one batch. A batch goes on
if this process ends. Requests have the same ID in every process, so that the next one finds the answers of the batches
of its run and asks nothing twice.
"""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from openai import AsyncOpenAI
from openai.types import Batch

from app.llm.client.endpoint import BatchPace, BatchUnderWayError, Endpoint, Message, Parameters, Reply
from app.llm.client.openai_client import body_of, errors_in_words, reply_to
from app.llm.client.request_errors import RequestError, cut_to_line, problem_of_status

PATH, WINDOW, MARK = "/v1/chat/completions", "24h", "attune_run"
_ENDED = frozenset({"completed", "failed", "expired", "cancelled"})
_OK = 200
NOT_ANSWERED = "The batch ended before this request was answered."
NOT_FOUND = (
    "The server does not find the batch {} of this run. If another account's key sent it, continue with that key: its "
    "answers are paid for. If it is lost, delete the run and start it again."
)


@dataclass(slots=True)
class Batches:
    """The batches of one run. `waiting`: requests that are in no batch yet; `under_way`: those that are, by ID.

    `known` are the batches that are waited for, or were. `n_sending`: batches that are being sent; `sent_at`: when the
    last one was.
    """

    client: AsyncOpenAI
    endpoint: Endpoint
    pace: BatchPace
    waiting: dict[str, dict[str, Any]] = field(default_factory=dict)
    under_way: dict[str, asyncio.Future[dict[str, Any]]] = field(default_factory=dict)
    known: set[str] = field(default_factory=set)
    found: asyncio.Task[None] | None = None
    collecting: asyncio.Task[None] | None = None
    tasks: set[asyncio.Task[None]] = field(default_factory=set)
    n_sending: int = 0
    sent_at: float = field(default_factory=time.monotonic)

    async def send(self, messages: Sequence[Message], parameters: Parameters, request_id: str) -> Reply:
        """Send one request with the next batch, or wait for the batch that has it.

        Raises:
            RequestError: there is no answer.
            BatchUnderWayError: there is none yet.
        """
        body = body_of(self.endpoint, messages, parameters) | dict(self.endpoint.extra_body)
        # A search that failed is repeated: what is in a batch must not be asked, and paid, again.
        if self.found is None or (self.found.done() and (self.found.cancelled() or self.found.exception())):
            self.found = asyncio.create_task(self._find(_run_of(request_id)))
        await asyncio.shield(self.found)
        if request_id not in self.under_way:
            self.under_way[request_id] = asyncio.get_running_loop().create_future()
            self.waiting[request_id] = body
            if self.collecting is None or self.collecting.done():
                self.collecting = self._start(self._collect(request_id))
        try:
            line = await self.under_way[request_id]
        finally:
            self.under_way.pop(request_id, None)
        return _reply(line, body, has_key=bool(self.endpoint.key))

    async def _find(self, run_key: str) -> None:
        """Wait for the batches that were sent for this run before; those that failed have no answers."""
        async with errors_in_words(self.endpoint):
            listed = self.client.batches.list(limit=100, extra_headers=self.endpoint.headers)
            shown = [one async for one in listed]
            shown += [await self._sent(one) for one in {*self.pace.sent}.difference(one.id for one in shown)]
            own = [one for one in shown if (one.metadata or {}).get(MARK) == run_key]
            # What an expired batch left open may be in a later one.
            for batch in sorted(own, key=lambda one: one.created_at, reverse=True):
                if batch.status != "failed" and batch.id not in self.known:
                    lines = await self._lines(batch.input_file_id)
                    asked = [one["custom_id"] for one in lines if one["custom_id"] not in self.under_way]
                    self.under_way |= {one: asyncio.get_running_loop().create_future() for one in asked}
                    self._start(self._wait_for(batch.id, asked))

    async def _sent(self, number: str) -> Batch:
        """A batch that an earlier process has sent.

        Raises:
            RequestError: the server does not find it, and what is in it must not be asked, and paid, again.
        """
        try:
            async with errors_in_words(self.endpoint):
                return await self.client.batches.retrieve(number, extra_headers=self.endpoint.headers)
        except RequestError as error:
            if error.may_help:
                raise
            raise RequestError(NOT_FOUND.format(number), ends_run=True) from error

    async def _collect(self, request_id: str) -> None:
        """Send what waits as a batch, once nothing more comes."""
        n_before = 0
        while n_before < len(self.waiting) < self.pace.n_at_most:
            n_before = len(self.waiting)
            await asyncio.sleep(self.pace.quiet_s)
        asked = dict(list(self.waiting.items())[: self.pace.n_at_most])
        for one in asked:
            del self.waiting[one]
        if self.waiting:
            self.collecting = self._start(self._collect(request_id))
        self.n_sending += 1
        try:
            number = await self._submit(asked, _run_of(request_id))
        except RequestError as error:
            self.found = None  # the batch may have been made, and only the answer that says so was lost
            self._end([*asked], error)
            return
        finally:
            self.n_sending, self.sent_at = self.n_sending - 1, time.monotonic()
        await self._wait_for(number, [*asked])

    async def _submit(self, asked: Mapping[str, Mapping[str, Any]], run_key: str) -> str:
        lines = [
            json.dumps({"custom_id": one, "method": "POST", "url": PATH, "body": body}, ensure_ascii=False)
            for one, body in asked.items()
        ]
        headers = dict(self.endpoint.headers)
        async with errors_in_words(self.endpoint):
            file = await self.client.files.create(
                file=("requests.jsonl", "\n".join(lines).encode()), purpose="batch", extra_headers=headers
            )
            batch = await self.client.batches.create(
                input_file_id=file.id,
                endpoint=PATH,
                completion_window=WINDOW,
                metadata={MARK: run_key},
                extra_headers=headers,
            )
        self.pace.note(str(batch.id), is_under_way=True)
        return str(batch.id)

    async def _wait_for(self, number: str, asked: Sequence[str]) -> None:
        """Give each of these requests of a batch its answer, once the batch has ended."""
        own = frozenset(asked)
        self.known.add(number)
        try:
            batch = await self._ended(number)
            async with errors_in_words(self.endpoint):
                files = (batch.output_file_id, batch.error_file_id)
                answered = [line for file in files if file for line in await self._lines(file)]
        except RequestError as error:
            self._end(asked, error)
            return
        for line in answered:
            # A later batch may have asked again what failed in this one.
            future = self.under_way.get(line["custom_id"]) if line["custom_id"] in own else None
            if future is not None and not future.done():
                future.set_result(line)
        said = "; ".join(str(one.message) for one in (batch.errors and batch.errors.data) or ())
        words = f"The batch failed: {cut_to_line(said)}" if said else NOT_ANSWERED
        self.pace.note(number, is_under_way=False)
        self._end(asked, RequestError(words, may_help=not said))

    async def _ended(self, number: str) -> Batch:
        """A batch, once it has ended.

        Raises:
            RequestError: the server does not say how far it is, and another try does not help.
            BatchUnderWayError: it takes too long.
        """
        while True:
            try:
                async with errors_in_words(self.endpoint):
                    batch = await self.client.batches.retrieve(number, extra_headers=self.endpoint.headers)
                if batch.status in _ENDED:
                    return batch
            except RequestError as error:
                if not error.may_help:  # a server that cannot be reached for a while does not end the batch
                    raise
            if self._is_impatient():
                raise BatchUnderWayError
            await asyncio.sleep(self.pace.poll_s)

    def _is_impatient(self) -> bool:
        """Whether this process has waited long enough, and nothing is about to be sent."""
        patience = self.pace.patience_s
        is_sending = self.waiting or self.n_sending
        return patience is not None and not is_sending and time.monotonic() - self.sent_at >= patience

    def _end(self, asked: Sequence[str], error: RequestError | BatchUnderWayError) -> None:
        """Tell the requests that have no answer why."""
        for one in asked:
            future = self.under_way.get(one)
            if future is not None and not future.done():
                future.set_exception(error)
                future.exception()  # who waits may have been cancelled, and nobody else needs to hear of it

    def _start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Begin a task; if it fails, so do the requests that wait for it."""
        task = asyncio.create_task(work)
        self.tasks.add(task)
        task.add_done_callback(self._done)
        return task

    def _done(self, task: asyncio.Task[None]) -> None:
        self.tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            unread = RequestError(f"The batch cannot be read ({type(error).__name__}).")
            self._end([*self.under_way], error if isinstance(error, BatchUnderWayError) else unread)

    async def _lines(self, file: str) -> list[dict[str, Any]]:
        content = await self.client.files.content(file, extra_headers=self.endpoint.headers)
        found = []
        # Texts may have other line separators, such as U+2028.
        for line in content.text.split("\n"):
            with suppress(ValueError):
                found.append(json.loads(line))
        return [one for one in found if isinstance(one, dict) and "custom_id" in one]


def _run_of(request_id: str) -> str:
    """The run of a request, whose ID ends with its number and its attempt."""
    return request_id.rsplit("-", 2)[0]


def _reply(line: Mapping[str, Any], body: Mapping[str, Any], *, has_key: bool) -> Reply:
    """The reply in a line of the output.

    Raises:
        RequestError: it is an error.
    """
    response = line.get("response") if isinstance(line.get("response"), dict) else {}
    error, status = line.get("error"), response.get("status_code", _OK)  # type: ignore[union-attr]  # an object
    if error and not response:
        words = error.get("message") if isinstance(error, dict) else error
        raise RequestError(f"{NOT_ANSWERED} {cut_to_line(str(words))}", may_help=True)
    found = response.get("body")  # type: ignore[union-attr]  # an object
    if status != _OK:
        raise problem_of_status(int(status), found, {}, has_key=has_key)
    return reply_to(body, found, {})


@asynccontextmanager
async def batches(
    client: AsyncOpenAI, endpoint: Endpoint, pace: BatchPace | None
) -> AsyncIterator[Callable[[Sequence[Message], Parameters, str], Awaitable[Reply]] | None]:
    """Yield the function that sends one request with a batch; None without a pace."""
    if pace is None:
        yield None
        return
    made = Batches(client, endpoint, pace)
    try:
        yield made.send
    finally:
        for task in [*made.tasks]:
            task.cancel()
