"""Spans: passages of a text as character offsets, as a highlight stores and exports them.

`12-30|45-60` are two passages of one text, counted in characters (Unicode code points) from 0, the end not included.
In a dialogue each is led by its turn, counted from 1: `2:12-30`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_ONE = re.compile(r"(?:(\d{1,9}):)?(\d{1,9})-(\d{1,9})", re.ASCII)
MAX_SPANS = 500


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A passage from `start` up to `end`, in the turn of that number, or in a text without turns where it is None."""

    turn: int | None
    start: int
    end: int

    def overlaps(self, other: Span) -> bool:
        """Whether they share a character."""
        return self.turn == other.turn and self.start < other.end and other.start < self.end


class QuoteError(LookupError):
    """These words do not stand in the text."""


def spans_to_text(spans: Iterable[Span]) -> str:
    """As ratings.csv has them.

    >>> spans_to_text([Span(None, 0, 5), Span(None, 9, 12)]), spans_to_text([Span(2, 0, 5)])
    ('0-5|9-12', '2:0-5')
    """
    return "|".join(
        f"{span.turn}:{span.start}-{span.end}" if span.turn else f"{span.start}-{span.end}" for span in spans
    )


def are_spans(text: str) -> bool:
    """Whether it is written as spans are, whatever text they are of.

    >>> are_spans("0-5|9-12"), are_spans("2:0-5"), are_spans(""), are_spans("5-5"), are_spans("the first words")
    (True, True, True, False, False)
    """
    found = [_ONE.fullmatch(part) for part in text.split("|")] if text else []
    return all(match is not None and int(match[2]) < int(match[3]) for match in found)


def read_spans(text: str, passages: Sequence[str], *, in_turns: bool) -> tuple[Span, ...] | None:
    """The spans that a text says, in order, those that overlap or touch joined; None where one is none of the passages.

    Args:
        text: as `spans_to_text` writes it; empty for no span.
        passages: the text, or the turns.
        in_turns: whether they are turns.
    """
    parts = text.split("|") if text else []
    found = [_ONE.fullmatch(part.strip()) for part in parts]
    if len(parts) > MAX_SPANS:
        return None
    spans: list[Span] = []
    for match in found:
        if match is None or (match[1] is not None) != in_turns:
            return None
        turn = int(match[1]) if in_turns else None
        span = Span(turn, int(match[2]), int(match[3]))
        number = 1 if turn is None else turn
        if not 1 <= number <= len(passages) or not span.start < span.end <= len(passages[number - 1]):
            return None
        spans.append(span)
    return tuple(_joined(sorted(spans, key=_place)))


def find_quotes(quotes: Iterable[str], passages: Sequence[str], *, in_turns: bool) -> tuple[Span, ...]:
    """The spans of words that were copied from a text, whatever white space stands between them.

    Args:
        quotes: each a passage: its first place that no earlier one has, so that the same twice means two places.
        passages: the text, or the turns.
        in_turns: whether they are turns.

    Raises:
        QuoteError: with the words that the text does not have.
    """
    spans: list[Span] = []
    for quote in quotes:
        words = quote.split()
        if not words:
            continue
        places = [
            Span(turn if in_turns else None, *match.span())
            for turn, passage in enumerate(passages, start=1)
            for match in re.finditer(r"\s+".join(map(re.escape, words)), passage, re.IGNORECASE)
        ]
        if not places:
            raise QuoteError(quote.strip())
        spans.append(next((place for place in places if not any(map(place.overlaps, spans))), places[0]))
    return tuple(_joined(sorted(spans, key=_place)))


def quotes_of(spans: Iterable[Span], passages: Sequence[str]) -> list[str]:
    """The words of each span, on one line."""
    return [" ".join(passages[(span.turn or 1) - 1][span.start : span.end].split()) for span in spans]


def from_shown(spans: Iterable[Span], passages: Sequence[str]) -> tuple[Span, ...]:
    """Spans that a browser counted, in the characters of the text itself: a browser makes one of a line end's two."""
    ends = [_places(passage) for passage in passages]
    return tuple(
        Span(span.turn, ends[(span.turn or 1) - 1][span.start], ends[(span.turn or 1) - 1][span.end]) for span in spans
    )


def to_shown(spans: Iterable[Span], passages: Sequence[str]) -> tuple[Span, ...]:
    """Spans of the text itself, in the characters that a browser counts."""
    shown = []
    for span in spans:
        places = {place: number for number, place in enumerate(_places(passages[(span.turn or 1) - 1]))}
        text = passages[(span.turn or 1) - 1]
        ends = [place - (place not in places and text[place - 1 : place] == "\r") for place in (span.start, span.end)]
        shown.append(Span(span.turn, places[ends[0]], places[ends[1]]))
    return tuple(shown)


def as_shown(text: str) -> str:
    """The text with the line ends that a browser gives it."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _places(text: str) -> list[int]:
    """For each character as shown, and for the end, its place in the text itself."""
    return [place for place in range(len(text)) if text[place - 1 : place + 1] != "\r\n" or not place] + [len(text)]


def _place(span: Span) -> tuple[int, int, int]:
    return span.turn or 0, span.start, span.end


def _joined(spans: Iterable[Span]) -> list[Span]:
    joined: list[Span] = []
    for span in spans:
        if joined and joined[-1].turn == span.turn and span.start <= joined[-1].end:
            last = joined.pop()
            joined.append(Span(last.turn, last.start, max(last.end, span.end)))
        else:
            joined.append(span)
    return joined
