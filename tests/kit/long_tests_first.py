"""Tests of ten seconds and more are started first, so that no worker is left with one of them at the end."""

import os
from itertools import islice

import pytest


@pytest.hookimpl(trylast=True)  # after the shuffle
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin the share of each worker with its part of the tests marked `long`, and keep the order of the others.

    pytest-xdist's `worksteal` gives each worker a run of the list, as equal as possible, and moves tests from the end.
    """
    n_workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    long = [item for item in items if item.get_closest_marker("long")]
    others = iter([item for item in items if not item.get_closest_marker("long")])
    n_left, dealt = len(items), []
    for worker in range(n_workers):
        n_share, own = n_left // (n_workers - worker), long[worker::n_workers]
        dealt += [*own, *islice(others, max(0, n_share - len(own)))]
        n_left -= n_share
    items[:] = [*dealt, *others]
