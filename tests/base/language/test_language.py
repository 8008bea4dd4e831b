"""What a language says: messages, counts, numbers, moments."""

from datetime import UTC, datetime

import pytest

from app.base.language.language import ENGLISH, language_of
from app.base.language.message import message, messages

LEAST = [messages("Write at least %(n)s character.", "Write at least %(n)s characters.", n) for n in range(101)]


def test_region_uses_catalogue_of_its_language_and_own_numbers() -> None:
    swiss = language_of("de-CH")
    assert swiss.say(message("Choose an answer.")) == "Bitte wählen Sie eine Antwort aus."
    # CLDR: an apostrophe in Switzerland, a full stop in Germany.
    assert (swiss.number(20_000), language_of("de").number(20_000)) == ("20’000", "20.000")


def test_untranslated_language_uses_english_and_own_direction() -> None:
    persian = language_of("fa")
    assert persian.say(message("Choose an answer.")) == "Choose an answer."
    assert persian.number(0.5) == "0.5"
    assert (persian.code, persian.direction) == ("fa", "rtl")


@pytest.mark.parametrize("code", ["", "klingon", "../de", "de/../../x", "x-y-z", "en_"])
def test_invalid_language_code_uses_english_left_to_right(code: str) -> None:
    assert language_of(code).say(message("Choose an answer.")) == "Choose an answer."
    assert language_of(code).direction == "ltr"


def test_arabic_has_six_plural_forms() -> None:
    arabic = language_of("ar")
    said = [arabic.say(words) for words in LEAST]
    # CLDR: zero, one, two, few (3-10, 103-110 ...), many (11-99 ...), other (100 ...).
    assert [said[1], said[2], said[3], said[11], said[100]] == [
        "يُرجى كتابة حرف واحد على الأقل.",
        "يُرجى كتابة حرفين على الأقل.",
        "يُرجى كتابة 3 أحرف على الأقل.",
        "يُرجى كتابة 11 حرفًا على الأقل.",
        "يُرجى كتابة 100 حرف على الأقل.",
    ]


def test_english_has_singular_and_plural() -> None:
    assert ENGLISH.say(LEAST[1]) == "Write at least 1 character."
    assert ENGLISH.say(LEAST[20]) == "Write at least 20 characters."


def test_nested_message_is_translated() -> None:
    about = message("%(response)s, turn %(turn)s", response=message("Response %(letter)s", letter="B"), turn=3)
    assert language_of("de").say(about) == "Antwort B, Beitrag 3"


def test_numbers_use_digits_and_signs_of_language() -> None:
    # CLDR: Egypt writes Arabic-Indic digits, Morocco does not.
    assert language_of("ar-EG").number(12.5) == "١٢٫٥"
    assert language_of("ar-MA").number(12.5) == "12,5"
    assert [language_of("de").number(value) for value in (4, 0.125, -5, 1984)] == ["4", "0,125", "-5", "1984"]


def test_user_text_is_unchanged() -> None:
    assert language_of("ar").say("50 % (A)") == "50 % (A)"


def test_date_and_time_are_localized() -> None:
    at = datetime(2026, 11, 21, 17, 5, tzinfo=UTC)
    assert language_of("de").moment(at).startswith("21. November 2026")
    assert "٢١ نوفمبر ٢٠٢٦" in language_of("ar-EG").moment(at)
