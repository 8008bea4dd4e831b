"""Fixtures and settings for all tests, such as the real data beside the project, if available."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# Deadlines and the health check for slow draws measure wall-clock time, so they fail at random on shared machines, as
# in the tests of superiority and of the pigeonhole bootstrap.
settings.register_profile("no wall clock", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("no wall clock")

pytest_plugins = ["tests.postgres_fixture", "tests.database"]

ROOT = Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared"


@pytest.fixture(scope="session")
def shared() -> Path:
    """Return the folder with real ratings and known answers; skip the test if it is missing."""
    if not SHARED.is_dir():
        pytest.skip("real data is not beside this checkout")
    return SHARED
