"""Conversations that raters have themselves: with whom, and under which bounds."""

from collections.abc import Mapping
from typing import ClassVar, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from app.base.problem import BrokenRuleError
from app.protocol.questions.question import Key, Prose
from app.protocol.questions.scale import Label
from app.protocol.writing import Minutes, Partner, SafeWriting, WritingWords

# A conversation of two people has as many roles.
N_ROLES = 2
# How turns call their writers in the transcripts of conversations with a model.
NOT_ROLES = frozenset({"rater", "partner"})


class Role(BaseModel):
    """The part of one of two raters who write with each other."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    label: Label
    """The role's name, as both raters read it."""
    task: Prose = ""
    """What the rater in this role is told, in Markdown."""


class ConversationPartner(Partner):
    """Whom raters write with in the conversations of one source."""

    replies: Literal["model", "person", "none"] = "model"
    """Who replies: a `model`; a `person`, another rater with the same item; or `none`: the rater writes without
    replies.
    """
    opening: Prose = ""
    """The partner's first message; default: the rater begins."""
    roles: dict[Key, Role] = Field(default={})
    """With a `person`: the two roles, which raters get in balanced order. The first begins."""
    wait_minutes: Minutes = 10
    """With a `person`: how long a rater waits for one. Then they are told that nobody came, and are paid as others."""
    when_alone: Literal["end", "next"] = "end"
    """If nobody came, the rater goes on to the `end` of the study, or with the `next` item."""
    silence_minutes: Minutes = 3
    """With a `person`: after so long without a word or a sign of the partner, the rater is told that they may have
    left. Until the rater ends the conversation, the partner can come back.
    """

    @property
    def is_person(self) -> bool:
        """Whether another rater replies."""
        return self.replies == "person"

    @property
    def is_diary(self) -> bool:
        """Whether nobody replies."""
        return self.replies == "none"

    @property
    def begins(self) -> str | None:
        """The role that writes the first message; None without roles."""
        return next(iter(self.roles), None)

    @model_validator(mode="after")
    def _has_roles(self) -> Self:
        if self.is_person and (len(self.roles) != N_ROLES or NOT_ROLES & self.roles.keys()):
            rule = "a partner who is a person must have two roles, with other names than rater and partner"
            raise BrokenRuleError(rule, ", ".join(self.roles) or "none")
        labels = [role.label for role in self.roles.values()]
        if self.is_person and len({*labels}) != N_ROLES:
            raise BrokenRuleError("the roles of two raters must have different labels", labels[0])
        if self.is_person and (taken := [name for name in ("model", "prompt", "opening") if getattr(self, name)]):
            raise BrokenRuleError("a partner who is a person has roles in place of a model's fields", ", ".join(taken))
        if self.roles and not self.is_person:
            raise BrokenRuleError("only a partner who is a person has roles", ", ".join(self.roles))
        return self


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
    def _bounds_agree(self) -> Self:
        if self.min_messages > self.max_messages:
            rule = "conversation.min_messages must be at most the number of messages that raters can write"
            raise BrokenRuleError(rule, self.min_messages)
        return self
