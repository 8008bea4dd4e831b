"""Conversations that raters have themselves: with whom, under which bounds, and how they are kept safe."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from app.base.problem import BrokenRuleError
from app.protocol.questions.question import Key, Prose

Tokens = Annotated[int, Field(ge=1, le=10_000_000_000)]
# A word of the rater's messages; an asterisk at its end stands for any ending.
AlertWord = Annotated[str, Field(pattern=r"^[^\s*][^*]*\*?$", max_length=60)]


class Partner(BaseModel):
    """Whom raters write with in the conversations of one source."""

    model_config = ConfigDict(frozen=True, extra="forbid", protected_namespaces=())
    replies: Literal["model", "none"] = "model"
    """Who replies: a `model`, or `none`: the rater writes without replies, as in a diary."""
    model: str = Field(default="", max_length=200)
    """The model's name on the server."""
    server: str = Field(default="", max_length=100)
    """The server's name in the installation's [file of servers](models.md); default: the first that has the model."""
    prompt: Prose = ""
    """What the model is told before the conversation (its system prompt). `{item}` stands for the item's text."""
    name: str = Field(default="", max_length=60)
    """The partner's name as raters see it; default: *Partner*."""
    opening: Prose = ""
    """The partner's first message; default: the rater begins."""
    temperature: float | None = Field(default=None, ge=0, le=2)
    """The temperature of the model; default: the server's."""
    reply_tokens: int = Field(default=500, ge=1, le=20_000)
    """The maximum number of tokens of a reply."""


class Conversation(BaseModel):
    """The conversation that a rater has about an item before its questions (`design.trials: conversation`).

    It becomes a response of the partner's source, with the rater's messages and the replies as its turns.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    partners: dict[Key, Partner] = Field(min_length=1)
    """For each of the `sources`, whom raters write with."""
    min_messages: int = Field(default=3, ge=1, le=200)
    """How many messages raters are asked to write. They can always stop earlier."""
    max_messages: int = Field(default=20, ge=1, le=200)
    """After so many messages of the rater the conversation ends."""
    minutes: Annotated[float, Field(gt=0, le=24 * 60)] | None = None
    """How long a conversation lasts at most, from the rater's first message; default: no limit."""
    max_characters: int = Field(default=4000, ge=20, le=50_000)
    """The maximum length of a message of the rater."""
    replies_shown: Literal["as_written", "whole"] = "as_written"
    """Replies appear `as_written`, piece by piece, or `whole`. A reply that the server's filter stops is taken back;
    with `whole` no part of it is ever shown.
    """
    patience_seconds: int = Field(default=60, ge=5, le=600)
    """After so many seconds without a reply, the rater can have it tried again or end the conversation."""
    max_tokens: Tokens | None = None
    """The budget of the study in tokens of prompts and replies; default: that of the server."""
    max_tokens_per_rater: Tokens | None = None
    """The budget of each rater in tokens; default: no limit beside `max_messages`."""
    alert_words: tuple[AlertWord, ...] = ()
    """Words that show `alert` when a rater writes them, and mark the conversation for the lead. An asterisk at the end
    of a word stands for any ending.
    """
    alert: Prose = ""
    """What raters read below such a message, in Markdown: whom they can turn to, with help lines of their country."""

    ethics: Prose = ""
    """If raters are told another partner than they have (labels are `swapped`): who approved it, and under which
    number.
    """

    @model_validator(mode="after")
    def _bounds_agree(self) -> Conversation:
        if self.min_messages > self.max_messages:
            rule = "conversation.min_messages must be at most the number of messages that raters can write"
            raise BrokenRuleError(rule, self.min_messages)
        if self.alert_words and not self.alert.strip():
            raise BrokenRuleError("conversation.alert must be the text that alert words show", "nothing")
        return self
