"""The budget of a run: tokens and money, reserved before a request and settled after it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import Protocol

from app.llm.client.endpoint import Message

# Current tokenizers use about four characters of English per token; three is safe.
_ASCII_PER_TOKEN = 3
# Greek, Cyrillic, Hebrew, Arabic and others of two bytes: about one token per character.
_TWO_BYTES = 0x800
# Han, kana and Hangul: one to two tokens per character. All others may fall apart into their bytes.
_EAST_ASIAN = (range(0x2E80, 0xA000), range(0xAC00, 0xD7B0), range(0xF900, 0xFB00), range(0xFF00, 0xFFF0))
_PER_EAST_ASIAN = 2
# What a server adds to each message.
TOKENS_PER_MESSAGE = 8
PER_MILLION = 1_000_000
# The price of a request in a batch, as a share of the usual one.
BATCH_PRICE = 0.5
_POLL_S = 0.02


def estimated_tokens(*texts: str) -> int:
    """An estimate of the tokens of texts in any script, rather too high than too low.

    >>> estimated_tokens("Rate the response."), estimated_tokens("请评价这个回复"), estimated_tokens("قيّم الرد")
    (14, 22, 17)
    """
    return sum(ceil(_text_tokens(text)) + TOKENS_PER_MESSAGE for text in texts)


def prompt_tokens(prompt: Sequence[Message]) -> int:
    """An estimate of the tokens of a prompt, rather too high than too low."""
    return estimated_tokens(*(message["content"] for message in prompt))


def _text_tokens(text: str) -> float:
    beyond = [ord(character) for character in text if not character.isascii()]
    return (len(text) - len(beyond)) / _ASCII_PER_TOKEN + sum(map(_character_tokens, beyond))


def _character_tokens(code: int) -> int:
    if code < _TWO_BYTES:
        return 1
    if any(code in block for block in _EAST_ASIAN):
        return _PER_EAST_ASIAN
    return len(chr(code).encode("utf-8", "replace"))


@dataclass(frozen=True, slots=True)
class Prices:
    """Prices per million tokens, in the currency of the budget."""

    per_million_in: float = 0.0
    per_million_out: float = 0.0

    def cost(self, tokens_in: int, tokens_out: int) -> float:
        """The price of a request.

        >>> Prices(2.5, 10).cost(1_000_000, 100_000)
        3.5
        """
        return (tokens_in * self.per_million_in + tokens_out * self.per_million_out) / PER_MILLION

    @property
    def of_batches(self) -> Prices:
        """The prices of requests in batches."""
        return Prices(self.per_million_in * BATCH_PRICE, self.per_million_out * BATCH_PRICE)


class RunEstimate(Protocol):
    """What a run would use, without repairs and further tries."""

    @property
    def n_requests(self) -> int:
        """The number of requests."""

    @property
    def tokens_in(self) -> int:
        """Tokens of all prompts."""

    @property
    def tokens_out(self) -> int:
        """Tokens of all answers."""


def cost_words(estimate: RunEstimate, prices: Prices) -> str:
    """The end of a sentence with the estimated cost; empty without prices."""
    cost = prices.cost(estimate.tokens_in, estimate.tokens_out)
    return f", costing about {cost:,.2f}" if prices != Prices() else ""


@dataclass(slots=True)
class Budget:
    """Limits, None for no limit; what earlier requests used; and what requests under way may use at most."""

    prices: Prices
    max_tokens: int | None = None
    max_cost: float | None = None
    tokens_in: int = 0
    tokens_out: int = 0
    reserved_in: int = 0
    reserved_out: int = 0

    @property
    def cost(self) -> float:
        """The cost of all settled requests."""
        return self.prices.cost(self.tokens_in, self.tokens_out)

    def reserve(self, tokens_in: int, tokens_out: int) -> bool:
        """Reserve what a request may use at most; False, and nothing is reserved, if it may exceed a limit."""
        all_in = self.tokens_in + self.reserved_in + tokens_in
        all_out = self.tokens_out + self.reserved_out + tokens_out
        if self.max_tokens is not None and all_in + all_out > self.max_tokens:
            return False
        if self.max_cost is not None and self.prices.cost(all_in, all_out) > self.max_cost:
            return False
        self.reserved_in += tokens_in
        self.reserved_out += tokens_out
        return True

    async def wait_for(self, tokens_in: int, tokens_out: int) -> bool:
        """As `reserve`, but while requests are under way, wait whether they leave enough."""
        while not self.reserve(tokens_in, tokens_out):
            if not self.reserved_in:
                return False
            await asyncio.sleep(_POLL_S)
        return True

    def settle(self, reserved: tuple[int, int], used: tuple[int, int]) -> None:
        """Replace a reservation by what the request used."""
        self.reserved_in -= reserved[0]
        self.reserved_out -= reserved[1]
        self.tokens_in += used[0]
        self.tokens_out += used[1]
