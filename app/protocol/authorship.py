"""Whose words a text has that a rater wrote with suggestions of a model: by the runs of tokens that they share.

Two texts share a passage if they have a run of some tokens in common (shingles: Broder 1997, "On the resemblance and
containment of documents", SEQUENCES). A run belongs to whoever wrote it first, and a token to whoever wrote the
earliest of the runs that it is in: what a suggestion repeats of the rater's words stays the rater's, and what the rater
goes on with after a suggestion is the rater's. It does not matter how the words came into the text: inserted, copied,
or typed again. That a rater changes some words of a suggestion makes these words the rater's, and with them those that
are no longer in a run.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

# Shorter runs are everybody's: "I am", "of the".
RUN = 3
# Scripts without spaces between words: kana, Han, Thai, Lao, Burmese, Khmer. Each character is a token.
_UNSPACED = "぀-ヿ㐀-䶿一-鿿豈-﫿฀-໿က-႟ក-៿"
_TOKEN = re.compile(rf"[{_UNSPACED}]|[^\W{_UNSPACED}]+(?:['’][^\W{_UNSPACED}]+)*")
Author = Literal["rater", "model"]


class Earlier(NamedTuple):
    """A text as it was when the rater asked for a suggestion, or a suggestion."""

    author: Author
    text: str


def tokens_of(text: str) -> list[str]:
    """The words of a text in lower case, without punctuation; in scripts without spaces, its characters.

    >>> tokens_of("I’m sorry, Anna. 你好"), tokens_of(" … ")
    (['i’m', 'sorry', 'anna', '你', '好'], [])
    """
    return _TOKEN.findall(text.casefold())


def share_of_model(earlier: Iterable[Earlier], text: str) -> float | None:
    """The share of a text's tokens that are the model's; None if it has none.

    Args:
        earlier: the rater's texts and the model's suggestions before it, in their order.
        text: the text.

    >>> share_of_model([Earlier("model", "I am so sorry.")], "I am so sorry. How are you?")
    0.5714285714285714
    """
    tokens = tokens_of(text)
    return sum(authors_of(earlier, tokens)) / len(tokens) if tokens else None


def authors_of(earlier: Iterable[Earlier], tokens: Sequence[str]) -> list[bool]:
    """Whether each token of a text is the model's; see the module."""
    length = min(RUN, len(tokens))
    written = [*earlier]
    first: dict[tuple[str, ...], int] = {}
    for number, one in enumerate(written):
        for run in _runs(tokens_of(one.text), length):
            first.setdefault(run, number)
    firsts = [len(written)] * len(tokens)
    for start, run in enumerate(_runs(tokens, length)):
        number = first.get(run, len(written))
        for at in range(start, start + length):
            firsts[at] = min(firsts[at], number)
    return [number < len(written) and written[number].author == "model" for number in firsts]


def is_kept(suggestion: str, text: str) -> bool:
    """Whether a text has a suggestion unchanged: all its tokens, one after the other.

    >>> is_kept("I am sorry.", "Well, I am sorry!"), is_kept("I am sorry.", "I am so sorry.")
    (True, False)
    """
    sought, within = (f" {' '.join(tokens_of(one))} " for one in (suggestion, text))
    return sought in within


def _runs(tokens: Sequence[str], length: int) -> Iterator[tuple[str, ...]]:
    return (tuple(tokens[at : at + length]) for at in range(len(tokens) - length + 1))
