"""Words that differ between two texts, side by side."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher

_WORD = re.compile(r"\s*\S+|\s+\Z")
# Above this number of words a comparison would take too long: the texts then count as different as a whole.
MAX_WORDS = 5_000


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of words, and whether the other text lacks it."""

    text: str
    is_changed: bool


def word_difference(old: str, new: str) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    """The pieces of both texts. Joined, the pieces of each are the text itself.

    >>> old, new = word_difference("I am sorry to hear that.", "I am so sorry about that.")
    >>> [piece.text for piece in old if piece.is_changed], [piece.text for piece in new if piece.is_changed]
    ([' to hear'], [' so', ' about'])
    """
    left, right = _WORD.findall(old), _WORD.findall(new)
    codes = _codes(left, right)
    return tuple(_pieces(left, [(tag, a, b) for tag, a, b, _, _ in codes])), tuple(
        _pieces(right, [(tag, a, b) for tag, _, _, a, b in codes])
    )


def _codes(left: list[str], right: list[str]) -> list[tuple[str, int, int, int, int]]:
    one, other = [word.strip() for word in left], [word.strip() for word in right]
    if max(len(one), len(other)) <= MAX_WORDS:
        return list(SequenceMatcher(None, one, other, autojunk=False).get_opcodes())
    return [("replace", 0, len(one), 0, len(other))] if one != other else [("equal", 0, len(one), 0, len(other))]


def _pieces(words: list[str], codes: list[tuple[str, int, int]]) -> Iterator[Piece]:
    for tag, begin, end in codes:
        if end > begin:
            yield Piece("".join(words[begin:end]), tag != "equal")


def n_changed(pieces: tuple[Piece, ...]) -> int:
    """The number of words that the other text lacks."""
    return sum(len(piece.text.split()) for piece in pieces if piece.is_changed)
