"""Log-probabilities as servers send them: the tokens of an answer that was drawn from stated probabilities."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from math import log
from random import Random
from typing import Any

_TOKEN = re.compile(r" ?\w+|.", re.DOTALL)
# The probability of something other than an allowed answer.
OTHER = 0.05


class Stated(dict[str, dict[str, float]]):
    """The probability of each allowed answer, by field; the server draws an answer from them."""

    def drawn(self, rng: Random) -> dict[str, str]:
        """One answer per field."""
        return {name: rng.choices([*shares], [*shares.values()])[0] for name, shares in self.items()}


def stream_of(stated: Stated, given: Mapping[str, str]) -> list[dict[str, Any]]:
    """The tokens of the JSON object with these answers, with alternatives where the answers differ."""
    tokens = []
    for number, (name, answer) in enumerate(given.items()):
        opening = ("{" if not number else ", ") + f'"{name}": "'
        tokens += [_token(opening, {opening: 1.0})]
        tokens += [_token(token, shares) for token, shares in _steps(answer, stated[name])]
    return [*tokens, _token("}", {"}": 1.0})]


def text_of(tokens: list[dict[str, Any]]) -> str:
    """The text of the tokens."""
    return "".join(token["token"] for token in tokens)


def _steps(answer: str, shares: Mapping[str, float]) -> Iterator[tuple[str, dict[str, float]]]:
    """Each token of an answer, with the probability of all tokens that could follow the ones before."""
    said: list[str] = []
    for token in _TOKEN.findall(f'{answer}"'):
        following: dict[str, float] = defaultdict(float)
        for other, share in shares.items():
            tokens = _TOKEN.findall(f'{other}"')
            if tokens[: len(said)] == said:
                following[tokens[len(said)]] += share
        total = sum(following.values())
        kept = 1 - OTHER if len(said) == 0 else 1.0
        yield token, {one: kept * share / total for one, share in following.items()}
        said.append(token)


def _token(token: str, shares: Mapping[str, float]) -> dict[str, Any]:
    others = {**shares, "\n": max(1 - sum(shares.values()), 1e-12)}
    top = [{"token": one, "logprob": log(share), "bytes": [*one.encode()]} for one, share in others.items() if share]
    return {"token": token, "logprob": log(shares[token]), "bytes": [*token.encode()], "top_logprobs": top}
