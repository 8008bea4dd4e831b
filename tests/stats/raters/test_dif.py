import numpy as np
import pytest
from scipy import stats
from statsmodels.miscmodels.ordinal_model import OrderedModel

from app.stats.raters.dif import dif


def _answers(group_effect: float, interaction: float = 0.0, n: int = 300) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(4)
    trait, member = rng.normal(size=n), rng.random(n) < 0.4
    latent = trait * (1 + interaction * member) + group_effect * member + rng.logistic(size=n)
    return np.searchsorted([-1.0, 0.5, 1.5], latent).astype(float), trait, member


def test_one_answer_per_rater_matches_zumbo_tests_in_statsmodels() -> None:
    """Ordinal logistic regression, three nested models; each rater answers once, so there are no random effects."""
    value, trait, member = _answers(0.8)
    person = np.arange(len(value))
    found = dif(value, trait, member, item=np.zeros(len(value)), rater=person)
    x = (trait - trait.mean()) / trait.std(ddof=1)
    g = member - 0.5
    fits = [
        OrderedModel(value, np.column_stack(columns), distr="logit").fit(method="bfgs", disp=0, gtol=1e-8)
        for columns in ([x], [x, g], [x, g, x * g])
    ]
    assert found.uniform.estimate == pytest.approx(np.exp(fits[1].params[1]), rel=1e-3)
    total = 2 * (fits[2].llf - fits[0].llf)
    assert (found.total.estimate, found.total.df) == pytest.approx((total, 2), rel=1e-3)
    assert found.nonuniform.estimate == pytest.approx(2 * (fits[2].llf - fits[1].llf), rel=1e-2, abs=1e-4)
    assert found.uniform.p_value == pytest.approx(stats.chi2.sf(2 * (fits[1].llf - fits[0].llf), 1), rel=1e-2)
    assert found.uniform.interval
    assert found.uniform.interval.low < (found.uniform.estimate or 0) < found.uniform.interval.high
    assert 0 < (found.r2_change.estimate or 0) < 0.1


def test_only_true_differential_functioning_is_detected() -> None:
    place = np.zeros(300)
    for effect, is_found in ((0.0, False), (1.5, True)):
        value, trait, member = _answers(effect)
        found = dif(value, trait, member, item=place, rater=np.arange(300))
        assert ((found.uniform.p_value or 0) < 0.01) == is_found


def test_raters_with_many_answers_are_clusters() -> None:
    """Raters of the group differ only by chance; with independent ratings the p-value would be smaller."""
    rng = np.random.default_rng(5)
    item, rater = (axis.ravel() for axis in np.indices((30, 6)))
    trait = rng.normal(size=30)[item]
    latent = trait + 1.5 * np.array([1.0, 1, -1, -1, -1, 1])[rater] + rng.logistic(size=180)
    value, member = np.searchsorted([-1.0, 1.0], latent).astype(float), rater < 3
    found = dif(value, trait, member, item=item, rater=rater)
    alone = dif(value, trait, member, item=np.zeros(180), rater=np.arange(180))
    assert (found.uniform.p_value or 0) > (alone.uniform.p_value or 0)
    assert found.uniform.n_raters == 6


@pytest.mark.parametrize(
    ("value", "trait", "member", "reason"),
    [
        ([], [], [], "no_pairable_units"),
        ([1, 2], [1, 2], [1, 1], "no_pairable_units"),
        ([1, 1, 1], [1, 2, 3], [0, 1, 1], "no_variation"),
        ([1, 2, 3], [1, 1, 1], [0, 1, 1], "no_variation"),
        ([1, 1, 1, 2, 2, 2], [1, 2, 3, 4, 5, 6], [0, 1, 0, 1, 0, 1], "not_converged"),
        ([0, 2, 1, 0, 0, 1], [0, 1, 0, 1, 0, 1], [1, 0, 1, 0, 1, 0], "singular"),
        ([0, 2, 1, 0, 0, 1], [0, 1, 0, 2, 0, 3], [1, 0, 1, 0, 1, 0], "singular"),
    ],
)
def test_untestable_item_functioning_reports_a_reason(
    value: list[float], trait: list[float], member: list[int], reason: str
) -> None:
    place = np.arange(len(value))
    found = dif(np.array(value, float), np.array(trait, float), np.array(member, bool), item=place, rater=place)
    assert {found.uniform.reason, found.nonuniform.reason, found.total.reason, found.r2_change.reason} == {reason}
