"""The words of a text, and the share of those in the first person; without packages, because pages count them too."""

import re
import unicodedata
from functools import lru_cache

# A run of letters and digits, which may contain an apostrophe between letters or a point between digits.
WORD = re.compile(r"[^\W_]+(?:['’](?=[^\W\d_])[^\W_]+|(?<=\d)[.,](?=\d)[^\W_]+)*")
_FIRST_PERSON = frozenset(("i", "me", "my", "mine", "myself", "i'm", "i've", "i'd", "i'll"))


@lru_cache(maxsize=4)
def words(text: str) -> list[str]:
    """Return the words, without combining marks.
    ["I'm", 'so', 'sorry', '3.5', 'mg']
    """
    return WORD.findall(text if text.isascii() else without_marks(text))


def first_person_share(text: str) -> float:
    """Proportion of words that are English first-person singular pronouns."""
    found = words(text)
    return sum(folded(word) in _FIRST_PERSON for word in found) / len(found)


def folded(word: str) -> str:
    """Return a word as lists of words have it: in lower case, without combining marks, with a straight apostrophe."""
    return (word if word.isascii() else without_marks(word)).casefold().replace("’", "'")


def without_marks(text: str) -> str:
    """Return the text without combining marks."""
    whole = unicodedata.normalize("NFC", text)
    return "".join(letter for letter in whole if not unicodedata.category(letter).startswith("M"))
