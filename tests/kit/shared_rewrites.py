"""In a new checkout, the workers of pytest share the work of rewriting the assertions of all tests.

Each worker loads every test module, and pytest stores what it has rewritten. Workers that began with the same module
would rewrite each of them at the same time, so each begins with its own part; the others are then stored already.
"""

from __future__ import annotations

import importlib
import os
from contextlib import suppress
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def pytest_collection(session: pytest.Session) -> None:
    """Load the test modules before pytest looks for tests in them. One that fails is loaded again, and reported."""
    worker = os.environ.get("PYTEST_XDIST_WORKER", "").removeprefix("gw")
    if worker:
        names = module_names(session.config)
        begin = len(names) * int(worker) // int(os.environ["PYTEST_XDIST_WORKER_COUNT"])
        for name in [*names[begin:], *names[:begin]]:
            with suppress(Exception, pytest.skip.Exception):
                importlib.import_module(name)


def module_names(config: pytest.Config) -> list[str]:
    """The names of the test modules, as pytest makes them from their paths; it names parts of packages otherwise."""
    given = [Path(argument.partition("::")[0]).resolve() for argument in config.args]
    ignored = [Path(path).resolve() for path in config.getoption("ignore") or ()]
    return sorted(
        ".".join(path.relative_to(ROOT).with_suffix("").parts)
        for path in (ROOT / "tests").rglob("test_*.py")
        if any(path.is_relative_to(one) for one in given)
        and not any(path.is_relative_to(one) for one in ignored)
        and not (path.parent / "__init__.py").exists()
    )
