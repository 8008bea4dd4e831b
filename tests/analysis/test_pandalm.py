"""PandaLM test set v1: choices with ties by three raters over five sources; kappas as in its README."""

import pytest

from app.analysis.report.report import Report
from tests.kit.frames import find, first, only


@pytest.mark.parametrize(("first", "second", "kappa"), [(1, 2, 0.852), (1, 3, 0.879), (2, 3, 0.862)])
def test_pandalm_pair_kappas_are_reproduced(pandalm: Report, first: int, second: int, kappa: float) -> None:
    estimate = only(pandalm, "cohen_kappa", scope={"raters": [f"annotator{first}", f"annotator{second}"]})
    assert estimate.estimate == pytest.approx(kappa, abs=0.0006)
    assert "the response within its item" in estimate.method


@pytest.mark.parametrize("statistic", ["fleiss_kappa", "krippendorff_alpha_nominal"])
def test_pandalm_fleiss_kappa_and_alpha_are_reproduced(pandalm: Report, statistic: str) -> None:
    assert first(pandalm, statistic, scope={}).estimate == pytest.approx(0.8642, abs=5e-5)


def test_each_source_is_compared_with_reference_and_with_all(pandalm: Report) -> None:
    headlines = [estimate for estimate in find(pandalm, "share_preferred") if estimate.method.endswith("ties as half")]
    against = [estimate for estimate in headlines if estimate.scope.get("reference") == "bloom-7b"]
    assert len(against) == 4
    assert len([estimate for estimate in headlines if "reference" not in estimate.scope]) == 5
    assert sum(estimate.n_ratings or 0 for estimate in headlines if "reference" not in estimate.scope) == 2 * 2997


def test_ties_count_as_half_or_are_excluded(pandalm: Report) -> None:
    scope = {"source": "llama-7b", "reference": "bloom-7b"}
    half, decisive = find(pandalm, "share_preferred", scope=scope)[:2]
    assert half.estimate is not None
    assert decisive.estimate is not None
    n_ties = (half.n_units or 0) - (decisive.n_units or 0)
    won = decisive.estimate * (decisive.n_units or 0)
    assert half.estimate == pytest.approx((won + n_ties / 2) / (half.n_units or 0))
    assert half.n_ratings == decisive.n_ratings
    assert only(pandalm, "tie_share", scope={}).estimate == pytest.approx(0.1088, abs=5e-5)
