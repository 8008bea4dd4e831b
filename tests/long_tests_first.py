"""Tests of ten seconds and more are started first, so that no worker is left with one of them at the end."""

from __future__ import annotations

import pytest


@pytest.hookimpl(trylast=True)  # after the shuffle
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Move the tests with the marker `long` to the front and keep the order of the others."""
    long = [item for item in items if item.get_closest_marker("long")]
    others = [item for item in items if not item.get_closest_marker("long")]
    items[:] = [*long, *others]
