"""Models fitted once per report: several of its sections ask for the same model of the same ratings."""

import hashlib
import pickle
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

_KNOWN: ContextVar[dict[bytes, Any] | None] = ContextVar("known", default=None)


@contextmanager
def remembering() -> Iterator[None]:
    """Within, a `remembered` function computes once for equal arguments. Within another one, that one goes on."""
    if _KNOWN.get() is not None:
        yield
        return
    token = _KNOWN.set({})
    try:
        yield
    finally:
        _KNOWN.reset(token)


def remembered(compute: Callable[P, R]) -> Callable[P, R]:
    """Let a function that depends on its arguments alone answer from memory within `remembering`.

    Its result is shared, so nobody may change it. Arguments count as equal if they pickle to the same bytes.
    """

    @wraps(compute)
    def answer(*args: P.args, **kwargs: P.kwargs) -> R:
        known = _KNOWN.get()
        if known is None:
            return compute(*args, **kwargs)
        key = hashlib.sha256(pickle.dumps((compute.__qualname__, args, kwargs))).digest()
        if key not in known:
            known[key] = compute(*args, **kwargs)
        result: R = known[key]
        return result

    return answer
