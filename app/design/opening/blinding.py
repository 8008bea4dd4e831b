"""What the title of a blind study, or a message to its raters, reveals about the sources."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.design.protocol.study import Protocol

_FAMILY = "family"
# A family named A or 4 would be found in almost every title.
_MIN_LETTERS = 3


def sources_in_title(protocol: Protocol) -> tuple[str, ...]:
    """Keys of the models that the title for raters names; empty if the study is not blind.

    A model is named if its key or its family occurs as a separate word, in upper or lower case. Human sources are
    ignored: that people wrote responses reveals nothing, and `person` is a common word in titles.

    >>> from app.design.protocol.study import Protocol
    >>> question = {"key": "warm", "type": "slider", "target": "response", "text": "How warm?"}
    >>> parts = {"attune": 1, "slug": "s", "title": "GPT beside physicians", "questions": [question]}
    >>> parts["sources"] = {"physicians": {"kind": "human"}, "m": {"kind": "model", "family": "gpt"}}
    >>> sources_in_title(Protocol.model_validate(parts))
    ('m',)
    >>> sources_in_title(Protocol.model_validate(parts | {"rater_title": "Replies to patients"}))
    ()
    """
    return sources_named(protocol, protocol.title_for_raters)


def sources_named(protocol: Protocol, words: str) -> tuple[str, ...]:
    """Keys of the models that these words name; empty if the study is not blind."""
    if not protocol.design.blind:
        return ()
    return tuple(
        key
        for key, source in protocol.sources.items()
        if source.kind != "human" and any(_is_in(words, name) for name in _names(key, source.attributes.get(_FAMILY)))
    )


def _names(key: str, family: object) -> Iterator[str]:
    yield from (name for name in (key, str(family or "").strip()) if len(name) >= _MIN_LETTERS)


def _is_in(words: str, name: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", words, re.IGNORECASE) is not None
