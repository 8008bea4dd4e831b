"""Holes: places in a page that is rendered once and filled for each visitor."""

from __future__ import annotations

import re
import secrets
from typing import Self

from app.base.language.language import Language
from app.base.language.message import Message

# No text of a study contains it, so that holes cannot be confused with texts.
_MARK = f"hole-{secrets.token_hex(16)}-"
HOLE = re.compile(rf"{_MARK}(\w+);")


class Hole(str):
    """A place in a kept page: it is written into the page like a text, and filled by name."""

    __slots__ = ("name",)
    name: str

    def __new__(cls, name: str) -> Self:
        """A hole with this name, of letters, digits and underscores."""
        hole = super().__new__(cls, f"{_MARK}{name};")
        hole.name = name
        return hole

    def __sub__(self, other: int) -> Hole:
        """The hole of a number that is less by `other`."""
        return Hole(f"{self.name}_less_{other}")

    @property
    def said(self) -> Hole:
        """The hole of a number as the language of the page writes it."""
        return Hole(f"{self.name}_said")


def say(language: Language, text: Message | str | float) -> str:
    """A message, a number or the hole of a number in a language."""
    return text.said if isinstance(text, Hole) else language.say(text)
