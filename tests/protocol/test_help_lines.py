"""Help lines: what may be written of them, and which of them somebody must check again."""

from datetime import date, timedelta
from typing import Any

import pytest
from pydantic import ValidationError

from app.protocol.help_lines import MAX_AGE, HelpLine, unchecked
from tests.protocol.test_conversation import TALK, WRITE, talk, write

TODAY = date(2026, 11, 28)
LINE = {"country": "GB", "name": "Samaritans", "number": "116 123"}
KNOWN = {"alert_words": ["suicid*"], "alert": "Please talk to someone."}


def line(**parts: Any) -> HelpLine:  # noqa: ANN401 - any field
    return HelpLine.model_validate(LINE | parts)


@pytest.mark.parametrize(
    ("number", "tel"),
    [
        ("988", "tel:988"),
        ("13 11 14", "tel:131114"),
        ("0800 111 0 111", "tel:08001110111"),
        ("+44-20 7946 0000", "tel:+442079460000"),
    ],
)
def test_number_is_dialled_without_what_makes_it_readable(number: str, tel: str) -> None:
    assert line(number=number).tel == tel


def test_country_is_read_in_small_letters_and_an_address_has_its_host() -> None:
    assert line(country="de").country == "DE"
    assert line(url="https://www.samaritans.org/how-we-can-help").host == "samaritans.org"
    assert (line().url, line().host) == ("", "")


@pytest.mark.parametrize(
    ("field", "value", "allowed"),
    [
        ("country", "UK", "the two letters of a country (ISO 3166)"),
        ("country", "EU", "the two letters of a country (ISO 3166)"),
        ("country", "Germany", "the two letters of a country (ISO 3166)"),
        ("country", "", "the two letters of a country (ISO 3166)"),
        ("number", "", "2 to 20 digits"),
        ("number", "1", "2 to 20 digits"),
        ("number", "call me", "2 to 20 digits"),
        ("number", "+44 (0)20", "2 to 20 digits"),
        ("number", "١١٦", "2 to 20 digits"),
        ("number", "1" * 21, "2 to 20 digits"),
        ("number", "12;ext=3", "2 to 20 digits"),
        ("url", "http://samaritans.org", "an address that starts with https://"),
        ("url", "javascript:alert(1)", "an address that starts with https://"),
        ("url", "https://", "an address that starts with https://"),
        ("url", "https://[half", "an address that starts with https://"),
        ("checked", "1764288000", "a date, such as 2026-11-30"),
        ("checked", "28 November 2026", "a date, such as 2026-11-30"),
    ],
)
def test_what_raters_could_not_use_is_refused(field: str, value: str, allowed: str) -> None:
    with pytest.raises(ValidationError, match="1 validation error") as caught:
        line(**{field: value})
    (error,) = caught.value.errors()
    assert error["loc"] == (field,)
    assert allowed in str(error["ctx"]["error"])


def test_day_that_is_in_no_calendar_is_refused() -> None:
    with pytest.raises(ValidationError, match="Input should be a valid date"):
        line(checked="2026-02-30")


@pytest.mark.parametrize(
    ("checked", "found"),
    [
        (None, "has no date of a check."),
        (TODAY, ""),
        (TODAY + timedelta(days=1), ""),  # in the lead's time zone
        (TODAY + timedelta(days=2), "was checked on 2026-11-30, which is in the future."),
        (TODAY - MAX_AGE, ""),
        (TODAY - MAX_AGE - timedelta(days=1), "was last checked on 2025-11-26, more than a year ago."),
    ],
)
def test_check_that_is_missing_old_or_yet_to_come_is_named_with_its_country(checked: date | None, found: str) -> None:
    sentences = unchecked([line(checked=checked), line(checked=TODAY)], TODAY)
    assert [sentence.startswith(f"The help line Samaritans (United Kingdom) {found}") for sentence in sentences] == (
        [True] if found else []
    )


def test_help_lines_need_words_that_show_them() -> None:
    with pytest.raises(ValidationError, match="help lines must have alert words that show them"):
        talk(conversation=TALK["conversation"] | {"help_lines": [LINE], "alert": "Please talk to someone."})
    found = write(draft=WRITE["draft"] | KNOWN | {"help_lines": [LINE | {"checked": "2026-11-28"}]})
    assert found.draft is not None
    assert found.draft.help_lines == (line(checked=TODAY),)
