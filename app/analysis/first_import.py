"""The first import of the statistics, which is most of the time that a small study takes."""

from __future__ import annotations

import gc
import sys
from contextlib import contextmanager
from importlib.util import LazyLoader, find_spec, module_from_spec
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

# scipy imports all of numpy's modules, among them this one for Fortran, which takes a tenth of the time
UNUSED = "numpy.f2py"


@contextmanager
def first_import() -> Iterator[None]:
    """Import within this context without pauses of the garbage collector, which finds nothing among new modules."""
    if UNUSED not in sys.modules:
        _load_on_first_use(UNUSED)
    is_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if is_enabled:
            gc.enable()


def _load_on_first_use(name: str) -> None:
    """Put a module of numpy in its place that loads itself when one of its names is used."""
    spec = find_spec(name)
    if spec is None or spec.loader is None:
        return
    spec.loader = loader = LazyLoader(spec.loader)
    module = sys.modules[name] = module_from_spec(spec)
    loader.exec_module(module)
    setattr(np, name.rpartition(".")[2], module)
