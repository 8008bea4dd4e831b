"""Limits on the size of inputs."""

import pickle

from app.base.limits import Bounds, Limits


def test_limits_scale_together() -> None:
    bounds = Bounds(seconds=2, memory_mb=10, limits=Limits(1, 2, 3, 4, 5)).times(3)
    assert bounds == Bounds(seconds=6, memory_mb=30, limits=Limits(3, 6, 9, 12, 15))


def test_table_without_columns_counts_as_one_column() -> None:
    assert Limits(cells=10).max_rows(0) == Limits(cells=10).max_rows(1) == 10


def test_exceeded_limit_error_survives_pickling() -> None:
    slow, large = Bounds(seconds=7).too_slow(), Bounds(memory_mb=1_500).too_large()
    assert "more than 7 seconds" in pickle.loads(pickle.dumps(slow)).problems[0].sentence()  # noqa: S301 - pickled in this test
    assert "input that can be read in 1,500 MB; try a smaller file" in large.problems[0].sentence()
