"""What every test may ask for: the real data beside the project, where it is there."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# Deadlines and the check of slow draws measure the clock on the wall: on a machine that others share they fail at
# random, as they did in the tests of superiority and of the pigeonhole bootstrap.
settings.register_profile("no wall clock", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("no wall clock")

pytest_plugins = ["tests.postgres_fixture", "tests.database"]

ROOT = Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with real ratings and known answers; the test is skipped where it is absent."""
    if not SHARED.is_dir():
        pytest.skip("real data is not beside this checkout")
    return SHARED
