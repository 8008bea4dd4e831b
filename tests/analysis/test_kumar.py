"""Kumar et al. (2025): the kappas of their three experts, and separate results for raters of three kinds."""

import ast
from pathlib import Path

import pytest

from app.analysis.report.report import Report
from tests.kit.frames import find, first, only
from tests.real_data.folder import read_rows

PUBLISHED = "data/kumar2025/annotations/table_kappa.csv"
EXPERTS = {"expert1", "expert2", "expert3"}


def test_kumar_expert_kappas_are_reproduced(kumar: Report, shared: Path) -> None:
    every = read_rows(shared / PUBLISHED)
    published = [row for row in every if set(ast.literal_eval(row["Annotator Pair"])) <= EXPERTS]
    assert len(published) == 63
    for row in published:
        raters = sorted(ast.literal_eval(row["Annotator Pair"]))
        estimates = find(kumar, "cohen_kappa_quadratic", question=row["Dimension"], scope={"raters": raters})
        # the paper weights by the categories that the two raters used; if that differs, it is the last record
        assert estimates[-1].estimate == pytest.approx(float(row["Weighted Cohen's Kappa"]), abs=0.0051), row


def test_declared_and_observed_scales_give_different_kappas(kumar: Report) -> None:
    scope = {"raters": ["expert1", "expert2"]}
    declared, observed = find(kumar, "cohen_kappa_quadratic", question="self_oriented", scope=scope)
    assert declared.estimate == pytest.approx(0.786, abs=0.0006)
    assert observed.estimate == pytest.approx(0.820, abs=0.0006)
    assert "observed categories" in observed.method
    assert "observed" not in declared.method


def test_experts_crowd_and_judges_have_separate_agreement(kumar: Report) -> None:
    scopes = [{}, {"pool": "expert"}, {"pool": "crowd"}, {"rater_kind": "model"}]
    estimates = [first(kumar, "percent_agreement", question="advice_giving", scope=scope) for scope in scopes]
    found = find(kumar, "percent_agreement", question="advice_giving")
    assert [estimate.scope for estimate in found if estimate.method.startswith("jackknife_units")] == scopes
    everyone, expert, crowd, judges = estimates
    assert (expert.n_raters, judges.n_raters) == (3, 3)
    assert everyone.n_ratings == (expert.n_ratings or 0) + (crowd.n_ratings or 0)


def test_judges_are_excluded_from_estimates_about_people(kumar: Report) -> None:
    judges = {"gpt", "claude", "gemini"}
    for estimate in kumar.estimates:
        assert (estimate.scope.get("rater_kind") == "model") == bool(
            judges & set(estimate.scope.get("raters", ()))
        ) or ("raters" not in estimate.scope)
    assert only(kumar, "mean", question="fluency", scope={}).n_raters == 3


def test_expert_pairs_come_first_and_pairs_are_limited(kumar: Report) -> None:
    pairs = [
        f.scope["raters"] for f in find(kumar, "cohen_kappa_quadratic", question="advice_giving") if "raters" in f.scope
    ]
    assert pairs[0] == ["expert1", "expert2"]
    distinct = {tuple(pair) for pair in pairs}
    assert len(distinct) <= 45 + 3
    assert all(set(pair) <= EXPERTS or not EXPERTS & set(pair) for pair in distinct)
