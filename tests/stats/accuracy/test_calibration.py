"""Calibration against human raters: known answers of scikit-learn, the definitions, and judges with a known truth."""

import numpy as np
import pytest

from app.stats.accuracy.calibration import (
    brier_score,
    calibration_bins,
    calibration_error,
    lowest_brier_score,
    mean_share,
    overconfidence,
)
from app.stats.arrays import Floats, Ints

sklearn_calibration = pytest.importorskip("sklearn.calibration")
metrics = pytest.importorskip("sklearn.metrics")
N_POINTS = 5


def _drawn(n_units: int, n_raters: int, sharpness: float = 1.0) -> tuple[Floats, Ints, Floats]:
    """Distributions of a judge, answers that human raters draw from them, and their counts."""
    rng = np.random.default_rng(8)
    truth = rng.dirichlet(np.ones(N_POINTS), n_units)
    said = np.array([rng.choice(N_POINTS, n_raters, p=row) for row in truth])
    counts = np.array([np.bincount(row, minlength=N_POINTS) for row in said], dtype=np.float64)
    stated = truth**sharpness
    return stated / stated.sum(axis=1, keepdims=True), said, counts


def _top(stated: Floats, counts: Floats) -> tuple[Floats, Floats]:
    best = stated.argmax(axis=1)
    rows = np.arange(len(best))
    return stated[rows, best], counts[rows, best] / counts.sum(axis=1)


def test_brier_score_of_scikit_learn_over_single_ratings() -> None:
    stated, said, counts = _drawn(60, 4)
    found = brier_score(stated, counts / 4, item=np.arange(60))
    rows = np.repeat(stated, 4, axis=0)
    assert found.estimate == pytest.approx(
        metrics.brier_score_loss(said.ravel(), rows, labels=range(N_POINTS), scale_by_half=False)
    )
    assert found.interval is not None
    assert (found.interval.inference, found.n_items, found.n_units) == ("items", 60, 60)


def test_brier_score_by_hand() -> None:
    # (.7 - 1)^2 + .3^2 = .18 for the rater who agrees, .7^2 + (.3 - 1)^2 = .98 for the one who does not.
    found = brier_score(np.array([[0.7, 0.3]] * 2), np.array([[0.5, 0.5], [1, 0]]), item=np.arange(2))
    assert found.estimate == pytest.approx(((0.18 + 0.98) / 2 + 0.18) / 2)
    worst = brier_score(np.array([[1.0, 0.0]] * 3), np.array([[0.0, 1.0]] * 3), item=np.arange(3))
    assert (worst.estimate, worst.interval, worst.interval_reason) == (2.0, None, "no_variation")


def test_lowest_score_is_that_of_the_distribution_of_people() -> None:
    stated, _, counts = _drawn(4000, 3)
    lowest = lowest_brier_score(counts, item=np.arange(4000)).estimate
    assert lowest == pytest.approx(1 - (stated**2).sum(axis=1).mean(), abs=0.01)
    assert brier_score(stated, counts / 3, item=np.arange(4000)).estimate == pytest.approx(lowest, abs=0.01)
    # Two of three agree: one pair of three; a unit with one rater has no pairs.
    by_hand = lowest_brier_score(np.array([[2.0, 1], [3, 0], [1, 0]]), item=np.arange(3))
    assert by_hand.estimate == pytest.approx(1 / 3)
    assert by_hand.n_units == 2


def test_bins_of_scikit_learn() -> None:
    rng = np.random.default_rng(3)
    confidence: Floats = np.append(rng.random(300), [0.0, 1.0]).astype(np.float64)
    agreed: Floats = np.asarray(rng.random(302) < confidence, dtype=np.float64)
    bins = calibration_bins(confidence, agreed, item=np.arange(302))
    share, stated = sklearn_calibration.calibration_curve(agreed, confidence, n_bins=10)
    assert [one.agreement.estimate for one in bins] == pytest.approx(share)
    assert [one.confidence.estimate for one in bins] == pytest.approx(stated)
    assert (bins[0].low, bins[-1].high, sum(int(one.units.sum()) for one in bins)) == (0.0, 1.0, 302)


def test_calibration_error_is_the_mean_distance_of_the_bins() -> None:
    stated, _, counts = _drawn(200, 4)
    confidence, agreement = _top(stated, counts)
    item = np.arange(200) // 2
    bins = calibration_bins(confidence, agreement, item=item)
    each = [one.units.mean() * abs((one.agreement.estimate or 0) - (one.confidence.estimate or 0)) for one in bins]
    found = calibration_error(confidence, agreement, item=item, seed=4)
    assert found.estimate == pytest.approx(sum(each))
    assert (found.n_items, found.n_units, found.seed) == (100, 200, 4)


def test_calibrated_judge_and_overconfident_one() -> None:
    stated, _, counts = _drawn(400, 4)
    confidence, agreement = _top(stated, counts)
    calibrated = calibration_error(confidence, agreement, item=np.arange(400))
    assert calibrated.interval is not None
    assert calibrated.interval.low == 0
    assert abs(overconfidence(confidence, agreement, item=np.arange(400)).estimate or 0) < 0.03
    sharper, _, _ = _drawn(400, 4, sharpness=3.0)
    confidence, agreement = _top(sharper, counts)
    over = calibration_error(confidence, agreement, item=np.arange(400))
    assert over.interval is not None
    assert over.interval.low > 0.1
    surer = overconfidence(confidence, agreement, item=np.arange(400))
    assert surer.estimate == pytest.approx(
        (mean_share(confidence, item=np.arange(400)).estimate or 0)
        - (mean_share(agreement, item=np.arange(400)).estimate or 0)
    )
    assert surer.interval is not None
    assert surer.interval.low > 0.1


def test_without_units_or_with_one_item() -> None:
    none, one = np.zeros(0), np.ones(2)
    assert overconfidence(none, none, item=none).reason == "no_pairable_units"
    assert brier_score(np.zeros((0, 3)), np.zeros((0, 3)), item=none).reason == "no_pairable_units"
    assert calibration_error(none, none, item=none).reason == "no_pairable_units"
    assert calibration_bins(none, none, item=none) == []
    assert calibration_error(one, one / 2, item=np.zeros(2)).interval_reason == "one_cluster"
    assert overconfidence(one, one / 2, item=np.zeros(2)).interval_reason == "one_cluster"


@pytest.mark.slow
@pytest.mark.parametrize(("sharpness", "least"), [(1.0, 0.9), (2.0, 0.95)])
def test_coverage_of_the_calibration_error(sharpness: float, least: float) -> None:
    rng = np.random.default_rng(5)
    n_covered, n_studies = 0, 300

    def drawn(n: int) -> tuple[Floats, Floats]:
        confidence = rng.beta(3, 1.5, n)
        return confidence, confidence**sharpness

    confidence, truth = drawn(400_000)
    true = calibration_error(confidence, truth, item=np.zeros(len(truth))).estimate or 0.0
    for _ in range(n_studies):
        confidence, truth = drawn(100)
        agreement = rng.binomial(4, truth) / 4
        found = calibration_error(confidence, agreement, item=np.arange(100), n_resamples=400).interval
        assert found is not None
        n_covered += found.low <= true + 1e-3 and true <= found.high
    assert n_covered / n_studies >= least
