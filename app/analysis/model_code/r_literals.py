"""Texts as R reads them."""

import json
from collections.abc import Iterable


def literal(words: str) -> str:
    r"""A string literal of R: quotes, backslashes and control characters have the same escapes in JSON.

    >>> print(literal('say "hi"\n'))
    "say \"hi\"\n"
    """
    return json.dumps(words, ensure_ascii=False)


def vector(texts: Iterable[str]) -> str:
    """A vector of texts.

    >>> print(vector(["a", "b"]))
    c("a", "b")
    """
    return f"c({', '.join(map(literal, texts))})"
