"""A prompt file: what a model is asked so that it writes a response to each item of a study."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, Field, model_validator

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_FIELD = re.compile(r"\{(\w[\w .-]*)\}")
# Fields that every item can fill; the others are attributes of the items.
OWN_FIELDS = ("situation", "profile", "words")
KEY = r"^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$"
MAX_TEXT = 100_000


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class PromptExample(_Part):
    """An example of a situation and the response to it, shown before the item (few-shot)."""

    situation: str = Field(min_length=1, max_length=MAX_TEXT)
    response: str = Field(min_length=1, max_length=MAX_TEXT)
    fields: dict[str, str] = Field(default_factory=dict)
    """What other fields of `user` hold in this example."""


class PromptLength(_Part):
    """How long a response should be: a number of words, or as many as the response of a source to the same item."""

    words: int | None = Field(default=None, ge=1, le=10_000)
    match: str | None = None
    tolerance: float = Field(default=0.2, ge=0, le=1)
    """The share by which a response may be shorter or longer."""
    retries: int = Field(default=2, ge=0, le=10)
    """How often the model is asked for the same text in another length."""

    @model_validator(mode="after")
    def _one_target(self) -> PromptLength:
        if (self.words is None) == (self.match is None):
            raise ValueError("either words or match")
        return self

    def bounds(self, target: int) -> tuple[int, int]:
        """The smallest and largest number of words that are allowed.

        >>> PromptLength(words=100).bounds(100)
        (80, 120)
        """
        return max(1, round(target * (1 - self.tolerance))), round(target * (1 + self.tolerance))


class ModelPrompt(_Part):
    """The prompt. `steps` are said one after the other, each after the answer to the one before: a chain of steps.

    The answer to the last step, or to `user` if there are none, is the response.
    """

    name: str = Field(pattern=KEY, max_length=60)
    version: str = Field(default="1", pattern=KEY, max_length=30)
    system: str = Field(default="", max_length=MAX_TEXT)
    examples: tuple[PromptExample, ...] = ()
    user: str = Field(default="{situation}", min_length=1, max_length=MAX_TEXT)
    steps: tuple[str, ...] = ()
    speaker: str | None = Field(default=None, min_length=1, max_length=200)
    """Whose part the model takes in dialogues: their earlier turns are given as its own."""
    length: PromptLength | None = None

    @property
    def n_stages(self) -> int:
        """The number of requests for one response, without repairs and further lengths."""
        return 1 + len(self.steps)

    def used_fields(self) -> Iterator[tuple[str, str]]:
        """Each place of the file with a field that it uses."""
        places = [("system", self.system), ("user", self.user)]
        places += [(f"steps.{number + 1}", step) for number, step in enumerate(self.steps)]
        for place, template in places:
            for name in fields_of(template):
                yield place, name


def fields_of(template: str) -> list[str]:
    """The fields of a text, each once.

    >>> fields_of("Reply to {name}: {situation} {name}")
    ['name', 'situation']
    """
    return list(dict.fromkeys(_FIELD.findall(template)))


def filled(template: str, values: Mapping[str, str]) -> str:
    """A text with its fields filled in; what is filled in is not searched for fields again.

    >>> filled("{a} and {b}", {"a": "{b}", "b": "2"})
    '{b} and 2'
    """
    return _FIELD.sub(lambda match: values[match[1]], template)
