"""Rules that find personal data: what they find, what they leave, and how long texts of 50,000 characters take."""

import time

import pytest

from app.rating.second_study.personal_data import find_personal, replaced


def marked(*texts: str) -> list[str]:
    return [replaced(text, found) for text, found in zip(texts, find_personal(texts), strict=True)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("My name is sarah Miller.", "My name is [name] [name]."),
        ("My brother Tom and Dr. Weber called.", "My brother [name] and Dr. [name] called."),
        ("Ich heiße Jürgen, Musterstraße 12.", "Ich heiße [name], [address]."),
        ("I live at 12 Baker Street, SW1A 1AA.", "I live at [address], [address]."),
        ("Call 0171-234567 or +44 20 7946 0958.", "Call [phone] or [phone]."),
        ("Mail a.b@example.org or @ann_b.", "Mail [e-mail] or [name]."),
        ("See https://x.org/a?b=1, or www.y.de.", "See [link], or [link]."),
        ("Born 12/03/1984, 3 May, March 4th, 2020, or 2020-01-02.", "Born [date], [date], [date], or [date]."),
        ("Room 40121, 3 of 12 people.", "Room [number], 3 of 12 people."),
        ("I may go in 5 days. My mother is ill.", "I may go in 5 days. My mother is ill."),
        ("", ""),
    ],
)
def test_rules_find_what_they_say(text: str, expected: str) -> None:
    assert marked(text) == [expected]


def test_name_is_found_in_every_turn_as_a_whole_word() -> None:
    assert marked("I'm Ann.", "Thank you, Ann. Annual leave?") == ["I'm [name].", "Thank you, [name]. Annual leave?"]


@pytest.mark.parametrize("piece", ["a", "A", "1 ", "a.", "Aa ", "My name is ", "@", "May ", "1 Aa Aa Aa ", "a@"])
def test_long_text_is_read_in_a_moment(piece: str) -> None:
    began = time.process_time()
    find_personal([piece * (50_000 // len(piece))])
    assert time.process_time() - began < 5
