"""The probability that a model gave to its answers, from the log-probabilities of the tokens that it wrote.

Each value of an answer is found in the stream of tokens by its place in the text. The values that a question allows
differ from some token on: there, the alternatives to the token say how probable the other values were. An alternative
counts for a value if it can only be the beginning of that one. Where an alternative could begin several values, only
the probability of the answer given is known: the rest cannot be divided among the values.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from math import exp
from typing import TYPE_CHECKING, Any

from app.models.answer_spans import value_spans
from app.models.token_walk import Form, PlacedToken, TokenWalk

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from app.models.asked import Asked
    from app.models.endpoint import Reply, TokenProbability

# The largest share of the probability of all allowed values that may be unassigned.
MAX_UNCLEAR = 0.01
NO_ALTERNATIVES = "The server sent no alternatives to the tokens of the answer."
UNCLEAR = "Other answers begin with the same tokens, so their probabilities are not known."
NOT_AS_OFFERED = "The answer is not written as it was offered."


@dataclass(frozen=True, slots=True)
class AnswerProbability:
    """The probability of one answer.

    `sign`: the answer given, None if it is not one of those offered. `given`: its probability, as the server reports
    it. `allowed`: that of each allowed answer, 0 if it was not among the alternatives; None if the tokens do not
    identify them, and `problem` gives the reason.
    """

    given: float
    sign: str | None = None
    allowed: Mapping[str, float] | None = None
    problem: str | None = None

    def stored(self) -> dict[str, Any]:
        """The probability as JSON."""
        return asdict(self)


def answer_probabilities(reply: Reply, asked: Sequence[Asked]) -> dict[str, AnswerProbability] | None:
    """The probability of each answer, by field; None if the server sent no log-probabilities of this text.

    Fields that take a list or a text have none: many texts mean the same.
    """
    tokens = _placed(reply)
    if tokens is None:
        return None
    spans = value_spans(reply.text)
    return {
        one.name: _of_value(tokens, reply.text, spans[one.name], one)
        for one in asked
        if one.name in spans and one.kind in {"one_of", "number"}
    }


def _placed(reply: Reply) -> list[PlacedToken] | None:
    """The tokens at their places in the text; None if they are not the tokens of this text."""
    tokens, ends = reply.probabilities, _ends(reply.probabilities)
    said = "".join(one.token for one in tokens)
    if all(one.data is not None for one in tokens):
        said = b"".join(one.data or b"" for one in tokens).decode("utf-8", "ignore")
    # Marks of the end, and reasoning, can be among the tokens but not in the text.
    before = said.rfind(reply.text) if reply.text else -1
    if before < 0:
        return None
    return [
        PlacedToken(start - before, end - before, one.log_probability, one.others)
        for start, end, one in zip([0, *ends], ends, tokens, strict=False)
    ]


def _ends(tokens: Sequence[TokenProbability]) -> list[int]:
    """The number of complete characters up to the end of each token."""
    has_bytes = all(one.data is not None for one in tokens)
    ends, n_characters, waiting = [], 0, b""
    for one in tokens:
        waiting += one.data if has_bytes and one.data is not None else one.token.encode("utf-8", "replace")
        complete = waiting.decode("utf-8", "ignore")
        waiting = waiting[len(complete.encode()) :]
        n_characters += len(complete)
        ends.append(n_characters)
    return ends


def _of_value(tokens: Sequence[PlacedToken], text: str, span: tuple[int, int], one: Asked) -> AnswerProbability:
    start, end = span
    is_quoted = text.startswith('"', start)
    # The character after a number shows that it has ended.
    path = [token for token in tokens if token.start < (end if is_quoted else end + 1) and token.end > start]
    if one.kind == "number":
        return AnswerProbability(exp(sum(token.log_probability for token in path if token.start < end)))
    walk = TokenWalk(text, start, [*_forms(one)])
    for token in path:
        walk.step(token)
        if len(walk.signs) <= 1:
            break
    return _result(walk, one)


def _forms(one: Asked) -> Iterator[Form]:
    """The ways of writing each allowed value."""
    for sign in one.allowed:
        texts = {json.dumps(sign, ensure_ascii=False), json.dumps(sign)}
        if sign.removeprefix("-").replace(".", "", 1).isdecimal():
            texts.add(sign)
        for text in sorted(texts):
            yield Form(sign, text)
    if not one.is_required:
        yield Form(None, "null")


def _result(walk: TokenWalk, one: Asked) -> AnswerProbability:
    given = min(1.0, exp(walk.log_probability))
    if len(walk.signs) != 1:
        return AnswerProbability(given, problem=NOT_AS_OFFERED)
    (sign,) = walk.signs
    if not walk.has_alternatives:
        return AnswerProbability(given, sign, problem=NO_ALTERNATIVES)
    found = walk.end()
    allowed = {sign: min(1.0, found[sign]) for sign in one.allowed}
    if walk.unclear > MAX_UNCLEAR * sum(allowed.values()):
        return AnswerProbability(given, sign, problem=UNCLEAR)
    return AnswerProbability(given, sign, allowed)
