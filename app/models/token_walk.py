"""Walk along the tokens of one value, and collect how probable each of the allowed values was."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

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
        """The values that the tokens so far can be the beginning of."""
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
