import numpy as np
import pytest

from app.stats.comparison.percent import percent_change

ITEM, RATER, SOURCE = (axis.ravel() for axis in np.indices((10, 6, 2)))


def test_percent_change_uses_delta_method_on_ratio_of_means() -> None:
    """Means are independent across raters and items: SE(log ratio)^2 = (s1 / m1)^2 / n1 + (s0 / m0)^2 / n0."""
    value = np.random.default_rng(1).uniform(1, 5, 120) * (1 + 0.3 * SOURCE)
    place = np.arange(120)
    found = percent_change(value, SOURCE == 1, item=place, rater=place)
    mine, theirs = value[SOURCE == 1], value[SOURCE == 0]
    ratio = mine.mean() / theirs.mean()
    error = np.sqrt(mine.var(ddof=1) / mine.mean() ** 2 / 60 + theirs.var(ddof=1) / theirs.mean() ** 2 / 60)
    assert found.estimate == pytest.approx(100 * (ratio - 1))
    assert found.standard_error == pytest.approx(100 * ratio * error)
    assert found.interval
    middle = np.sqrt((1 + found.interval.low / 100) * (1 + found.interval.high / 100))
    assert middle == pytest.approx(ratio)


def test_percent_change_works_on_binary_outcomes() -> None:
    """100 ratings of each source; the source has 31% more good ones."""
    good = np.concatenate([np.arange(100) < 42, np.arange(100) < 55]).astype(float)
    source, place = np.repeat([0, 1], 100), np.arange(200)
    assert percent_change(good, source == 1, item=place, rater=place).estimate == pytest.approx(100 * 55 / 42 - 100)


@pytest.mark.parametrize(
    ("value", "source", "reason", "interval_reason"),
    [
        ([1, 2], [1, 1], "no_pairable_units", None),
        ([-1, 2], [1, 0], "singular", None),
        ([1, 0], [1, 0], "separation", None),
        ([0, 1], [1, 0], None, "separation"),
        ([2, 1], [1, 0], None, "no_variation"),
    ],
)
def test_undefined_ratio_reports_a_reason(
    value: list[float], source: list[int], reason: str | None, interval_reason: str | None
) -> None:
    place = np.arange(len(value))
    found = percent_change(np.array(value, float), np.array(source) == 1, item=place, rater=place)
    assert (found.reason, found.interval_reason) == (reason, interval_reason)
