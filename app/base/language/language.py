"""Languages: the texts of a catalogue, and the local formats of numbers and dates."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime
from functools import lru_cache
from gettext import GNUTranslations, NullTranslations
from io import BytesIO
from pathlib import Path

from babel.core import Locale, UnknownLocaleError
from babel.dates import format_date, format_datetime
from babel.localedata import locale_identifiers
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from babel.numbers import format_decimal
from pyphen import Pyphen, language_fallback

from app.base.language.message import Message

CATALOGUES = Path(__file__).resolve().parent / "catalogues"
SOURCE = "en"
# Regions of CLDR that are no countries of ISO 3166: unions, parts of countries, and codes for tests.
_NO_COUNTRIES = frozenset({"AC", "CP", "CQ", "DG", "EA", "EU", "EZ", "IC", "QO", "TA", "UN", "XA", "XB", "ZZ"})
_LONG_WORD = re.compile(r"[^\W\d_]{9,}")
# Years and other four-digit numbers have no separator.
_GROUPED_FROM = 10_000
# The zero of numbering systems with their own digits (CLDR, numberingSystems.xml); Babel formats their separators only.
_ZEROS = {"arab": "٠", "arabext": "۰", "beng": "০", "deva": "०", "mymr": "၀"}


@lru_cache(maxsize=2048)
def _with_soft_hyphens(word: str, code: str) -> str:
    """The word with soft hyphens by the patterns of LibreOffice (Liang 1983); unchanged where there are none."""
    dictionary = language_fallback(code.replace("-", "_"))
    return str(Pyphen(lang=dictionary, left=3, right=3).inserted(word, "\u00ad")) if dictionary else word


@dataclass(frozen=True, slots=True)
class Language:
    """One language of rater pages. `code` is the language code of the study, valid in HTML."""

    code: str
    is_right_to_left: bool
    locale: Locale
    catalogue: NullTranslations

    @property
    def direction(self) -> str:
        """The value of HTML's `dir` attribute."""
        return "rtl" if self.is_right_to_left else "ltr"

    def say(self, text: Message | str | float) -> str:
        """Return a message in this language or a number in its format; strings are returned unchanged."""
        if isinstance(text, str):
            return text
        if not isinstance(text, Message):
            return self.number(text)
        words = (
            self.catalogue.ngettext(text.text, text.plural, text.count)
            if text.plural
            else self.catalogue.gettext(text.text)
        )
        return words % {name: self.say(value) for name, value in text.values.items()}

    def hyphenated(self, text: str) -> str:
        """Return a text whose long words can be broken across lines at soft hyphens (U+00AD), where they may be.

        >>> language_of("de").hyphenated("Außerordentlich gut").replace("\u00ad", "-")
        'Außer-or-dent-lich gut'
        """
        return re.sub(_LONG_WORD, lambda word: _with_soft_hyphens(word[0], self.code), text)

    def number(self, value: float) -> str:
        """Return a number with the digits and separators of the language and all of its decimal places."""
        return _decimal(value or 0, self.locale)

    def moment(self, at: datetime) -> str:
        """Return date and time of day, with the time zone of `at`."""
        return _in_digits(format_datetime(at, "long", tzinfo=at.tzinfo, locale=self.locale), self.locale)

    def country(self, code: str) -> str:
        """Return the name of a country by its two letters (ISO 3166).

        >>> language_of("de").country("AT"), language_of("ar").country("AT")
        ('Österreich', 'النمسا')
        """
        return self.locale.territories.get(code) or country_names()[code]

    def day(self, on: date) -> str:
        """Return a date."""
        return _in_digits(format_date(on, "long", locale=self.locale), self.locale)


def _in_digits(text: str, locale: Locale) -> str:
    zero = _ZEROS.get(locale.default_numbering_system)
    return text.translate({ord("0") + n: ord(zero) + n for n in range(10)}) if zero else text


