"""Help lines by country for raters whose words show distress, and whether somebody checked them lately."""

import datetime as dt
import re
from collections.abc import Iterable
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from app.base.language.language import country_names
from app.protocol.questions.scale import Label

# Numbers change; a year, also one with a leap day.
MAX_AGE = dt.timedelta(days=366)
# Where a lead is, it may be tomorrow already.
_AHEAD = dt.timedelta(days=1)
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_NUMBER = re.compile(r"\+?[0-9](?:[ -]?[0-9]){1,19}")


def _country(code: str) -> str:
    """The code in capitals, if there is such a country."""
    if code.upper() not in country_names():
        raise ValueError("the two letters of a country (ISO 3166), such as GB or DE")
    return code.upper()


def _number(number: str) -> str:
    """Reject what cannot be dialled as it stands, such as `+44 (0)20`."""
    if not _NUMBER.fullmatch(number):
        raise ValueError("2 to 20 digits, also with + before them, and with spaces or hyphens between them")
    return number


def _https(url: str) -> str:
    """Reject addresses that are not encrypted: the way to help concerns nobody else."""
    expected = "an address that starts with https://, such as https://example.org"
    try:
        parts = urlsplit(url)
    except ValueError:
        raise ValueError(expected) from None
    if url and not (parts.scheme == "https" and parts.hostname):
        raise ValueError(expected)
    return url


def _day(written: object) -> object:
    """Reject what could also be read as a date, such as 1764288000, but is not written as one."""
    if isinstance(written, str) and not _DATE.fullmatch(written):
        raise ValueError("a date, such as 2026-11-30")
    return written


class HelpLine(BaseModel):
    """One help line, as raters see it below the country's name."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    country: Annotated[str, AfterValidator(_country)]
    """The country's two letters (ISO 3166), such as `GB`."""
    name: Label
    """Who answers."""
    number: Annotated[str, AfterValidator(_number)] = Field(max_length=40)
    """The telephone number, as people dial it in the country."""
    url: Annotated[str, AfterValidator(_https)] = Field(default="", max_length=500)
    """The help line's address on the web, with `https`."""
    checked: Annotated[dt.date | None, BeforeValidator(_day)] = None
    """The date on which somebody of your team checked the number, such as `2026-11-28`."""

    @property
    def tel(self) -> str:
        """The number as a telephone dials it.

        >>> HelpLine(country="gb", name="Samaritans", number="116 123").tel
        'tel:116123'
        """
        return f"tel:{re.sub('[ -]', '', self.number)}"

    @property
    def host(self) -> str:
        """The name of the server of its address, as raters read it."""
        return (urlsplit(self.url).hostname or "").removeprefix("www.")


def unchecked(lines: Iterable[HelpLine], today: dt.date) -> list[str]:
    """Why raters must not be shown these help lines: a sentence for each that nobody has checked within a year."""
    sentences = []
    for line in lines:
        which = f"The help line {line.name} ({country_names()[line.country]})"
        again = "Make sure that the number is right, and enter the date on which you did."
        if line.checked is None:
            sentences.append(f"{which} has no date of a check. {again}")
        elif line.checked > today + _AHEAD:
            sentences.append(f"{which} was checked on {line.checked}, which is in the future. {again}")
        elif today - line.checked > MAX_AGE:
            sentences.append(f"{which} was last checked on {line.checked}, more than a year ago. {again}")
    return sentences
