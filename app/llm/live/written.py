"""What a model is sent for a reply in a conversation, and what is made of its answer."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from app.llm.client.answers import is_refusal
from app.llm.client.endpoint import Message, Reply
from app.protocol.draft import DraftPartner
from app.protocol.opening import sources_named
from app.protocol.study import Protocol
from app.protocol.writing import Partner

# What a lead should know about a reply: it declines in words; it ended at its limit; it repeats the system prompt, or
# names a source of a blind study; the model was not sent the oldest turns; or the rater saw the beginning of another
# reply, which broke off.
Flag = Literal["refusal", "cut_off", "leak", "names_source", "shortened", "begun_again"]
Turn = tuple[Literal["rater", "partner"], str]
ITEM = "{item}"
# What a model is sent as a text that does not have a word yet: servers refuse empty messages.
NOTHING_YET = "(nothing yet)"
_ROLES = {"rater": "user", "partner": "assistant"}
# No script needs more for a token on average; and no rater reads more.
_CHARACTERS_PER_TOKEN, _MAX_CHARACTERS = 10, 50_000
# So many words of the system prompt in a row are no chance.
_LEAKED_WORDS = 12
_WORD = re.compile(r"\w+")
EMPTY = "The model's answer is empty."
ONLY_THOUGHTS = "The model used all tokens of its reply for thoughts. Allow more of them (reply_tokens)."


def messages_to(partner: Partner, item: str, turns: Sequence[Turn]) -> list[Message]:
    """The system prompt and the turns, as they are stored.

    Turns of one speaker in a row are one message: all of them, or of a draft the last, which has its text as it is.
    """
    is_draft = isinstance(partner, DraftPartner)
    told = partner.prompt.replace(ITEM, item).strip()
    messages = [{"role": "system", "content": told}] if told else []
    for speaker, words in turns:
        said = words or NOTHING_YET
        if is_draft and messages and messages[-1]["role"] == _ROLES[speaker]:
            messages[-1]["content"] = said
        elif messages and messages[-1]["role"] == _ROLES[speaker]:
            messages[-1]["content"] += f"\n\n{said}"
        else:
            messages.append({"role": _ROLES[speaker], "content": said})
    return messages


def shortened(turns: Sequence[Turn]) -> Sequence[Turn]:
    """The turns without the oldest third; empty if only the last is left."""
    return turns[max(1, len(turns) // 3) :]


def most_characters(partner: Partner) -> int:
    """The length at which a reply ends, also one of a server that ignores its limit of tokens."""
    return min(partner.reply_tokens * _CHARACTERS_PER_TOKEN, _MAX_CHARACTERS)


@dataclass(frozen=True, slots=True)
class Written:
    """A reply as it is stored. `text` is None if the rater does not see it; `problem` then says why, to the lead.

    `thoughts` also has the words that a filter withheld.
    """

    state: Literal["said", "withheld", "failed"]
    text: str | None = None
    flags: tuple[Flag, ...] = ()
    problem: str | None = None
    thoughts: str | None = None
    model_version: str | None = None
    finish_reason: str | None = None


def written(protocol: Protocol, source: str, reply: Reply, flags: Collection[Flag] = ()) -> Written | None:
    """What is made of an answer; None if it is empty.

    Args:
        protocol: the study.
        source: whose model replies.
        reply: the answer.
        flags: those of how it was asked for.
    """
    assert protocol.writing is not None  # noqa: S101 - somebody writes
    partner = protocol.writing.all_partners[source]
    words, most = reply.text.strip(), most_characters(partner)
    of_reply = {
        "thoughts": reply.thoughts or None,
        "model_version": reply.model_version or None,
        "finish_reason": reply.stop or None,
    }
    if (because := reply.refused_because) is not None:
        of_reply["thoughts"] = "\n\n".join(part for part in (of_reply["thoughts"], words) if part) or None
        return Written("withheld", None, tuple(flags), because, **of_reply)
    if not words:
        return None
    found = [*flags, *_flags(protocol, source, partner, words)]
    if reply.is_cut_off or len(words) > most:
        found.append("cut_off")
    return Written("said", words[:most].strip(), tuple(found), **of_reply)


def _flags(protocol: Protocol, source: str, partner: Partner, words: str) -> Iterator[Flag]:
    if is_refusal(words):
        yield "refusal"
    if is_leak(partner.prompt, words):
        yield "leak"
    if {*sources_named(protocol, words)} - {source} or _names_own_family(protocol, source, words):
        yield "names_source"


def _names_own_family(protocol: Protocol, source: str, words: str) -> bool:
    """Whether a blind study's model says what it is; its key can be the persona's name, which is in many replies."""
    family = str(protocol.sources[source].attributes.get("family") or "").strip()
    is_named = re.search(rf"(?<!\w){re.escape(family)}(?!\w)", words, re.IGNORECASE) is not None
    return protocol.design.blind and bool(family) and is_named


def is_leak(prompt: str, words: str) -> bool:
    """Whether a reply repeats a run of twelve words of the system prompt, except for the item's text in it.

    >>> told = "You are a warm listener. Never give advice, never ask more than one question at a time."
    >>> is_leak(told, "My rules: never give advice, never ask more than one question at a time.")
    True
    >>> is_leak(told, "I never ask more than one question.")
    False
    """
    told = {run for part in prompt.split(ITEM) for run in _runs(part)}
    return any(run in told for run in _runs(words))


def _runs(text: str) -> Iterator[tuple[str, ...]]:
    words = _WORD.findall(text.casefold())
    return (tuple(words[at : at + _LEAKED_WORDS]) for at in range(len(words) - _LEAKED_WORDS + 1))
