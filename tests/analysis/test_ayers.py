"""Ayers et al. (2023), JAMA Intern Med 183:589: published estimates, and additional ones from the raw ratings."""

import pytest

from app.analysis.report.report import Report
from app.analysis.report.sentences import published_line
from app.base.problems import Problems
from app.protocol.yaml.study_yaml import read_protocol
from app.results.reproduction.ayers2023 import YAML
from tests.kit.frames import find, first, only

AGAINST = {"source": "chatgpt", "reference": "physician"}


def test_ayers_chatbot_preference_is_78_63_percent(ayers: Report) -> None:
    estimates = find(ayers, "share_preferred", scope=AGAINST)
    assert [estimate.estimate for estimate in estimates] == pytest.approx([460 / 585] * 4)
    assert [estimate.method.partition(":")[0] for estimate in estimates] == [
        "item_cluster_t",
        "wilson",
        "wilson_cc",
        "clopper_pearson",
    ]
    wilson_cc = estimates[2]
    assert wilson_cc.ci_low == pytest.approx(0.7504, abs=5e-5)
    assert wilson_cc.ci_high == pytest.approx(0.8184, abs=5e-5)
    assert (wilson_cc.unit, wilson_cc.n_items, wilson_cc.n_units, wilson_cc.n_raters) == ("choice", 195, 585, 585)


def test_ayers_headline_is_beside_the_one_for_new_items(ayers: Report) -> None:
    """Who gave which rating is not known, so the primary result holds for new items and these raters."""
    study = read_protocol(YAML, Problems())
    assert study is not None
    line = published_line(ayers, study)
    assert (
        "As published. Wilson interval with continuity correction, counting each rating as independent: "
        "Preference 78.6% (p < .001; 95% CI 75.0% to 81.8%; primary result: 95% CI 74.3% to 82.4%). "
    ) in line
    assert line.endswith(" Primary results are for new items rated by these raters.")


@pytest.mark.parametrize(
    ("statistic", "question", "t"),
    [
        ("t_unpaired", "quality", 13.31),
        ("t_unpaired", "empathy", 18.93),
        ("t_paired", "quality", 13.26),
        ("t_paired", "empathy", 20.21),
    ],
)
def test_ayers_t_statistics_are_reproduced(ayers: Report, statistic: str, question: str, t: float) -> None:
    estimate = only(ayers, statistic, question=question, scope=AGAINST)
    assert estimate.estimate == pytest.approx(t, abs=0.005)
    assert (estimate.unit, estimate.n_items, estimate.n_ratings) == ("item_mean", 195, 1170)


@pytest.mark.parametrize(
    ("question", "source", "unit", "share"),
    [
        ("quality", "physician", "item_mean", 0.221),
        ("quality", "chatgpt", "item_mean", 0.785),
        ("empathy", "physician", "item_mean", 0.046),
        ("empathy", "chatgpt", "item_mean", 0.451),
        ("empathy", "physician", "rating", 0.171),
        ("empathy", "chatgpt", "rating", 0.677),
    ],
)
def test_ayers_share_of_good_replies_depends_on_unit(
    ayers: Report, question: str, source: str, unit: str, share: float
) -> None:
    estimate = only(ayers, "share_at_least", question=question, unit=unit, scope={"source": source, "cut": 4.0})
    assert estimate.estimate == pytest.approx(share, abs=0.0006)
    ends = (estimate.ci_low, estimate.estimate, estimate.ci_high)
    assert None not in ends
    assert sorted(ends, key=float) == list(ends)  # type: ignore[arg-type]  # none is None


@pytest.mark.parametrize(("question", "ratio"), [("quality", 3.6), ("empathy", 9.8)])
def test_ayers_share_ratios_are_reproduced(ayers: Report, question: str, ratio: float) -> None:
    estimate = only(ayers, "share_at_least_ratio", question=question, scope={**AGAINST, "cut": 4.0})
    assert estimate.estimate == pytest.approx(ratio, abs=0.05)
    assert estimate.method == "bootstrap_items"


@pytest.mark.parametrize(
    ("scope", "alpha"), [({}, 0.500), ({"source": "physician"}, 0.249), ({"source": "chatgpt"}, 0.264)]
)
def test_ayers_pooled_empathy_alpha_is_twice_alpha_within_source(
    ayers: Report, scope: dict[str, str], alpha: float
) -> None:
    estimate = first(ayers, "krippendorff_alpha_ordinal", question="empathy", scope=scope)
    assert estimate.estimate == pytest.approx(alpha, abs=0.0006)
    assert estimate.unit == "response"


def test_ayers_choice_agreement_uses_chosen_response(ayers: Report) -> None:
    alpha = first(ayers, "krippendorff_alpha_nominal", question="preference", scope={})
    assert alpha.estimate == pytest.approx(0.228, abs=0.0006)
    unanimous = only(ayers, "unanimous_share", question="preference", scope={})
    assert unanimous.estimate == pytest.approx(0.610, abs=0.0006)
    assert (unanimous.n_items, unanimous.n_pairable_units) == (195, 195)


def test_slots_have_no_pairwise_kappa(ayers: Report) -> None:
    for estimate in (*find(ayers, "cohen_kappa_quadratic"), *find(ayers, "cohen_kappa")):
        assert estimate.estimate is None
        assert estimate.reason == "no_pairable_units"


def test_missing_sides_give_a_reason(ayers: Report) -> None:
    estimate = only(ayers, "first_side_share")
    assert (estimate.reason, estimate.note) == (
        "no_pairable_units",
        "not estimable: it is not known which response was on which side",
    )
