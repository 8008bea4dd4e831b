"""The kind `ranking`: three or more responses of an item in order, from first to last.

An answer is a rank for each response, stored and exported as one row per response. Rank 1 is first. If ties are
allowed, tied responses share a rank and no rank is left out: 1, 2, 2, 3.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from app.base.language.message import Message, message
from app.base.words import number
from app.protocol.questions.question import AnswerError, AskedQuestion, Blank, Form, Given, Sent, SimulatedRater

MIN_RANKED = 3
# Simulated raters tie responses that differ by less than this, in standard deviations.
TIE_BELOW = 0.3


class RankingQuestion(AskedQuestion):
    """An order of the responses that are shown together. `ties`: whether several may share a rank."""

    type: Literal["ranking"]
    target: Literal["set"] = "set"
    ties: bool = False
    """Whether responses may share a rank in a ranking."""

    def read(self, sent: Sent) -> Given | None:
        """As `AskedQuestion.read`: one field with a rank per response; None if a rank is missing."""
        cells = _cells(sent)
        ranks = [_rank(cell, len(cells)) for cell in cells if cell]
        if None in ranks:
            raise AnswerError(message("Give each response a rank from 1 to %(n)s.", n=len(cells)))
        if len(ranks) < len(cells):
            return None
        found = [rank for rank in ranks if rank is not None]
        if problem := self.problem(found):
            raise AnswerError(problem)
        return Given(ranks=tuple(zip(sent.shown, found, strict=True)))

    def problem(self, ranks: Sequence[int]) -> Message | None:
        """What is wrong with the ranks of all responses, as a message for the rater; None if they are valid."""
        if not self.ties and len(set(ranks)) < len(ranks):
            return message("Give each rank to one response only.")
        missing = set(range(1, max(ranks) + 1)) - set(ranks)
        if missing:
            return message("No response has rank %(rank)s. Do not leave out a rank.", rank=min(missing))
        return None

    def demand(self, given: Given | None, sent: Sent) -> None:
        """As `AskedQuestion.demand`: all responses need a rank or, if the question is optional, none."""
        if given is None and (self.required or any(_cells(sent))):
            raise AnswerError(message("Give every response a rank."))

    def read_cell(self, text: str) -> Given | None:
        """As `AskedQuestion.read_cell`: the rank of one response."""
        rank = _rank(text, None)
        return None if rank is None else Given(number=rank)

    def allowed_words(self) -> str:
        """As `AskedQuestion.allowed_words`."""
        several = "tied responses share a rank" if self.ties else "each rank once"
        return f"the rank of the response, a whole number from 1 (first), without gaps; {several}"

    def meanings(self) -> Iterator[tuple[str, str]]:
        """As `AskedQuestion.meanings`."""
        yield "", self.allowed_words()

    def accepts(self, value: str, shown: Sequence[str]) -> bool:
        """As `AskedQuestion.accepts`; the value is an order of keys such as `b > a = c`."""
        order = ranks_of(value)
        is_tied = len(set(order.values())) < len(order)
        n_named = sum(len(keys.split("=")) for keys in value.split(">"))
        return set(order) == set(shown) and n_named == len(shown) and (self.ties or not is_tied)

    def form_of(self, value: str, name: str, shown: Sequence[str]) -> Form:
        """As `AskedQuestion.form_of`."""
        order = ranks_of(value)
        return {f"{name}.{place}": [str(order[key])] for place, key in enumerate(shown)}

    def cell(self, given: Given, keys: Mapping[int, str]) -> str:
        """As `AskedQuestion.cell`: the order of the responses, such as `b > a = c`."""
        return order_text({keys[response]: rank for response, rank in given.ranks or ()})

    def rows(self, given: Given, response_id: int | None) -> list[tuple[int | None, Given]]:  # noqa: ARG002 - ranks name their response
        """As `AskedQuestion.rows`: one row per response; a comment is stored with the first response shown."""
        comments = [given.comment, *[None] * (len(given.ranks or ()) - 1)]
        return [
            (response, Given(number=rank, comment=comment, device=given.device))
            for (response, rank), comment in zip(given.ranks or (), comments, strict=True)
        ]

    def from_rows(self, rows: Mapping[int | None, Given]) -> Given:
        """As `AskedQuestion.from_rows`."""
        comment = next((given.comment for given in rows.values() if given.comment), None)
        ranks = tuple((response or 0, int(given.number or 0)) for response, given in rows.items())
        return Given(ranks=ranks, comment=comment)

    def simulate(self, blank: Blank, rater: SimulatedRater) -> Form:
        """As `AskedQuestion.simulate`: ordered by impression, the best first."""
        found = [(rater.impression(response, self.key), place) for place, response in enumerate(blank.shown)]
        form: Form = {}
        rank, last = 0, float("inf")
        for impression, place in sorted(found, reverse=True):
            if not (self.ties and last - impression < TIE_BELOW):
                rank, last = rank + 1, impression
            form[f"{blank.name}.{place}"] = [str(rank)]
        return form


def order_text(ranks: Mapping[str, int]) -> str:
    """An order as one line of text, from first to last.

    >>> order_text({"a": 2, "b": 1, "c": 2})
    'b > a = c'
    """
    levels = sorted(set(ranks.values()))
    return " > ".join(" = ".join(sorted(key for key in ranks if ranks[key] == level)) for level in levels)


def ranks_of(order: str) -> dict[str, int]:
    """The rank of each key in an order.

    >>> ranks_of("b > a = c")
    {'b': 1, 'a': 2, 'c': 2}
    """
    levels = enumerate(order.split(">"), start=1)
    return {key.strip(): rank for rank, keys in levels for key in keys.split("=")}


def _cells(sent: Sent) -> list[str]:
    return [sent.text(f".{place}") for place in range(len(sent.shown))]


def _rank(text: str, most: int | None) -> int | None:
    value = number(text)
    if value is None or not value.is_integer() or value < 1 or (most is not None and value > most):
        return None
    return int(value)
