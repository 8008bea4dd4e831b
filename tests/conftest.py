"""Fixtures and settings for all tests, such as the real data beside the project, if available."""

import gc
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from tests.kit.examples import EXPLORE, GATE, PROFILE
from tests.kit.oracles import Oracle

# Before numpy is loaded, and for all processes that tests start: the workers of pytest already use all processors, and
# threads of linear algebra would only wait for each other.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# Attune's side processes give way to raters (`app.base.processes.side_process`). At the lowest priority all processes
# of the tests are alike, so no test waits for a side process until the tests beside it leave a processor idle.
if hasattr(os, "nice"):
    os.nice(19)

# Loading everything that is tested leaves a million objects, and the default looks through new ones very often.
gc.set_threshold(20_000, 20, 50)

# Deadlines and the health check for slow draws measure wall-clock time, so they fail at random on shared machines, as
# in the tests of superiority and of the pigeonhole bootstrap.
# The gate draws the same examples each time; `make explore` draws new ones.
settings.register_profile(
    "gate", deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True, max_examples=GATE
)
settings.register_profile("explore", settings.get_profile("gate"), derandomize=False, max_examples=EXPLORE)
settings.load_profile(PROFILE)


pytest_plugins = ["tests.kit.doctest_modules", "tests.kit.long_tests_first"]

ROOT = Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared"
OF_THE_APPLICATION = (
    "tests.kit.postgres_fixture",
    "tests.kit.database",
    "tests.kit.application",
    "tests.kit.reports_once",
    "tests.kit.reports_here",
    "tests.kit.web_app",
    "tests.kit.lead_pages",
)
WITHOUT_APPLICATION = [ROOT / folder for folder in ("app/stats", "app/protocol", "tests/stats", "tests/protocol")]
# Before a conftest.py of a room imports them.
pytest.register_assert_rewrite(*OF_THE_APPLICATION)


def pytest_configure(config: pytest.Config) -> None:
    """Load the fixtures of the application, which take seconds, unless no test of this process can ask for them.

    Statistics and the protocol need none, and the process that deals tests to pytest-xdist's workers runs no tests.
    """
    deals = config.getoption("dist", "no") != "no" and not hasattr(config, "workerinput")
    paths = [Path(argument.partition("::")[0]).resolve() for argument in config.args]
    if not deals and not all(any(path.is_relative_to(room) for room in WITHOUT_APPLICATION) for path in paths):
        for name in OF_THE_APPLICATION:
            config.pluginmanager.import_plugin(name)


def pytest_collection_finish() -> None:
    """Keep what was loaded out of later searches for garbage, among them those of pytest at the end of a process."""
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def backups(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Yield the folder for backups and the list of deletions, so that tests do not write into the user's own."""
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("backups")
        patch.setenv("ATTUNE_BACKUP_DIR", str(folder))
        yield folder


@pytest.fixture(scope="session")
def shared() -> Path:
    """Return the folder with real ratings and known answers; skip the test if it is missing."""
    if not SHARED.is_dir():
        pytest.skip("real data is not beside this checkout")
    return SHARED


@pytest.fixture(scope="session")
def oracle(shared: Path) -> Oracle:
    """Return a reader of reference results by name; `source` in a result says who computed or published it."""

    def read(name: str) -> dict[str, Any]:
        answer: dict[str, Any] = json.loads((shared / "oracles" / f"{name}.json").read_text(encoding="utf-8"))
        return answer

    return read
