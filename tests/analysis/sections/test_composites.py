"""Composites as declared in the protocol, and whether two questions measure different things."""

from typing import Any

import numpy as np
import pytest

from app.analysis import analyze
from app.analysis.report.report import Report
from app.protocol.composite import composite_score
from tests.kit.frames import FIVE, Row, find, first, frames, only, protocol

WARM = {**FIVE, "key": "warm"}
COLD = {**FIVE, "key": "cold", "reversed": True}
APT = {**FIVE, "key": "apt"}
KEYS = ("warm", "cold", "apt")
HUMAN = {"source": "human"}


def _rows(seed: int = 5, n_raters: int = 4, n_items: int = 6) -> list[Row]:
    rng = np.random.default_rng(seed)
    return [
        {
            "rater": f"r{r}",
            "item": f"i{i}",
            "response": f"i{i}:{source}",
            "question": key,
            "value": int(rng.integers(1, 6)),
        }
        for r in range(n_raters)
        for i in range(n_items)
        for source in ("human", "model")
        for key in KEYS
        if rng.random() < 0.8
    ]


@pytest.mark.parametrize(
    "declared", [{"questions": list(KEYS)}, {"questions": list(KEYS), "score": "sum", "at_least": 2}]
)
def test_composite_score_matches_protocol_definition(declared: dict[str, Any]) -> None:
    study = protocol(WARM, COLD, APT, analysis={"composites": {"kind": declared}})
    rows = _rows()
    questions = {question.key: question for question in study.scaled_questions}
    answered: dict[tuple[str, str], dict[str, float]] = {}
    for row in rows:
        answered.setdefault((row["rater"], row["response"]), {})[row["question"]] = row["value"]
    scores = [
        score
        for (_, response), values in answered.items()
        if response.endswith(":human")
        and (score := composite_score(study.analysis.composites["kind"], questions, values)) is not None
    ]
    report = analyze(frames(study, rows), study)
    estimate = only(report, "mean", question="kind", scope=HUMAN)
    assert estimate.estimate == pytest.approx(float(np.mean(scores)))
    assert estimate.n_ratings == len(scores)


def test_composite_has_difference_and_alpha_but_no_kappa() -> None:
    study = protocol(WARM, COLD, APT, analysis={"composites": {"kind": list(KEYS)}})
    report = analyze(frames(study, _rows()), study)
    assert first(report, "mean_difference", question="kind").estimate is not None
    assert first(report, "krippendorff_alpha_interval", question="kind", scope={}).estimate is not None
    assert only(report, "icc_a_k", question="kind", scope={}).estimate is not None
    of_kind = {estimate.statistic for estimate in report.of("agreement", "kind")}
    assert not {"fleiss_kappa", "gwet_ac1", "cohen_kappa_quadratic"} & of_kind


def test_identical_questions_have_cronbach_alpha_1() -> None:
    study = protocol(WARM, COLD, APT, analysis={"composites": {"kind": list(KEYS)}})
    rows = [
        {
            "rater": f"r{r}",
            "item": f"i{i}",
            "response": f"i{i}:human",
            "question": key,
            "value": 6 - value if key == "cold" else value,
        }
        for r in range(3)
        for i in range(5)
        for value in [1 + (r + i) % 5]
        for key in KEYS
    ]
    report = analyze(frames(study, rows), study)
    assert only(report, "cronbach_alpha").estimate == pytest.approx(1)
    assert len(find(report, "cronbach_alpha_without")) == len(find(report, "item_rest_correlation")) == 3
    correlation = only(report, "correlation", question="warm", scope={"covariate": "cold"})
    assert correlation.estimate == pytest.approx(-1)


def test_composite_of_rater_questions_is_a_questionnaire_score() -> None:
    own = [{**FIVE, "key": key, "target": "rater"} for key in ("glad", "calm")]
    study = protocol(*own, analysis={"composites": {"mood": ["glad", "calm"]}})
    rows = [{"rater": f"r{r}", "question": key, "value": 1 + r} for r in range(4) for key in ("glad", "calm")]
    report = analyze(frames(study, rows), study)
    assert only(report, "mean", section="distribution", question="mood").estimate == pytest.approx(2.5)
    assert only(report, "cronbach_alpha").n_raters == 4
    assert not report.of("agreement") + report.of("dimension")


