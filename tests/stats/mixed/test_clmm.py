from contextvars import Context
from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.stats.arrays import Bools, Floats, Ints
from app.stats.mixed.clmm import OrdinalComparison, compare_ordinal, probit_shift
from app.stats.mixed.model_design import is_nested_one_to_one, ordered_classes, random_columns
from app.stats.result import Result
from tests.stats.conftest import Ayers, RandomRatings


@dataclass(frozen=True)
class Study:
    value: Floats
    is_treated: Bools
    item: Ints
    rater: Ints

    def compared(self, **options: object) -> OrdinalComparison:
        return compare_ordinal(self.value, self.is_treated, item=self.item, rater=self.rater, **options)  # type: ignore[arg-type]

    def probit_shift(self) -> Result:
        logit = self.compared()
        return probit_shift(self.value, self.is_treated, item=self.item, rater=self.rater, logit=logit)


def _study(n_items: int = 30, n_raters: int = 8, points: int = 5) -> Study:
    """Simulate every rater rating both sources of every item; the model is higher by one logit."""
    rng = np.random.default_rng(2)
    item, rater, source = (axis.ravel() for axis in np.indices((n_items, n_raters, 2)))
    latent = 0.8 * rng.normal(size=n_items)[item] + rng.normal(size=(n_raters, 2))[rater, source] * 0.5 + source
    value = 1.0 + np.searchsorted(np.linspace(-2, 2.5, points - 1), latent + rng.logistic(size=len(item)))
    return Study(value, source == 1, item, rater)


def test_clmm_recovers_simulated_odds_ratio() -> None:
    found = _study(100, 30).compared()
    assert found.effect.interval is not None
    assert found.effect.interval.low < np.e < found.effect.interval.high
    assert found.effect.df == 29
    assert found.sds is not None
    assert found.sds["item"] == pytest.approx(0.8, abs=0.2)
    assert set(found.sds) == {"item", "item_slope", "rater", "rater_slope"}


def test_predicted_shares_and_means_are_near_ayers_2023(ayers: Ayers) -> None:
    """Observed proportions of empathy ratings at or above 4: 17.1% and 67.7%; means 1.51 points apart."""
    r = ayers("Empathy")
    found = compare_ordinal(r.value, r.is_treated, **r.clusters)
    at_four = next(share for share in found.upper_shares if share.cut == 4)
    assert (at_four.reference.estimate, at_four.source.estimate) == pytest.approx((0.171, 0.677), abs=0.005)
    assert at_four.source.interval is not None
    assert 0 < at_four.source.interval.low < 0.677 < at_four.source.interval.high < 1
    assert found.mean_difference.estimate == pytest.approx(1.508, abs=0.005)


def test_swapping_sources_inverts_odds_ratio() -> None:
    study = _study()
    there, back = study.compared(), Study(study.value, ~study.is_treated, study.item, study.rater).compared()
    assert there.effect.estimate is not None
    assert back.effect.estimate == pytest.approx(1 / there.effect.estimate, rel=1e-5)
    assert there.effect.interval is not None
    assert back.effect.interval is not None
    assert back.effect.interval.low == pytest.approx(1 / there.effect.interval.high, rel=1e-4)
    assert back.sds == pytest.approx(there.sds, abs=1e-4)


def test_odds_ratio_ignores_linear_rescaling() -> None:
    study = _study()
    there, back = study.compared(), Study(study.value * 20 - 3, study.is_treated, study.item, study.rater).compared()
    assert back.effect.estimate == there.effect.estimate


def test_odds_ratio_ignores_item_and_rater_labels() -> None:
    study = _study(12, 6)
    order = np.random.default_rng(3).permutation(len(study.value))
    shuffled = Study(study.value[order], study.is_treated[order], 7 * study.item[order] + 100, -study.rater[order])
    assert shuffled.compared().effect.estimate == pytest.approx(study.compared().effect.estimate, rel=1e-5)


def test_probit_link_estimates_latent_shift() -> None:
    found = _study().compared(link="probit").effect
    assert found.estimate is not None
    assert 0.2 < found.estimate < 1.2


@pytest.mark.parametrize("points", [2, 5])
def test_probit_shift_from_the_logit_fit_is_that_of_a_new_search(points: int) -> None:
    study = _study(points=points)
    anew = study.compared(link="probit").effect
    found = study.probit_shift()
    assert found.estimate == pytest.approx(anew.estimate, abs=1e-6)
    assert found.standard_error == pytest.approx(anew.standard_error, rel=1e-4)
    assert (found.method, found.df, found.note) == (anew.method, anew.df, anew.note)


