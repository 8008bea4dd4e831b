"""The probability that a model gave to its answers, from the log-probabilities of the tokens that it wrote.

Each value of an answer is found in the stream of tokens by its place in the text. The values that a question allows
differ from some token on: there, the alternatives to the token say how probable the other values were. An alternative
counts for a value if it can only be the beginning of that one. Where an alternative could begin several values, only
the probability of the answer given is known: the rest cannot be divided among the values.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from math import exp
from typing import Any

from app.llm.client.answers import value_spans
from app.llm.client.asked import Asked
from app.llm.client.endpoint import Reply, TokenProbability

# Walk along the tokens of one value, and collect how probable each of the allowed values was.

# What can follow a number that is not in quotation marks.
_AFTER_NUMBER = frozenset(",}] \n\r\t")
# Stands for the bytes of an incomplete character.
_INCOMPLETE = "\ufffd"


@dataclass(frozen=True, slots=True)
class PlacedToken:
    """A token with its first and its end character in the text, and its alternatives."""

    start: int
    end: int
    log_probability: float
    others: tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True)
class Form:
    """One way of writing an allowed value as JSON. `sign` is None for `null`."""

    sign: str | None
    text: str

    def fits(self, n_said: int, rest: str) -> bool:
        """Whether `rest` can follow the first characters of this form, which may end within it."""
        left = self.text[n_said:]
        whole, mark, _ = rest.partition(_INCOMPLETE)
        if mark:
            return left.startswith(whole) and not left[len(whole) : len(whole) + 1].isascii()
        if not rest or (left and left.startswith(rest)):
            return True
        is_quoted = self.text.startswith('"')
        return rest.startswith(left) and (is_quoted or rest[len(left)] in _AFTER_NUMBER)


class TokenWalk:
    """The way along the tokens of a value.

    Attributes:
        log_probability: of the tokens so far.
        of_sign: the probability of each value, from the alternatives that can only be the beginning of this one.
        unclear: the probability of alternatives that several values begin with, and the largest possible one of values
            that were not among the alternatives.
        has_alternatives: whether each token so far had alternatives.
    """

    def __init__(self, text: str, start: int, forms: Sequence[Form]) -> None:
        """Begin at the value that starts at `start`; `forms` are the ways of writing the values."""
        self._text, self._start, self._forms = text, start, [*forms]
        self.log_probability = 0.0
        self.of_sign = {form.sign: 0.0 for form in forms}
        self.unclear = 0.0
        self.has_alternatives = True

    @property
    def signs(self) -> set[str | None]:
        """The allowed values that begin with the tokens so far."""
        return _signs(self._forms)

    def step(self, token: PlacedToken) -> None:
        """Count the alternatives to a token, and take the token."""
        lead = self._text[token.start : self._start] if token.start < self._start else ""
        taken = self._text[token.start : token.end]
        n_said = max(token.start - self._start, 0)
        before = self._forms
        self._forms = [form for form in before if form.fits(n_said, taken[len(lead) :])]
        others = [(rest, log) for other, log in token.others if other != taken for rest in _after(other, lead)]
        self.has_alternatives &= any(other != taken for other, _ in token.others)
        seen = self.signs
        for rest, log in others:
            signs = _signs(form for form in before if form.fits(n_said, rest))
            seen |= signs
            self._count(signs, exp(self.log_probability + log))
        if token.others:
            least = exp(self.log_probability + min(log for _, log in token.others))
            self.unclear += len(_signs(before) - seen) * least
        self.log_probability += token.log_probability

    def _count(self, signs: set[str | None], mass: float) -> None:
        if len(signs) == 1:
            self.of_sign[next(iter(signs))] += mass
        elif signs:
            self.unclear += mass

    def end(self) -> Mapping[str | None, float]:
        """The probability of each value, with that of the tokens that were taken."""
        (taken,) = self.signs
        return {**self.of_sign, taken: self.of_sign[taken] + exp(self.log_probability)}


def _signs(forms: Iterable[Form]) -> set[str | None]:
    return {form.sign for form in forms}


def _after(other: str, lead: str) -> list[str]:
    """What an alternative has in place of the value, if it begins like the token before the value; else nothing."""
    if other.startswith(lead):
        return [other[len(lead) :]]
    return [] if lead.strip() else [other.lstrip()]


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
    spans = value_spans(reply.text, asked)
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
