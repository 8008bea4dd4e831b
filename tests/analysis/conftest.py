"""Reports of the real data sets, computed once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from app.analysis import analyze
from tests.analysis.builders import read_study
from tests.real_data.ayers import write_ayers
from tests.real_data.kumar import write_kumar
from tests.real_data.pandalm import write_pandalm

if TYPE_CHECKING:
    from pathlib import Path

    from app.analysis.report.report import Report


@pytest.fixture(scope="session")
def ayers(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Report:
    """Ayers et al. (2023)."""
    return analyze(*read_study(write_ayers(tmp_path_factory.mktemp("ayers"), shared)))


@pytest.fixture(scope="session")
def kumar(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Report:
    """Kumar et al. (2025)."""
    return analyze(*read_study(write_kumar(tmp_path_factory.mktemp("kumar"), shared)))


@pytest.fixture(scope="session")
def pandalm(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Report:
    """PandaLM test set v1."""
    return analyze(*read_study(write_pandalm(tmp_path_factory.mktemp("pandalm"), shared)))
