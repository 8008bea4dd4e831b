"""Conversations that raters have themselves: with whom, and under which bounds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from app.base.problem import BrokenRuleError
from app.protocol.questions.question import Key, Prose
from app.protocol.writing import Minutes, Partner, SafeWriting, WritingWords


class ConversationPartner(Partner):
    """Whom raters write with in the conversations of one source."""

    opening: Prose = ""
    """The partner's first message; default: the rater begins."""


class _Bounds(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")
    partners: dict[Key, ConversationPartner] = Field(min_length=1)
    """For each of the `sources`, whom raters write with."""
    min_messages: int = Field(default=3, ge=1, le=200)
    """How many messages raters are asked to write. They can always stop earlier."""
    max_messages: int = Field(default=20, ge=1, le=200)
    """After so many messages of the rater the conversation ends."""
    minutes: Minutes | None = None
    """How long a conversation lasts at most, from the rater's first message; default: no limit."""
    max_characters: int = Field(default=4000, ge=20, le=50_000)
    """The maximum length of a message of the rater."""
    replies_shown: Literal["as_written", "whole"] = "as_written"
    """Replies appear `as_written`, piece by piece, or `whole`. A reply that the server's filter stops is taken back;
    with `whole` no part of it is ever shown.
    """


# In forms, the bounds come first.
class Conversation(SafeWriting, _Bounds):
    """The conversation that a rater has about an item before its questions (`design.trials: conversation`).

    It becomes a response of the partner's source, with the rater's messages and the replies as its turns.
    """

    words: ClassVar = WritingWords("conversation", "conversation", "conversations", "raters have conversations")

    @property
    def all_partners(self) -> Mapping[str, Partner]:
        """As `SafeWriting.all_partners`."""
        return self.partners

    @property
    def shows_pieces(self) -> bool:
        """As `SafeWriting.shows_pieces`."""
        return self.replies_shown == "as_written"

    @model_validator(mode="after")
    def _bounds_agree(self) -> Conversation:
        if self.min_messages > self.max_messages:
            rule = "conversation.min_messages must be at most the number of messages that raters can write"
            raise BrokenRuleError(rule, self.min_messages)
        return self
