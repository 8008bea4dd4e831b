"""The probability that a model gave to each of its answers, from the log-probabilities of the answer's tokens."""

from __future__ import annotations

import re
from math import exp
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.models.endpoint import Reply

_FIELD = re.compile(r'"(q\d+(?:_\w+)?)"\s*:\s*("(?:[^"\\]|\\.)*"|-?[\d.]+|null)')


def answer_probabilities(reply: Reply) -> dict[str, float] | None:
    """The product of the probabilities of the tokens of each value, by field; None if the server sent none.

    A token that reaches beyond the value, such as `"4",`, counts as part of it.
    """
    if not reply.probabilities or "".join(one.token for one in reply.probabilities) != reply.text:
        return None
    ends, end = [], 0
    for one in reply.probabilities:
        end += len(one.token)
        ends.append(end)
    spans = list(zip([0, *ends], ends, [one.log_probability for one in reply.probabilities], strict=False))
    found = {}
    for match in _FIELD.finditer(reply.text):
        start, stop = match.span(2)
        found[match[1]] = exp(sum(log for first, last, log in spans if first < stop and last > start))
    return found
