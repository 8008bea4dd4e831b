"""The libraries of all statistics, which are imported where they are needed, loaded at once."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import walk_packages

import app.analysis
import app.stats


@cache
def load_libraries() -> None:
    """Import everything that a report may need, so that its time is the same in a new process as in a used one."""
    for room in (app.analysis, app.stats):
        for module in walk_packages(room.__path__, f"{room.__name__}."):
            import_module(module.name)
