"""Texts that raters write themselves, alone or with suggestions of a model: their bounds, and who helps."""

from collections.abc import Mapping
from typing import ClassVar, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from app.base.problem import BrokenRuleError
from app.protocol.questions.question import Key
from app.protocol.writing import Minutes, Partner, SafeWriting, WritingWords


class DraftPartner(Partner):
    """Who suggests words to the raters of one source."""

    replies: Literal["model", "none"] = "model"
    """Who replies: a `model`, or `none`: the rater writes without replies."""
    suggestions: Literal["beside", "inserted"] = "beside"
    """What a rater asks for is shown `beside` the text, to be taken or ignored; or it is `inserted`: it takes the place
    of the text, and the rater can go back. Ask the model for the whole text then.
    """

    @model_validator(mode="after")
    def _is_told_what_to_do(self) -> Self:
        if self.replies == "model" and not self.prompt.strip():
            raise BrokenRuleError("a partner in drafts must have a prompt, which says what to suggest", "nothing")
        return self


class _Bounds(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")
    partners: dict[Key, DraftPartner] = Field(min_length=1)
    """For each of the `sources`, who suggests words to raters, or that nobody does."""
    min_words: int = Field(default=1, ge=1, le=5000)
    """How many words raters are asked to write. They can stop earlier once they have written something."""
    max_words: int = Field(default=500, ge=1, le=5000)
    """The maximum number of words."""
    minutes: Minutes | None = None
    """How long raters can write, from when they first see the item; default: no limit."""
    max_characters: int = Field(default=20_000, ge=20, le=50_000)
    """The maximum length of the text."""
    max_suggestions: int = Field(default=10, ge=1, le=100)
    """How often raters can ask for a suggestion."""
    keystrokes: bool = False
    """Record when, where and how much each key, paste or suggestion changes the text, not which characters. Only with
    `flow.consent.records_keystrokes`.
    """


# In forms, the bounds come first.
class Draft(SafeWriting, _Bounds):
    """The text that a rater writes about an item before its questions (`design.trials: draft`).

    It becomes a response of the partner's source.
    """

    words: ClassVar = WritingWords("draft", "text", "texts", "raters write drafts")

    @property
    def all_partners(self) -> Mapping[str, Partner]:
        """As `SafeWriting.all_partners`."""
        return self.partners

    @model_validator(mode="after")
    def _bounds_agree(self) -> Self:
        if self.min_words > self.max_words:
            raise BrokenRuleError("draft.min_words must be at most draft.max_words", self.min_words)
        return self