def test_questions_never_answered_together_have_no_correlation() -> None:
    study = protocol(WARM, APT)
    rows = [{**row, "item": row["item"] + row["question"], "response": None} for row in _rows()]
    for row in rows:
        row["response"] = f"{row['item']}:human"
    report = analyze(frames(study, [row for row in rows if row["question"] != "cold"]), study)
    assert not report.of("dimension")


SIX = tuple(f"q{n}" for n in range(6))


def _of_factors(factors: int | None, rows: list[dict[str, object]], **composite: object) -> Report:
    asked = [{**FIVE, "key": key} for key in SIX]
    study = protocol(
        *asked, analysis={"composites": {"care": {"questions": list(SIX), "factors": factors, **composite}}}
    )
    return analyze(frames(study, rows), study)


def _two_factors(noise: float) -> list[Row]:
    rng = np.random.default_rng(2)
    found: list[Row] = []
    for item in range(20):
        for rater in range(4):
            of = rng.normal(0, 1.2, 2)
            for n, key in enumerate(SIX):
                value = int(np.clip(round(3 + of[n // 3] + rng.normal(0, noise)), 1, 5))
                at = {"rater": f"r{rater}", "item": f"i{item}", "response": f"i{item}:human"}
                found.append({**at, "question": key, "value": value})
    return found


def test_factors_of_a_composite_are_found_with_their_questions() -> None:
    report = _of_factors(0, _two_factors(0.6))
    number = only(report, "n_factors")
    assert number.estimate == 2
    assert "In lavaan: F1 =~ " in number.note
    assert "loadings" not in number.note
    declared = only(_of_factors(1, _two_factors(0.6)), "n_factors")
    assert (declared.estimate, declared.note[:41]) == (2, "The loadings are those of one factor. In ")
    assert "Correlations of factors 1 and 2" in number.note
    assert "q0 + q1 + q2" in number.note
    loadings = np.array(
        [[only(report, f"factor_loading_{m}", scope={"covariate": key}).estimate for m in (1, 2)] for key in SIX]
    )
    assert set(np.abs(loadings).argmax(axis=1)[:3]) != set(np.abs(loadings).argmax(axis=1)[3:])
    assert np.abs(loadings).max(axis=1).min() > 0.6
    shown = only(report, "factor_loading_1", scope={"covariate": "q0"})
    assert (shown.ci_low or 9) < (shown.estimate or 9) < (shown.ci_high or 0)
    assert not find(report, "factor_loading_3")
    assert 0 < (only(report, "unique_variance", scope={"covariate": "q0"}).estimate or 0) < 0.6


def test_intervals_of_loadings_of_questions_about_the_rater_are_for_new_raters() -> None:
    asked = [{**FIVE, "key": key, "target": "rater"} for key in SIX]
    study = protocol(*asked, analysis={"composites": {"care": {"questions": list(SIX), "factors": 1}}})
    rows = [
        {**row, "rater": f"{row['rater']}{row['item']}", "item": None, "response": None} for row in _two_factors(0.6)
    ]
    loading = only(analyze(frames(study, rows), study), "factor_loading_1", scope={"covariate": "q0"})
    assert (loading.inference, loading.procedure) == ("raters", "bootstrap_units")


def test_unrelated_few_or_unasked_questions_have_no_loadings() -> None:
    rows = _two_factors(0.6)
    assert not find(_of_factors(None, rows), "n_factors")
    few = only(_of_factors(1, rows[:36]), "n_factors")
    assert (few.estimate, few.reason) == (None, "too_few")
    rng = np.random.default_rng(4)
    noise = _of_factors(0, [{**row, "value": int(rng.integers(1, 6))} for row in rows])
    assert only(noise, "n_factors").estimate == 0
    assert "finds no factor" in only(noise, "n_factors").note
    assert not find(noise, "factor_loading_1")
    with pytest.raises(ValueError, match="factors must be so few"):
        _of_factors(4, rows)


def test_a_heywood_case_and_missing_intervals_are_said() -> None:
    """Two questions have all but the same answers, so that three factors leave no variance to one of them."""
    rows = _two_factors(0.6)
    values = {(row["rater"], row["item"]): row["value"] for row in rows if row["question"] == "q0"}
    same = [
        {**row, "value": values[row["rater"], row["item"]]} if row["question"] == "q1" and row["item"] != "i3" else row
        for row in rows
    ]
    note = only(_of_factors(3, same, rotation="varimax"), "n_factors").note
    assert "Improper solution (Heywood case): no variance is left to Q1 and Q2; try fewer factors. In lavaan" in note
