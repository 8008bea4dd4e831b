"""Placeholders such as [name and email address] that a template leaves for the lead to fill in."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.design.protocol.study import Protocol

# Words in square brackets that are not a Markdown link, which is followed by its address.
_PLACEHOLDER = re.compile(r"\[[A-Za-z][^\[\]]*\](?![(\[:])")


def placeholders(protocol: Protocol) -> tuple[str, ...]:
    """The distinct placeholders in the texts that raters read before and after the trials.

    >>> _PLACEHOLDER.findall("Ask [name] or read [our page](https://example.org) [1].")
    ['[name]']
    """
    flow = protocol.flow
    texts = (
        flow.consent.text if flow.consent else "",
        protocol.instructions,
        flow.debrief.text if flow.debrief else "",
        flow.help,
        protocol.completion.text,
    )
    return tuple(dict.fromkeys(found for text in texts for found in _PLACEHOLDER.findall(text)))
