import numpy as np
import pytest
from scipy import stats

from app.stats.accuracy.empathic import empathic_accuracy, empathic_accuracy_difference

TARGET, PERCEIVER, MOMENT = (axis.ravel() for axis in np.indices((4, 5, 12)))


def _accounts() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(1)
    felt = rng.normal(size=(4, 12))[TARGET, MOMENT]
    return felt, 0.8 * felt + rng.normal(size=len(felt)) + rng.normal(size=5)[PERCEIVER]


def test_empathic_accuracy_is_mean_of_pairwise_correlations() -> None:
    felt, perceived = _accounts()
    found = empathic_accuracy(felt, perceived, target=TARGET, perceiver=PERCEIVER)
    pairs = [(t == TARGET) & (p == PERCEIVER) for t in range(4) for p in range(5)]
    z = [np.arctanh(stats.pearsonr(felt[pair], perceived[pair]).statistic) for pair in pairs]
    assert found.estimate == pytest.approx(np.tanh(np.mean(z)))
    assert found.interval
    assert found.interval.low < (found.estimate or 0) < found.interval.high <= 1
    assert (found.n_items, found.n_raters, found.n_units, found.n_ratings) == (4, 5, 20, 240)


def test_empathic_accuracy_ignores_perceiver_level() -> None:
    felt, perceived = _accounts()
    one = empathic_accuracy(felt, perceived, target=TARGET, perceiver=PERCEIVER)
    two = empathic_accuracy(felt, perceived + 9 * PERCEIVER, target=TARGET, perceiver=PERCEIVER)
    assert one.estimate == pytest.approx(two.estimate)


def test_flat_or_short_series_leave_empathic_accuracy() -> None:
    felt = np.tile([1.0, 2, 3], 3)
    perceived = np.concatenate([[1.0, 2, 3], [5, 5, 5], [np.nan, 1, 2]])
    found = empathic_accuracy(felt, perceived, target=np.zeros(9), perceiver=np.repeat([0, 1, 2], 3))
    assert found.estimate == pytest.approx(0.99999)
    assert (found.n_units, found.n_ratings) == (1, 8)
    assert found.interval_reason == "one_cluster"


def test_correlation_with_too_few_time_points_is_undefined() -> None:
    found = empathic_accuracy(np.array([1.0, 2]), np.array([1.0, 2]), target=np.zeros(2), perceiver=np.zeros(2))
    assert found.reason == "no_pairable_units"
    none = np.zeros(0)
    assert empathic_accuracy(none, none, target=none, perceiver=none).reason == "no_pairable_units"


def test_difference_of_two_groups_is_that_of_their_mean_z() -> None:
    felt, perceived = _accounts()
    first = PERCEIVER >= 3
    found = empathic_accuracy_difference(felt, perceived, first, target=TARGET, perceiver=PERCEIVER)
    z = np.array(
        [
            [np.arctanh(stats.pearsonr(felt[pair], perceived[pair]).statistic) for p in range(5) for pair in [at(t, p)]]
            for t in range(4)
        ]
    )
    assert found.estimate == pytest.approx(z[:, 3:].mean() - z[:, :3].mean())
    assert found.p_value is not None
    assert (found.n_items, found.n_raters, found.n_ratings) == (4, 5, 240)


def at(target: int, perceiver: int) -> np.ndarray:
    return np.asarray((target == TARGET) & (perceiver == PERCEIVER))


def test_groups_without_a_correlation_have_no_difference() -> None:
    felt, place = np.arange(4.0), np.zeros(4)
    found = empathic_accuracy_difference(felt, np.ones(4), place > 0, target=place, perceiver=np.arange(4))
    assert found.reason == "no_pairable_units"


def _dyads(n: int, shared: float, rng: np.random.Generator) -> tuple[np.ndarray, ...]:
    """Two raters in each of n pairs write six turns each, and infer the other's: partners are `shared`ly accurate."""
    pair, role, _ = (axis.ravel() for axis in np.indices((n, 2, 6)))
    target = 2 * pair + role
    skill = np.sqrt(shared) * rng.normal(size=n)[pair] + np.sqrt(1 - shared) * rng.normal(size=2 * n)[target]
    felt = rng.normal(size=len(pair))
    return felt, (0.6 + 0.5 * skill) * felt + rng.normal(size=len(pair)), target, target ^ 1, pair


def test_accuracy_of_partners_is_the_t_test_of_their_pairs() -> None:
    """Each infers what the other felt: ten pairs have nine degrees of freedom, not nineteen."""
    felt, perceived, target, perceiver, pair = _dyads(10, 0.5, np.random.default_rng(3))
    found = empathic_accuracy(felt, perceived, target=target, perceiver=perceiver, cluster=pair)
    z = np.array([np.arctanh(stats.pearsonr(felt[target == t], perceived[target == t]).statistic) for t in range(20)])
    known = stats.ttest_1samp(z.reshape(10, 2).mean(axis=1), 0)
    assert found.estimate == pytest.approx(np.tanh(z.mean()))
    assert (found.p_value, found.df) == pytest.approx((known.pvalue, 9))
    assert found.interval
    ends = known.confidence_interval()
    assert (found.interval.low, found.interval.high) == pytest.approx((np.tanh(ends.low), np.tanh(ends.high)))
    assert (found.n_items, found.n_raters, found.n_units, found.n_ratings) == (10, 20, 20, 120)
    assert found.interval.inference == "raters"
    assert str(found.method).endswith("groups of raters who wrote with each other as clusters")


@pytest.mark.parametrize("n_pairs", [10, 20])
def test_interval_of_partners_covers_and_its_test_keeps_the_level(n_pairs: int) -> None:
    """Against the mean of many pairs; without accuracy, partners share their rating style, which moves no mean."""
    rng = np.random.default_rng(n_pairs)
    felt, perceived, target, perceiver, pair = _dyads(20_000, 0.5, rng)
    true = empathic_accuracy(felt, perceived, target=target, perceiver=perceiver, cluster=pair).estimate or 0
    held = clear = 0
    for _ in range(500):
        felt, perceived, target, perceiver, pair = _dyads(n_pairs, 0.5, rng)
        interval = empathic_accuracy(felt, perceived, target=target, perceiver=perceiver, cluster=pair).interval
        assert interval
        held += interval.low <= true <= interval.high
        slope = np.sqrt(0.5) * (rng.normal(size=n_pairs)[pair] + rng.normal(size=2 * n_pairs)[target])
        guess = 0.5 * slope * felt + rng.normal(size=len(felt))
        none = empathic_accuracy(felt, guess, target=target, perceiver=perceiver, cluster=pair)
        clear += (none.p_value or 1) < 0.05
    assert 0.92 <= held / 500 <= 0.98
    assert 0.025 <= clear / 500 <= 0.08
