"""A dialogue as chat messages: the turns of the speaker whose part the model takes become its own messages."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any

from app.actions.trial_page.plain_text import quoted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from app.models.endpoint import Message

    Turns = Sequence[dict[str, Any]]

# Many models expect the first message to come from the user.
OPENING = "Begin the conversation."
_TWO = 2


@dataclass(frozen=True, slots=True)
class Dialogue:
    """The messages of the earlier turns, and what the model answers: the turns after its own last one, as data."""

    earlier: tuple[Message, ...]
    last: str


def dialogue_of(turns: Turns, speaker: str | None) -> Dialogue | None:
    """Return a dialogue as messages; None if it can only be given as a text, because the model has no turns in it.

    Args:
        turns: of the item.
        speaker: whose part the model takes; by default, in a dialogue of two, the one who does not speak last.
    """
    own = speaker or other_speaker(turns)
    names = {name_of(turn) for turn in turns}
    if own not in names or name_of(turns[-1]) == own:
        return None
    is_named = len(names) > _TWO
    groups = [(is_own, [*group]) for is_own, group in groupby(turns, key=lambda turn: name_of(turn) == own)]
    earlier = [_message(group, is_own=is_own, is_named=is_named) for is_own, group in groups[:-1]]
    if groups[0][0]:
        earlier.insert(0, {"role": "user", "content": OPENING})
    return Dialogue(tuple(earlier), "\n".join(turn_lines(groups[-1][1], is_named=is_named)))


def other_speaker(turns: Turns) -> str | None:
    """Return the speaker of a dialogue of two who does not speak last; None for others."""
    names = {name_of(turn) for turn in turns}
    if len(names) != _TWO:
        return None
    (other,) = names - {name_of(turns[-1])}
    return other


def name_of(turn: dict[str, Any]) -> str:
    """Return the name of the speaker, in one line."""
    return " ".join(str(turn.get("speaker") or "").split())


def _message(turns: Turns, *, is_own: bool, is_named: bool) -> Message:
    if is_own:
        return {"role": "assistant", "content": "\n\n".join(str(turn.get("text", "")).strip() for turn in turns)}
    return {"role": "user", "content": "\n".join(turn_lines(turns, is_named=is_named))}


def turn_lines(turns: Turns, *, is_named: bool = True) -> Iterator[str]:
    """Yield the turns as data: the name of the speaker, and each line with the mark of quoted text."""
    for turn in turns:
        if is_named and (name := name_of(turn)):
            yield name
        yield from quoted(str(turn.get("text", "")))
