"""Texts that spreadsheets would run as formulas."""

import pytest

from app.base.files.protected_text import protected


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("=1+1", "'=1+1"),
        ("\n=1+1", "'\n'=1+1"),
        ("＝1+1", "'＝1+1"),
        ("＠SUM(A1)", "'＠SUM(A1)"),
        # Where numbers have a decimal comma, Excel splits cells at semicolons, also within quotation marks.
        ("kind;=1+1", "kind;'=1+1"),
        ("kind;+HYPERLINK(A1)", "kind;'+HYPERLINK(A1)"),
        ("kind\n@SUM(A1)", "kind\n'@SUM(A1)"),
        ("kind\t-cmd|A0", "kind\t'-cmd|A0"),
    ],
)
def test_formulas_are_disabled(text: str, safe: str) -> None:
    assert protected(text) == safe


@pytest.mark.parametrize("text", ["-5", "1;2", "fine ;-)", "Try:\n- rest\n- a walk", "a=b", "me@example.org; you"])
def test_ordinary_texts_stay_as_they_are(text: str) -> None:
    assert protected(text) == text