def test_probit_shift_without_variation_is_undefined() -> None:
    study = replace(_study(3, 2), value=np.full(12, 3.0))
    found = study.probit_shift()
    assert (found.estimate, found.reason) == (None, "no_variation")


def test_two_point_scale_is_logistic_mixed_model() -> None:
    found = _study(points=2).compared()
    assert len(found.thresholds) == len(found.upper_shares) == 1
    assert found.effect.interval is not None


def test_slider_is_merged_into_classes_with_a_note() -> None:
    study = _study(points=101)
    found = study.compared()
    assert "merged into 11" in found.effect.note
    assert len(found.upper_shares) == 10
    raw = study.value[study.is_treated].mean() - study.value[~study.is_treated].mean()
    assert found.mean_difference.estimate == pytest.approx(raw, rel=0.1)


def test_classes_keep_order_and_lowest_value() -> None:
    classes = ordered_classes(np.array([3.0, -1, 0.5, 3, 7]), max_classes=2)
    assert classes.y.tolist() == [1, 0, 0, 1, 1]
    assert (classes.lowest.tolist(), classes.mean.tolist()) == ([-1, 3], [-0.25, pytest.approx(13 / 3)])


def test_raters_of_one_source_have_no_random_slope() -> None:
    study = _study()
    between = study.is_treated == (study.rater % 2 == 0)
    found = Study(study.value[between], study.is_treated[between], study.item[between], study.rater[between]).compared()
    assert found.sds is not None
    assert set(found.sds) == {"item", "item_slope", "rater"}


def test_one_to_one_raters_and_items_share_one_effect() -> None:
    item = np.repeat(np.arange(5), 4)
    assert is_nested_one_to_one(item, item + 10)
    columns = random_columns(item, item + 10, None)
    assert columns.names == ("item",)


def test_single_rater_has_estimate_without_interval() -> None:
    study = _study()
    one = study.rater == 3
    found = Study(study.value[one], study.is_treated[one], study.item[one], study.rater[one]).compared(has_slopes=False)
    assert found.effect.estimate is not None
    assert (found.effect.interval, found.effect.interval_reason) == (None, "one_cluster")
    assert found.mean_difference.interval_reason == "one_cluster"


@pytest.mark.parametrize(
    ("mine", "theirs", "reason"),
    [
        ([], [], "no_pairable_units"),
        ([], [1, 2], "no_pairable_units"),
        ([1, 2], [], "no_pairable_units"),
        ([3, 3], [3, 3], "no_variation"),
        ([4, 5], [1, 2], "separation"),
        ([2, 3], [1, 2], "separation"),
        ([1, 1], [1, 2], "separation"),
    ],
)
def test_unfittable_model_reports_a_reason(mine: list[float], theirs: list[float], reason: str) -> None:
    n = len(mine) + len(theirs)
    treated = np.arange(n) < len(mine)
    study = Study(np.array(mine + theirs, float), treated, np.arange(n) % 2, np.arange(n) // 2)
    found = study.compared()
    assert (found.effect.reason, found.mean_difference.reason, found.upper_shares) == (reason, reason, ())


def test_predicted_share_at_boundary_has_no_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.stats.mixed.clmm._NEVER", 0.5)
    found = _study(8, 4).compared()
    assert (found.mean_difference.interval, found.mean_difference.interval_reason) == (None, "singular")


SOURCE = np.tile([0, 1], 40)
ITEM, RATER = np.repeat(np.arange(10), 8), np.tile(np.repeat(np.arange(4), 2), 10)
NEARLY_SEPARATED = np.append([1, 0], SOURCE[2:])


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (RATER, "separation"),
        (ITEM % 4 + SOURCE, "separation"),
        (RATER + SOURCE, "separation"),
        (NEARLY_SEPARATED, "separation"),
    ],
    ids=["each rater has one answer", "one point up in each item", "one point up for each rater", "one rating amiss"],
)
def test_unbounded_effect_reports_a_reason(value: Ints, reason: str) -> None:
    study = Study(value.astype(float), SOURCE == 1, ITEM, RATER)
    assert study.compared().effect.reason == reason


def test_unconverged_fit_reports_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.stats.mixed.clmm_fit._POLISHES", 0)
    # Not within `remembering`, in which another test may have fitted the same model.
    assert Context().run(_study(8, 4).compared).effect.reason == "not_converged"


@settings(max_examples=25)
@given(data=st.data())
def test_comparison_reports_result_or_reason_for_any_ratings(
    random_ratings: RandomRatings, data: st.DataObject
) -> None:
    r = data.draw(random_ratings)
    for result in (found := compare_ordinal(r.value, r.is_treated, **r.clusters)).effect, found.mean_difference:
        assert result.reason or result.interval or result.interval_reason
        assert result.n_ratings == np.isfinite(r.value).sum()
