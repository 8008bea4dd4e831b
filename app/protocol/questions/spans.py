"""Spans: passages of a text as character offsets, as a highlight stores and exports them.

`12-30|45-60` are two passages of one text, counted in characters (Unicode code points) from 0, excluding the end. In a
dialogue each is preceded by its turn, counted from 1: `2:12-30`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

_ONE = re.compile(r"(?:(\d{1,9}):)?(\d{1,9})-(\d{1,9})", re.ASCII)
MAX_SPANS = 500


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A passage from `start` up to `end`, in the turn of that number; `turn` is None in a text without turns."""

    turn: int | None
    start: int
    end: int

    def overlaps(self, other: Span) -> bool:
        """Whether the two spans share a character."""
        return self.turn == other.turn and self.start < other.end and other.start < self.end


class QuoteError(LookupError):
    """These words do not occur in the text."""


def spans_to_text(spans: Iterable[Span]) -> str:
    """Spans as written in ratings.csv.

    >>> spans_to_text([Span(None, 0, 5), Span(None, 9, 12)]), spans_to_text([Span(2, 0, 5)])
    ('0-5|9-12', '2:0-5')
    """
    return "|".join(
        f"{span.turn}:{span.start}-{span.end}" if span.turn else f"{span.start}-{span.end}" for span in spans
    )


def are_spans(text: str) -> bool:
    """Whether the text has the format of spans; the marked text is not checked.

    >>> are_spans("0-5|9-12"), are_spans("2:0-5"), are_spans(""), are_spans("5-5"), are_spans("the first words")
    (True, True, True, False, False)
    """
    found = [_ONE.fullmatch(part) for part in text.split("|")] if text else []
    return all(match is not None and int(match[2]) < int(match[3]) for match in found)


def read_spans(text: str, passages: Sequence[str], *, in_turns: bool) -> tuple[Span, ...] | None:
    """Parse spans and sort them, joining those that overlap or touch; None if a span is invalid for the passages.

    Args:
        text: as `spans_to_text` writes it; empty for no spans.
        passages: the text, or its turns.
        in_turns: whether the passages are turns.
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
    """The spans of words copied from a text, ignoring differences in white space.

    Args:
        quotes: the copied passages. Each is located at its first occurrence that no earlier quote covers, so the same
            words twice mean two places.
        passages: the text, or its turns.
        in_turns: whether the passages are turns.

    Raises:
        QuoteError: with the words that do not occur in the text.
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
    """Convert spans counted in a browser to offsets in the text itself; browsers count a CRLF as one character."""
    ends = [_places(passage) for passage in passages]
    return tuple(
        Span(span.turn, ends[(span.turn or 1) - 1][span.start], ends[(span.turn or 1) - 1][span.end]) for span in spans
    )


def to_shown(spans: Iterable[Span], passages: Sequence[str]) -> tuple[Span, ...]:
    """Convert spans of the text itself to offsets as a browser counts them."""
    shown = []
    for span in spans:
        places = {place: number for number, place in enumerate(_places(passages[(span.turn or 1) - 1]))}
        text = passages[(span.turn or 1) - 1]
        ends = [place - (place not in places and text[place - 1 : place] == "\r") for place in (span.start, span.end)]
        shown.append(Span(span.turn, places[ends[0]], places[ends[1]]))
    return tuple(shown)


def as_shown(text: str) -> str:
    """The text with line ends as in a browser."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _places(text: str) -> list[int]:
    """For each character as shown, and for the end, its offset in the text itself."""
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
