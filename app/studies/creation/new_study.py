"""Short names of new studies, made from their titles."""

import re
import unicodedata
from itertools import count

from sqlalchemy import Connection

from app.studies.studies import get_study

# Long titles are cut at a hyphen.
MAX_CHARACTERS = 40
WITHOUT_LETTERS = "study"
_SPELLED = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ø": "o", "æ": "ae", "œ": "oe", "ł": "l", "ı": "i"})


def slug_of(title: str) -> str:
    """A slug with the words of a title.

    >>> slug_of("Ärztin oder GPT-4o? Müller & Çelik 😀"), slug_of("هل")
    ('aerztin-oder-gpt-4o-mueller-celik', 'study')
    >>> slug_of("Do people prefer longer responses to their questions?")
    'do-people-prefer-longer-responses-to'
    """
    letters = unicodedata.normalize("NFKD", unicodedata.normalize("NFC", title).casefold().translate(_SPELLED))
    words = re.sub(r"[^a-z0-9]+", "-", re.sub(r"[\u0300-\u036f]", "", letters)).strip("-")
    if len(words) > MAX_CHARACTERS:
        words = words[: MAX_CHARACTERS + 1].rpartition("-")[0] or words[:MAX_CHARACTERS]
    return words or WITHOUT_LETTERS


def free_slug(db: Connection, title: str) -> str:
    """The slug of a title, with a number if a study has it already."""
    slug = slug_of(title)
    names = (f"{slug}-{number}" if number > 1 else slug for number in count(1))
    return next(name for name in names if get_study(db, name) is None)
