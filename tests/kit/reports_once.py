"""Reports that many tests look at, each computed once.

The workers of pytest share those of the real data through files. `AnalyzedOnce` remembers the reports of one worker,
and shares those of many ratings in the same way.
"""

import fcntl
import os
import pickle
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from app.analysis import analyze
from app.analysis.data.frames import Frames
from app.analysis.data.report_filters import ALL, Filters
from app.analysis.report import computed_report
from app.analysis.report.report import Report
from app.protocol.study import Protocol
from app.results.registration import preregister
from app.results.reports.report_input import fingerprint
from app.stats.remembered import remembering
from tests.kit.frames import read_study
from tests.real_data.ayers import write_ayers
from tests.real_data.kumar import write_kumar
from tests.real_data.pandalm import write_pandalm

# The report of fewer ratings is computed as soon as it could be read from a file.
MANY = 500
WRITERS = {"ayers": write_ayers, "kumar": write_kumar, "pandalm": write_pandalm}


class AnalyzedOnce:
    """A function that computes a report, called once for all tests that ask for the report of the same answers.

    `tests/results/reports/test_live_report.py` holds when the application computes a report again.
    """

    def __init__(self, analyze: Callable[..., Report]) -> None:
        """`analyze` computes the reports that are not known yet."""
        self._analyze = analyze
        self._known: dict[str, Report] = {}
        # Where workers share the reports of many ratings, if they do.
        self.folder: Path | None = None

    def __call__(self, frames: Frames, protocol: Protocol, *, filters: Filters = ALL, **_: object) -> Report:
        """Return the report of these answers."""
        key = fingerprint(frames, protocol, filters)
        if key not in self._known:

            def analyze() -> Report:
                return self._analyze(frames, protocol, filters=filters)

            shared = self.folder / f"report-{key}" if self.folder and len(frames.ratings) > MANY else None
            self._known[key] = first_of_all(shared, analyze) if shared else analyze()
        return self._known[key]


@pytest.fixture(scope="session", autouse=True)
def few_simulations() -> Iterator[None]:
    """Register plans with few simulations: nothing here looks at the digits of a plan of 200."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(preregister, "N_SIMULATIONS", 5)
        yield


@pytest.fixture(scope="session", autouse=True)
def each_model_once() -> Iterator[None]:
    """Fit a model once for all reports of a worker: most tests ask for reports of the same few studies."""
    with remembering():
        yield


@pytest.fixture
def each_report_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compute a report once in a test whose commands and pages ask for the report of the same answers many times."""
    known: dict[tuple[str, bool, bool], Report] = {}
    compute = computed_report.report_of

    def report_of(
        frames: Frames,
        protocol: Protocol,
        *,
        full: bool,
        only_primary: bool = False,
        filters: Filters = ALL,
        **_: object,
    ) -> Report:
        key = (fingerprint(frames, protocol, filters), full, only_primary)
        if key not in known:
            known[key] = compute(frames, protocol, full=full, only_primary=only_primary, filters=filters)
        return known[key]

    monkeypatch.setattr(computed_report, "report_of", report_of)


def first_of_all(file: Path, compute: Callable[[], Report]) -> Report:
    """Return what the file holds; the worker that asks first computes it, and the others wait for it."""
    with file.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not file.exists():
            file.write_bytes(pickle.dumps(compute()))
    report: Report = pickle.loads(file.read_bytes())  # noqa: S301 - what this test run pickled
    return report


@pytest.fixture(scope="session")
def of_all_workers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder that all workers of this run see."""
    own = tmp_path_factory.getbasetemp()
    return own.parent if "PYTEST_XDIST_WORKER" in os.environ else own


@pytest.fixture(scope="session")
def report_of_real_data(
    shared: Path, of_all_workers: Path, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], Report]:
    """Return the report of a data set."""
    known: dict[str, Report] = {}

    def computed(name: str) -> Report:
        return analyze(*read_study(WRITERS[name](tmp_path_factory.mktemp("real"), shared)))

    def report_of(name: str) -> Report:
        if name not in known:
            known[name] = first_of_all(of_all_workers / f"report-of-{name}", lambda: computed(name))
        return known[name]

    return report_of


@pytest.fixture(scope="session")
def ayers(report_of_real_data: Callable[[str], Report]) -> Report:
    """Ayers et al. (2023)."""
    return report_of_real_data("ayers")


@pytest.fixture(scope="session")
def kumar(report_of_real_data: Callable[[str], Report]) -> Report:
    """Kumar et al. (2025)."""
    return report_of_real_data("kumar")


@pytest.fixture(scope="session")
def pandalm(report_of_real_data: Callable[[str], Report]) -> Report:
    """PandaLM test set v1."""
    return report_of_real_data("pandalm")
