"""Single-threaded linear algebra: the matrices of a report are small or narrow.

Multiple threads busy-wait for each other: on two processors, a report on a million ratings takes twice the processor
time, and more if other programs use the processors too.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import scipy.linalg  # noqa: F401 - loads its own BLAS library, which can only be found once loaded
from threadpoolctl import ThreadpoolController

if TYPE_CHECKING:
    from contextlib import AbstractContextManager


def one_thread() -> AbstractContextManager[object]:
    """Return a context manager in which numpy and scipy compute on one thread; contexts can be nested."""
    context: AbstractContextManager[object] = _libraries().limit(limits=1)
    return context


@cache
def _libraries() -> ThreadpoolController:
    """Return the thread pools of numpy and of scipy, which bring one each; finding them takes a millisecond."""
    return ThreadpoolController()
