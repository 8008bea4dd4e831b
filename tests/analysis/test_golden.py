"""The same data give the stored estimates after any refactoring.

On the same machine they agree to the last digit, as `python -m tests.analysis.golden` shows.
"""

import pytest

from app.analysis import analyze
from app.analysis.report.report import Report
from tests.analysis.golden import FOLDERS, HERE, differences, kept, numbers_of
from tests.kit.frames import read_study

OTHER_PROCESSOR = 1e-6


@pytest.mark.parametrize("name", FOLDERS)
def test_template_estimates_are_unchanged(name: str) -> None:
    first: list[Report] = []
    frames, study = read_study(HERE / name)
    report = analyze(frames, study, first=first.append)
    assert differences(kept(name), numbers_of(report), relative=OTHER_PROCESSOR) == []
    assert report.primary
    assert first[0].primary == report.primary
    assert all(one.statistic != "odds_ratio_clmm" for one in first[0].estimates)


@pytest.mark.parametrize("name", ["ayers", "kumar", "pandalm"])
def test_published_data_estimates_are_unchanged(name: str, request: pytest.FixtureRequest) -> None:
    report: Report = request.getfixturevalue(name)
    assert differences(kept(name), numbers_of(report), relative=OTHER_PROCESSOR) == []


def test_golden_comparison_detects_changed_digit() -> None:
    before = kept("ab-tie")
    key, values = next(iter(before.items()))
    for relative in (0.0, OTHER_PROCESSOR):
        assert differences(before, {**before, key: ("0.123", *values[1:])}, relative=relative) == [
            f"{' '.join(key)}: {values} -> {('0.123', *values[1:])}"
        ]
