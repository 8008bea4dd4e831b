"""Linear algebra on one thread: the matrices of a report are small or slim.

With more threads each waits, at full speed, for the others: a report on a million ratings takes twice the processor
time on two processors, and more where other programs use them too.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import scipy.linalg  # noqa: F401 - brings a library of its own, which is not found before it is loaded
from threadpoolctl import ThreadpoolController

if TYPE_CHECKING:
    from contextlib import AbstractContextManager


def one_thread() -> AbstractContextManager[object]:
    """A context in which numpy and scipy compute on one thread; contexts may stand in each other."""
    context: AbstractContextManager[object] = _libraries().limit(limits=1)
    return context


@cache
def _libraries() -> ThreadpoolController:
    """Those of numpy and of scipy, which bring one each; looking for them takes a millisecond."""
    return ThreadpoolController()
