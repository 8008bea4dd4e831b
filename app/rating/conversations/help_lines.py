"""The help lines of a study as its raters find them: by country, in their language."""

from collections.abc import Iterable
from typing import NamedTuple
from unicodedata import combining, normalize

from app.base.language.language import Language
from app.protocol.help_lines import HelpLine


class CountryLines(NamedTuple):
    """A country's name, and its help lines in the order of study.yaml."""

    country: str
    lines: list[HelpLine]


def help_by_country(lines: Iterable[HelpLine], language: Language) -> list[CountryLines]:
    """The help lines by the names of the countries, in the order of the alphabet.

    >>> from app.base.language.language import language_of
    >>> lines = [HelpLine(country=code, name="Help", number="142") for code in ("US", "AT", "DE", "US")]
    >>> [(country, len(lines)) for country, lines in help_by_country(lines, language_of("de"))]
    [('Deutschland', 1), ('Österreich', 1), ('Vereinigte Staaten', 2)]
    """
    found: dict[str, list[HelpLine]] = {}
    for line in lines:
        found.setdefault(language.country(line.country), []).append(line)
    return [CountryLines(name, found[name]) for name in sorted(found, key=_without_marks)]


def _without_marks(name: str) -> str:
    """A name for sorting: Ö is among the Os."""
    return "".join(letter for letter in normalize("NFKD", name.casefold()) if not combining(letter))
