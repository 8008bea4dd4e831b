"""The contrasts that studies declare, from frames to records: correct numbers and scopes, only where there is data."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from app.analysis import analyze
from app.analysis.data.frames import canonical
from app.analysis.estimate import Estimate
from app.analysis.report.report import Report
from app.analysis.wording.formatting import scope_filter, scope_text
from app.stats.multiplicity import adjusted
from tests.analysis.sections.source_ratings import mean_rating, source_ratings
from tests.kit.frames import FIVE, find, frames, only, protocol

PARTS = ("_contrasts", "_compared", "_codes_given")
THREE = {
    "human": {"kind": "human"},
    "plain": {"kind": "model", "prompt": "short"},
    "prompted": {"kind": "model", "prompt": "long"},
}
HARM = {
    "key": "harm",
    "type": "category",
    "target": "response",
    "text": "What is wrong?",
    "codes": {"none": "Nothing", "mild": "Something", "grave": "Much"},
}
SCORE = {**FIVE, "key": "teq", "target": "rater"}
NOW = {**FIVE, "key": "now", "target": "turn"}


def _contrast(report: Report) -> set[str]:
    return {estimate.statistic for estimate in report.of("contrast")}


def test_three_sources_have_one_pair_without_the_reference() -> None:
    study = protocol(FIVE, sources=THREE, analysis={"cut": {"empathy": 4}})
    rows = source_ratings({"human": 2, "plain": 3, "prompted": 4})
    report = analyze(frames(study, rows), study)
    found = only(report, "mean_difference", section="contrast")
    assert found.scope == {"source": "prompted", "reference": "plain"}
    assert found.estimate == pytest.approx(mean_rating(rows, source="prompted") - mean_rating(rows, source="plain"))
    assert only(report, "t_paired", section="contrast").scope == found.scope
    unpaired = only(report, "t_unpaired", section="contrast")
    own = pd.DataFrame([row for row in rows if row["question"] == "empathy"])
    means = own.groupby([own["response"].str.rpartition(":")[2], "item"])["value"].mean()
    known = stats.ttest_ind(means["prompted"], means["plain"])
    assert (unpaired.scope, unpaired.unit) == (found.scope, "item_mean")
    assert unpaired.estimate == pytest.approx(known.statistic)
    assert unpaired.p_value == pytest.approx(known.pvalue)
    shares = find(report, "share_difference", section="contrast")
    assert [f.scope["cut"] for f in shares] == [4, 4, 4]


def test_each_difference_has_one_record_and_one_adjusted_p() -> None:
    """The t test of another pair is in one family with those against the reference, of both questions."""
    second = {**FIVE, "key": "warmth"}
    study = protocol(FIVE, second, sources=THREE)
    rows = source_ratings({"human": 2, "plain": 3, "prompted": 4})
    report = analyze(frames(study, rows + [{**row, "question": "warmth"} for row in rows]), study)
    kinds = [
        (f.question, frozenset(f.scope.items()), f.statistic, f.unit, f.method, f.ci_level)
        for f in report.estimates
        if f.p_value is not None and {"source", "reference"} <= f.scope.keys()
    ]
    assert len(set(kinds)) == len(kinds)
    tests = find(report, "t_paired")
    assert len(tests) == 6
    known = adjusted([f.p_value for f in tests], "benjamini_hochberg")
    assert [f.p_adjusted for f in tests] == pytest.approx(known)


def test_two_sources_have_no_additional_pairs() -> None:
    study = protocol(FIVE)
    report = analyze(frames(study, source_ratings({"human": 2, "model": 3})), study)
    assert not find(report, "mean_difference", section="contrast")


def test_percent_change_is_reported_for_means_and_shares() -> None:
    study = protocol(FIVE, analysis={"cut": {"empathy": 3}})
    rows = source_ratings({"human": 2, "model": 3})
    report = analyze(frames(study, rows), study)
    of_mean, of_share = find(report, "percent_change")
    assert of_mean.estimate == pytest.approx(
        100 * (mean_rating(rows, source="model") / mean_rating(rows, source="human") - 1)
    )
    assert of_share.scope == {"source": "model", "reference": "human", "cut": 3}


def test_between_rater_factor_has_overall_and_per_source_effect() -> None:
    told = {"told": {"kind": "instruction", "levels": {"nothing": "Read it.", "truth": "A model wrote one."}}}
    study = protocol(FIVE, conditions=told)
    rows = source_ratings({"human": 3, "model": 3})
    for row in rows:
        is_told = int(row["rater"][1]) % 2
        row["condition"] = f"told={'truth' if is_told else 'nothing'}"
        row["value"] += is_told and row["response"].endswith("model") and row["value"] < 5
    report = analyze(frames(study, rows), study)
    whole, human, model = find(report, "factor_effect")
    assert whole.scope == {"factor": "told", "level": "truth", "reference_level": "nothing"}
    assert (human.scope["source"], model.scope["source"]) == ("human", "model")
    told_mean, plain = (mean_rating(rows, condition=f"told={level}", source="model") for level in ("truth", "nothing"))
    assert model.estimate == pytest.approx(told_mean - plain)
    assert model.method.startswith("two_way_cluster_t")
    assert "only 3 raters" in model.note
    assert scope_text(model.scope) == "model, told: truth − nothing"
    assert scope_filter(model.scope) == ["source = model", "told in (truth, nothing)"]


def test_factor_with_one_level_is_not_compared() -> None:
    study = protocol(FIVE)
    report = analyze(frames(study, source_ratings({"human": 3, "model": 3}, condition="told=nothing")), study)
    assert not find(report, "factor_effect")


def test_crossed_condition_is_compared_by_factor() -> None:
    study = protocol(FIVE)
    rows = source_ratings({"human": 3, "model": 3})
    for row in rows:
        told, shown = (("no", "yes")[int(row["rater"][1]) // 2**k % 2] for k in (0, 1))
        row["condition"] = f"told={told}; shown={shown}"
    report = analyze(frames(study, rows), study)
    assert {f.scope["factor"] for f in find(report, "factor_effect")} == {"told", "shown"}


def test_source_attribute_is_compared_when_it_groups_sources() -> None:
    sources = {
        "human": {"kind": "human"},
        "a": {"kind": "model", "family": "gpt", "name": "a", "tags": ["x"]},
        "b": {"kind": "model", "family": "gpt", "name": "b"},
        "c": {"kind": "model", "family": "llama", "name": "c"},
    }
    study = protocol(FIVE, sources=sources)
    rows = source_ratings({"human": 2, "a": 3, "b": 4, "c": 2})
    effect = only(analyze(frames(study, rows), study), "attribute_effect")
    assert effect.scope == {"attribute": "family", "level": "llama", "reference_level": "gpt"}
    of_gpt = (mean_rating(rows, source="a") + mean_rating(rows, source="b")) / 2
    assert effect.estimate == pytest.approx(mean_rating(rows, source="c") - of_gpt)
    assert effect.note.startswith("For these 3 sources only.")


def test_declared_reference_level_of_an_attribute_is_the_one_compared_with() -> None:
    sources = {
        "human": {"kind": "human"},
        "a": {"kind": "model", "guided": True},
        "b": {"kind": "model", "guided": False},
        "c": {"kind": "model", "guided": True},
    }
    rows = source_ratings({"human": 2, "a": 3, "b": 4, "c": 2})

    def effect(**attributes: object) -> Estimate:
        study = protocol(FIVE, sources=sources, attributes=attributes)
        return only(analyze(frames(study, rows), study), "attribute_effect")

    plain, turned = effect(), effect(guided={"reference_level": False})
    assert plain.scope == {"attribute": "guided", "level": "False", "reference_level": "True"}
    assert turned.scope == {"attribute": "guided", "level": "True", "reference_level": "False"}
    assert turned.estimate == pytest.approx(-(plain.estimate or 0))


def test_declared_reference_level_of_a_factor_is_the_one_compared_with() -> None:
    told = {"kind": "instruction", "levels": {"nothing": "Read.", "truth": "A model wrote this."}}
    rows = source_ratings({"human": 2, "model": 3})
    for row in rows:
        row["condition"] = f"told={('nothing', 'truth')[int(row['rater'][1]) % 2]}"
    found = {}
    for reference in (None, "truth"):
        study = protocol(FIVE, conditions={"told": {**told, "reference_level": reference}})
        (whole,) = find(analyze(frames(study, rows), study), "factor_effect", question="empathy")[:1]
        found[reference] = whole
    assert found["truth"].scope == {"factor": "told", "level": "nothing", "reference_level": "truth"}
    assert found["truth"].estimate == pytest.approx(-(found[None].estimate or 0))


def test_codes_are_compared_between_sources() -> None:
    study = protocol(HARM)
    rng, codes = np.random.default_rng(2), ("none", "mild", "grave")
    rows = [
        {**row, "question": "harm", "value": codes[int(rng.integers(0, 2 + (row["value"] > 3)))]}
        for row in source_ratings({"human": 2, "model": 5})
    ]
    report = analyze(frames(study, rows), study)
    gap = only(report, "category_difference", scope={"category": "grave", "source": "model", "reference": "human"})
    shares = {f.scope["source"]: f.estimate or 0 for f in find(report, "code_share", question="harm=grave")}
    assert gap.estimate == pytest.approx(shares["model"] - shares["human"])
    assert len(find(report, "cochran_q")) == 3
    assert only(report, "stuart_maxwell").n_units == 36


def test_codes_of_single_source_are_not_compared() -> None:
    study = protocol({**HARM, "multiple": True}, sources={"human": {"kind": "human"}})
    rows = [{**row, "question": "harm", "value": "none"} for row in source_ratings({"human": 2})]
    assert "category_difference" not in _contrast(analyze(frames(study, rows), study))


def test_multiple_codes_have_no_marginal_test() -> None:
    study = protocol({**HARM, "multiple": True})
    rows = [{**row, "question": "harm", "value": "mild"} for row in source_ratings({"human": 2, "model": 5}, n_items=2)]
    found = _contrast(analyze(frames(study, rows), study))
    assert "category_difference" in found
    assert "stuart_maxwell" not in found


def test_pools_are_compared_on_shared_responses() -> None:
    study = protocol(FIVE)
    rows = source_ratings({"human": 2, "model": 4})
    pools = [{"rater": f"r{n}", "pool": "crowd" if n < 4 else "expert"} for n in range(6)]
    report = analyze(frames(study, rows, raters=pools), study)
    gap, together = only(report, "pool_difference"), only(report, "pool_correlation")
    assert gap.scope == {"pool": "expert", "reference_pool": "crowd"}
    expert, crowd = ([r for r in rows if (int(r["rater"][1]) >= 4) == side] for side in (True, False))
    assert gap.estimate == pytest.approx(mean_rating(expert) - mean_rating(crowd))
    assert (gap.n_units, together.n_units, together.unit) == (12, 12, "response")
    assert scope_text(gap.scope) == "pool expert − crowd"
    assert scope_filter(gap.scope) == ["pool in (expert, crowd)"]


@pytest.mark.parametrize(
    ("declared", "directions"),
    [
        ({"pool": "crowd", "reference_pool": "expert"}, [("crowd", "expert")]),
        ({"pool": "expert", "reference_pool": "crowd"}, [("expert", "crowd")]),
        ({"pool": "crowd"}, [("crowd", "expert"), ("crowd", "writer")]),
        ({"reference_pool": "expert"}, [("crowd", "expert"), ("writer", "expert")]),
        ({}, [("expert", "crowd"), ("writer", "crowd"), ("writer", "expert")]),
    ],
)
def test_pool_contrast_has_the_declared_direction(declared: dict[str, str], directions: list[tuple[str, str]]) -> None:
    primary = [{"question": "empathy", "test": "pool_difference", **declared}]
    study = protocol(FIVE, analysis={"primary": primary}, design={"pools": {"crowd": {}, "expert": {}, "writer": {}}})
    rows = source_ratings({"human": 2, "model": 4})
    pools = [{"rater": f"r{n}", "pool": ("crowd", "expert", "writer")[n % 3]} for n in range(6)]
    report = analyze(frames(study, rows, raters=pools), study)
    found = report.primary[0].estimates
    assert [(one.scope["pool"], one.scope["reference_pool"]) for one in found] == directions
    mean = {
        name: mean_rating([row for row in rows if int(row["rater"][1]) % 3 == at])
        for at, name in enumerate(("crowd", "expert", "writer"))
    }
    assert [one.estimate for one in found] == pytest.approx([mean[a] - mean[b] for a, b in directions])
    assert len(find(report, "pool_difference")) == 3


def test_pools_without_shared_responses_are_not_compared() -> None:
    study = protocol(FIVE)
    rows = [row for row in source_ratings({"human": 2, "model": 4}) if (row["rater"] < "r3") == (row["item"] < "i3")]
    pools = [{"rater": f"r{n}", "pool": "crowd" if n < 3 else "expert"} for n in range(6)]
    assert "pool_difference" not in _contrast(analyze(frames(study, rows, raters=pools), study))


def test_shown_label_is_a_factor() -> None:
    study = protocol(FIVE)
    rows = source_ratings({"human": 3, "model": 3})
    for row in rows:
        row["shown_label"] = ("human", "model")[int(row["rater"][1]) % 2]
    effects = find(analyze(frames(study, rows), study), "factor_effect")
    assert {(f.scope["factor"], f.scope["level"]) for f in effects} == {("shown_label", "model")}


def test_rater_score_has_slope_per_source_and_their_difference() -> None:
    study = protocol(FIVE, SCORE)
    rows = source_ratings({"human": 3, "model": 3})
    own = [{"rater": f"r{n}", "question": "teq", "value": n % 5 + 1} for n in range(6)]
    report = analyze(frames(study, [*rows, *own]), study)
    human, gap_or_model, *rest = find(report, "covariate_slope_by_source", question="empathy")
    assert human.scope == {"covariate": "teq", "source": "human"}
    found = {tuple(f.scope): f.estimate for f in (human, gap_or_model, *rest)}
    assert len(rest) == 1
    known = np.polyfit(
        [int(row["rater"][1]) % 5 + 1 for row in rows if row["response"].endswith("human")],
        [row["value"] for row in rows if row["response"].endswith("human")],
        1,
    )[0]
    assert human.estimate == pytest.approx(known)
    assert ("covariate", "source", "reference") in found
    assert len(find(report, "correlation", section="contrast")) == 2


def test_raters_needed_is_reported_per_source_and_overall() -> None:
    study = protocol(FIVE)
    report = analyze(frames(study, source_ratings({"human": 2, "model": 4}, n_items=12)), study)
    needed = find(report, "raters_needed")
    assert [f.scope for f in needed] == [{"source": "human"}, {"source": "model"}, {}]
    phi, g = only(report, "phi_coefficient", scope={}), only(report, "g_coefficient", scope={})
    assert 0 < (phi.estimate or 0) <= (g.estimate or 0) < 1
    assert "phi(6)" in phi.method


def test_raters_with_one_item_each_use_one_way_coefficient() -> None:
    study = protocol(FIVE)
    rows = source_ratings({"human": 2, "model": 4}, n_items=12)
    for row in rows:
        row["rater"] = f"{row['rater']} of {row['item']}"
    report = analyze(frames(study, rows), study)
    assert "one_way(6)" in only(report, "phi_coefficient", scope={"source": "human"}).method
    assert only(report, "g_coefficient", scope={"source": "human"}).reason == "singular"


def test_empty_study_gives_reasons_for_all_contrasts() -> None:
    study = protocol(FIVE, NOW, HARM, SCORE, sources=THREE)
    report = analyze(frames(study, []), study)
    for estimate in report.of("contrast"):
        assert estimate.reason
    assert canonical(frames(study, []).ratings).empty
