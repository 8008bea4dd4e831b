"""One reply: what is sent, how often, for how long, and how it ends."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol, TypeVar

from app.base.database.engine import Connection
from app.llm.client.budget import estimated_tokens, prompt_tokens
from app.llm.client.connection import ClientMissingError, RateLimit, Send
from app.llm.client.endpoint import Message, Parameters, Reply
from app.llm.client.request_errors import RequestError
from app.llm.client.retries import RetryPolicy, Tried, send_with_retries
from app.llm.live.claims import Claim, Used, settle
from app.llm.live.written import EMPTY, ONLY_THOUGHTS, Flag, Written, messages_to, most_characters, shortened, written
from app.llm.outcomes import Outcome
from app.rating.conversations.turns import NO_BUDGET

T = TypeVar("T")
# A rater waits: the first tries follow soon. Patience ends them, if their number does not.
_RETRIES = RetryPolicy(n_tries=8, base_s=0.5, max_s=10.0)
_MAX_EMPTY = 2


class InDatabase(Protocol):
    """Does work in a transaction."""

    async def __call__(self, work: Callable[[Connection], T]) -> T:
        """What the work returns."""


@dataclass(frozen=True, slots=True)
class Line:
    """The queue of a server in this process: so many requests at once, and so many in a minute."""

    turns: asyncio.Semaphore
    rate_limit: RateLimit


class _BudgetError(Exception):
    """Another try could exceed a budget."""


class Making:
    """The making of one reply. `is_sent`: whether the server was asked for it."""

    def __init__(self, own: Claim, say: Callable[[str], None], in_database: InDatabase) -> None:
        """`say` is given the reply so far."""
        self._own, self._say, self._in_database = own, say, in_database
        self.is_sent = False
        self._flags: list[Flag] = []
        self._turns = own.turns
        self._heard = ""
        self._n_tries = self._n_empty = 0
        self._is_under_way = False
        self._latency_s: float | None = None
        self._last_problem = ""
        self._bound: asyncio.Timeout | None = None

    async def make(self, line: Line, connect: Callable[[], Awaitable[Send]]) -> tuple[Written, Used]:
        """The reply, or why there is none, and what it took."""
        try:
            async with asyncio.timeout(self._patience_s) as self._bound:
                send = await connect()
                return await self._asked(line, send)
        except TimeoutError:
            seconds = f"{self._patience_s:g}"
            problem = f"No reply came within {seconds} s. {self._last_problem}".strip()
            tokens = self._tokens_so_far if self._is_under_way else (0, 0)
            return Written("failed", problem=problem, flags=tuple(self._flags)), self._used(*tokens)
        except ClientMissingError as error:
            return Written("failed", problem=str(error)), Used()
        except _BudgetError:
            return Written("failed", problem=NO_BUDGET, flags=tuple(self._flags)), self._used()

    @property
    def _patience_s(self) -> float:
        return float(self._own.bounds.patience_seconds)

    def _used(self, tokens_in: int = 0, tokens_out: int = 0) -> Used:
        milliseconds = None if self._latency_s is None else round(self._latency_s * 1000)
        return Used(tokens_in, tokens_out, max(self._n_tries - 1, 0), milliseconds)

    def _messages(self) -> list[Message]:
        return messages_to(self._own.partner, self._own.item, self._turns)

    async def _asked(self, line: Line, send: Send) -> tuple[Written, Used]:
        while True:
            tried = await send_with_retries(lambda: self._try(line, send), _RETRIES)
            error = tried.error
            if error is None or error.outcome is not Outcome.TOO_LONG or len(self._turns) < 2:  # noqa: PLR2004 - one is left
                return self._end(tried)
            self._turns = tuple(shortened(self._turns))
            if "shortened" not in self._flags:
                self._flags.append("shortened")

    async def _try(self, line: Line, send: Send) -> Reply:
        """Send the request once, as soon as it is its turn.

        Raises:
            RequestError: there is no reply.
        """
        if self._heard and "begun_again" not in self._flags:
            self._flags.append("begun_again")
        self._heard = ""
        partner = self._own.partner
        parameters = Parameters(partner.reply_tokens, partner.temperature)
        hears = self._hear if self._own.bounds.shows_pieces else None
        async with line.turns:
            self.is_sent = self._is_under_way = True
            self._n_tries += 1
            begun = asyncio.get_running_loop().time()
            try:
                reply = await send(self._messages(), parameters, self._request_id, hears)
            except RequestError as error:
                self._is_under_way = False
                self._last_problem = str(error)
                tokens = self._tokens_so_far if self._heard and not any(error.tokens) else error.tokens
                await self._settle(*tokens, is_last=not error.may_help)
                raise
            finally:
                self._latency_s = asyncio.get_running_loop().time() - begun
        self._is_under_way = False
        if written(self._own.protocol, self._own.source, reply) is None:
            self._n_empty += 1
            await self._settle(*self._tokens(reply), is_last=self._n_empty >= _MAX_EMPTY)
            words = ONLY_THOUGHTS if reply.is_cut_off else EMPTY
            self._last_problem = words
            raise RequestError(words, may_help=self._n_empty < _MAX_EMPTY)
        return reply

    @property
    def _request_id(self) -> str:
        """The same for each try of one request; another one after an answer that was empty or a prompt too long."""
        n_others = len(self._own.turns) - len(self._turns) + self._n_empty
        return self._own.request_key[:40] + (f"-{n_others}" if n_others else "")

    def _hear(self, text: str) -> bool:
        self._heard = text = text.strip()
        if text:
            # A reply that comes is waited for, as long as the server's own limit of time allows.
            if self._bound is not None:
                self._bound.reschedule(asyncio.get_running_loop().time() + self._patience_s)
            self._say(text)
        return len(text) <= most_characters(self._own.partner)

    async def _settle(self, tokens_in: int, tokens_out: int, *, is_last: bool) -> None:
        """Count a try that was in vain, before there is another one.

        Raises:
            _BudgetError: the budgets do not allow for another one.
        """
        if tokens_in + tokens_out:
            fits = await self._in_database(lambda db: settle(db, self._own, tokens_in, tokens_out))
            if not (fits or is_last):
                raise _BudgetError

    @property
    def _tokens_so_far(self) -> tuple[int, int]:
        """An estimate of what the server has counted for a reply that did not come to its end."""
        return prompt_tokens(self._messages()), estimated_tokens(self._heard)

    def _tokens(self, reply: Reply) -> tuple[int, int]:
        """The tokens of a reply; those that the server does not report are estimated."""
        tokens_in = reply.tokens_in or prompt_tokens(self._messages())
        return tokens_in, reply.tokens_out or estimated_tokens(reply.raw, reply.thoughts)

    def _end(self, tried: Tried) -> tuple[Written, Used]:
        if tried.reply is None:
            assert tried.error is not None  # noqa: S101 - without a reply there is an error
            state = "withheld" if tried.error.outcome is Outcome.REFUSED else "failed"
            return Written(state, problem=str(tried.error), flags=tuple(self._flags)), self._used()  # type: ignore[arg-type]  # one of two
        made = written(self._own.protocol, self._own.source, tried.reply, self._flags)
        assert made is not None  # noqa: S101 - an empty reply is an error
        return made, self._used(*self._tokens(tried.reply))
