"""Units with the most disagreement, rater pairs, agreement per condition, and records that are not split."""

import pytest

from app.analysis import analyze
from app.analysis.report.report import Report
from tests.kit.frames import CHOICE, FIVE, Row, find, first, frames, only, protocol


def _rows(n_raters: int = 4, n_items: int = 12) -> list[Row]:
    """Return equal ratings, but two 1s and two 5s on item i0; the last rater is one point off on odd items."""
    return [
        {
            "rater": f"r{r}",
            "item": f"i{i}",
            "response": f"i{i}:human",
            "question": "empathy",
            "value": (1 if r < n_raters / 2 else 5) if i == 0 else 1 + i % 4 + (r == n_raters - 1 and i % 2),
            "condition": "label=true" if i < n_items / 2 else "label=none",
        }
        for r in range(n_raters)
        for i in range(n_items)
    ]


def _report(rows: list[Row]) -> Report:
    study = protocol(FIVE)
    return analyze(frames(study, rows), study)


def test_split_unit_comes_first() -> None:
    report = _report(_rows())
    assert only(report, "split_share").estimate == pytest.approx(1 / 12)
    worst = find(report, "unit_disagreement")
    assert len(worst) == 10
    assert worst[0].scope == {"subgroup": {"response": "i0:human"}}
    assert worst[0].note == "4 ratings, split opinions"
    assert [estimate.estimate for estimate in worst] == sorted((f.estimate or 0 for f in worst), reverse=True)


def test_pairs_of_one_item_are_named_by_their_sources() -> None:
    """Three sources give an item three pairs; the list had the item three times without a word of which pair."""
    sources = {"human": {"kind": "human"}, "gpt": {"kind": "model"}, "llama": {"kind": "model"}}
    study = protocol(CHOICE, sources=sources, analysis={"reference": "human"})
    pairs = [("human", "gpt"), ("llama", "human"), ("gpt", "llama")]
    rows: list[Row] = [
        {
            "rater": f"r{r}",
            "item": f"i{i}",
            "question": "preference",
            "value": f"i{i}:{pair[(r + i) % 2]}",
            "left_response": f"i{i}:{pair[0]}",
            "right_response": f"i{i}:{pair[1]}",
        }
        for i in range(2)
        for pair in pairs
        for r in range(3)
    ]
    scopes = [one.scope for one in find(analyze(frames(study, rows), study), "unit_disagreement")]
    named = {(one["subgroup"]["item"], one["source"], one["reference"]) for one in scopes}
    between = [("gpt", "human"), ("llama", "human"), ("gpt", "llama")]
    assert named == {(item, *pair) for item in ("i0", "i1") for pair in between}
    assert len(scopes) == len(named)


def test_median_pair_kappa_matches_cohen_kappa_matrix() -> None:
    report = _report(_rows())
    kappas = sorted(estimate.estimate or 0 for estimate in find(report, "cohen_kappa_quadratic"))
    middle = only(report, "pair_kappa_median")
    assert middle.estimate == pytest.approx((kappas[2] + kappas[3]) / 2)
    assert middle.note == f"6 pairs of raters, from {kappas[0]:.3f} to {kappas[-1]:.3f}"
    pair = only(report, "cohen_kappa_quadratic", scope={"raters": ["r0", "r3"]})
    assert middle.detail["cells"]["r0", "r3"] == (pytest.approx(pair.estimate), 12)


def test_omitted_rater_pairs_are_counted_in_note() -> None:
    few, many = _report(_rows(10)), _report(_rows(11))
    assert {f.note for f in find(few, "cohen_kappa_quadratic")} == {""}
    notes = {f.note for f in find(many, "cohen_kappa_quadratic")}
    assert notes == {"45 of 55 pairs are shown: those that share most"}


def test_agreement_per_condition_uses_only_its_answers() -> None:
    report = _report(_rows())
    alone = _report([row for row in _rows() if row["condition"] == "label=true"])
    found = first(report, "krippendorff_alpha_ordinal", scope={"condition": "label=true"})
    expected = first(alone, "krippendorff_alpha_ordinal", scope={})
    assert (found.estimate, found.ci_low, found.n_ratings) == (expected.estimate, expected.ci_low, 24)
    assert first(report, "percent_agreement", scope={"condition": "label=none"}).n_ratings == 24


def test_response_rated_in_both_conditions_counts_in_both() -> None:
    both = [{**row, "condition": name} for row in _rows() for name in ("label=true", "label=none")]
    report = _report(both)
    for name in ("label=true", "label=none"):
        estimate = first(report, "percent_agreement", scope={"condition": name})
        assert (estimate.n_ratings, estimate.n_pairable_units) == (48, 12)


def test_attribute_with_too_many_values_is_reported_as_not_split() -> None:
    study = protocol(FIVE, CHOICE)
    data = frames(study, _rows(n_items=39))
    data.items["topic"] = [f"topic {k % 13}" for k in range(39)]
    data.items["name"] = [f"name {k}" for k in range(39)]
    report = analyze(data, study)
    left_out = [estimate for estimate in report.of("subgroup") if estimate.reason == "not_run"]
    assert [(f.measured, f.statistic, f.scope) for f in left_out] == [
        ("empathy", "mean_difference", {"covariate": "topic"}),
        ("preference", "share_preferred", {"covariate": "topic"}),
    ]
    assert left_out[0].note == "13 values are too many to split by"


def test_large_study_reports_attributes_not_split(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.analysis.sections.study_data.MAX_RATINGS", 40)
    study = protocol(FIVE)
    data = frames(study, _rows())
    data.items["emotion"] = ["sad", "glad"] * 6
    estimate = only(analyze(data, study), "mean_difference", scope={"covariate": "emotion"})
    assert (estimate.reason, estimate.note) == ("not_run", "left out above 20,000 ratings; run with --full")
    assert not find(analyze(data, study, full=True), "mean_difference", scope={"covariate": "emotion"})


def test_ties_are_no_opinion_of_the_other_side() -> None:
    """Every item of a study with ties had split opinions: two ties beside eighteen choices were enough."""
    study = protocol({**CHOICE, "tie": True})
    said = {"i0": ("model", "model", "tie", "tie"), "i1": ("model", "model", "human", "human")}
    rows: list[Row] = [
        {"rater": f"r{r}", "item": item, "question": "preference", "value": value}
        for item, values in said.items()
        for r, value in enumerate(values)
    ]
    assert only(analyze(frames(study, rows), study), "split_share").estimate == 0.5