@lru_cache(maxsize=64)
def language_of(code: str) -> Language:
    """Return the language of a study; its fixed texts are in English if it has no catalogue.

    >>> persian = language_of("fa-AF")
    >>> persian.direction, persian.number(0.5)
    ('rtl', '0.5')
    """
    name = catalogue_of(code)
    words = next(_locales(code), Locale(SOURCE)) if name else Locale(SOURCE)
    return Language(code, is_right_to_left(code), words, _catalogue(name or SOURCE))


def catalogues() -> list[str]:
    """Return the languages of the fixed texts, English first."""
    return [SOURCE, *sorted(file.stem for file in CATALOGUES.glob("*.po"))]


def catalogue_of(code: str) -> str | None:
    """Return the catalogue of a language, otherwise of the language without region; None if there is neither.

    >>> catalogue_of("en-GB"), catalogue_of("tlh")
    ('en', None)
    """
    there = {name.lower(): name for name in catalogues()}
    return next((there[name] for name in _names(code.lower()) if name in there), None)


def language_names() -> dict[str, str]:
    """The English names of languages by their codes: first those of the fixed texts, then all others that Babel knows.

    >>> list(language_names().items())[:2]
    [('en', 'English'), ('ar', 'Arabic')]
    """
    names = Locale(SOURCE).languages
    others = (code for code in locale_identifiers() if "_" not in code and code in names)
    return {code: names[code] for code in (*catalogues(), *sorted(others, key=lambda code: names[code]))}


@lru_cache(maxsize=1)
def country_names() -> dict[str, str]:
    """The English names of countries by their two letters (ISO 3166), in the order of the names.

    >>> country_names()["GB"], "UK" in country_names(), "EU" in country_names()
    ('United Kingdom', False, False)
    """
    there = Locale(SOURCE).territories.items()
    codes = {code: name for code, name in there if re.fullmatch("[A-Z]{2}", code) and code not in _NO_COUNTRIES}
    return dict(sorted(codes.items(), key=lambda one: one[1]))


def note_on(code: str) -> str:
    """Return the note for the lead of a study whose language has no catalogue; empty if it has one."""
    if catalogue_of(code):
        return ""
    there = f"{', '.join(catalogues()[:-1])} or {catalogues()[-1]}"
    missing = f"The built-in texts will be in English, because there is no translation for {code}."
    return f"{missing} Available: {there}. See docs/languages.md."


def is_right_to_left(code: str) -> bool:
    """Return whether a language is written from right to left, with or without a catalogue.

    >>> is_right_to_left("ar"), is_right_to_left("fa-AF"), is_right_to_left("az-Arab"), is_right_to_left("de")
    (True, True, True, False)
    """
    locale = next(_locales(code), None)
    return locale is not None and locale.text_direction == "rtl"


def _names(code: str) -> Iterator[str]:
    """Yield a code in Babel's format, and then the code with fewer and fewer parts."""
    parts = re.split("[-_]", code)
    for n in range(len(parts), 0, -1):
        yield "_".join(parts[:n])


def _locales(code: str) -> Iterator[Locale]:
    for name in _names(code):
        try:
            yield Locale.parse(name)
        except (ValueError, UnknownLocaleError):
            continue


@lru_cache(maxsize=4096)
def _decimal(value: float, locale: Locale) -> str:
    text = format_decimal(
        value,
        locale=locale,
        decimal_quantization=False,
        numbering_system="default",
        group_separator=abs(value) >= _GROUPED_FROM,
    )
    return _in_digits(text, locale)


@lru_cache(maxsize=16)
def _catalogue(name: str) -> NullTranslations:
    """Return the texts of a catalogue, compiled from the file that translators edit."""
    if name == SOURCE:
        return NullTranslations()
    compiled = BytesIO()
    with (CATALOGUES / f"{name}.po").open("rb") as file:
        write_mo(compiled, read_po(file, locale=name))
    compiled.seek(0)
    return GNUTranslations(compiled)


ENGLISH = language_of(SOURCE)
