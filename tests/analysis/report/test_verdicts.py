"""One rule says what a comparison shows; page, document, command line, JSON and CSV have its verdict."""

import csv
import io
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from app.analysis import analyze
from app.analysis.estimate import Estimate, Scope
from app.analysis.findings.main_contrasts import main_contrasts
from app.analysis.report.computed_report import with_adjusted_p
from app.analysis.report.labelled import labelled
from app.analysis.report.report_tables import records_csv
from app.analysis.report.sentences import p_words
from app.analysis.report.verdicts import verdict_of, verdict_sentence, verdict_text, with_verdicts
from app.analysis.wording.formatting import p_cell
from tests.kit.frames import FIVE, Row, find, first, frames, protocol
from tests.kit.told import told

AGAINST: Scope = {"source": "model", "reference": "human"}


def harmful(shift: float, n_items: int = 12, n_raters: int = 8) -> list[Row]:
    """Return ratings on a scale from 1 to 5 in which the model is about `shift` points higher."""
    draw = np.random.default_rng(7)
    return [
        {
            "rater": f"r{rater}",
            "item": f"i{item}",
            "response": f"i{item}:{source}",
            "question": "empathy",
            "value": float(np.clip(np.rint(2.2 + shift * (source == "model") + draw.normal(0, 0.7)), 1, 5)),
        }
        for rater in range(n_raters)
        for item in range(n_items)
        for source in ("human", "model")
    ]


@pytest.mark.parametrize(
    ("is_reversed", "shift", "verdict"),
    [
        (True, 1.0, "not_shown"),
        (True, -1.0, "non_inferior"),
        (False, 1.0, "non_inferior"),
        (False, -1.0, "not_shown"),
    ],
)
def test_non_inferiority_tests_the_side_that_is_worse(*, is_reversed: bool, shift: float, verdict: str) -> None:
    study = protocol(
        {**FIVE, "reversed": is_reversed},
        analysis={"margin": {"empathy": 0.3}, "primary": [{"question": "empathy", "test": "non_inferiority"}]},
    )
    report = analyze(frames(study, harmful(shift)), study)
    (primary,) = report.primary[0].estimates
    assert primary.verdict == verdict
    assert primary.as_record()["verdict"] == verdict
    assert ("worse (higher)" in primary.method) is is_reversed
    said = {"not_shown": "not shown to be non-inferior", "non_inferior": "not inferior"}[verdict]
    ((one,),) = told(report, study)
    assert one.said.startswith(f"Model was {said} to Human on Empathy (")
    assert "; margin 0.3; " in one.said


def estimate(statistic: str = "mean_difference", **values: Any) -> Estimate:  # noqa: ANN401 - any field
    return Estimate("comparison", "empathy", AGAINST.copy(), statistic, **{"estimate": 0.4, **values})


def test_margins_are_met_by_adjusted_p_only() -> None:
    five = [
        replace(estimate("non_inferiority", p_value=p, role="primary", ci_low=-0.1, ci_high=0.9), question=f"q{p}")
        for p in (0.0108, 0.011, 0.012, 0.013, 0.02)
    ]
    one, *_ = with_verdicts(with_adjusted_p(five))
    assert one.p_adjusted == pytest.approx(0.054)
    assert one.verdict == "not_shown"
    assert verdict_sentence(one) == "Non-inferiority not shown after adjustment for several tests."
    (alone,) = with_verdicts(with_adjusted_p(five[:1]))
    assert verdict_sentence(alone) == "Non-inferior."


def test_difference_that_adjustment_undoes_is_inconclusive() -> None:
    undone = estimate(p_value=0.03, p_adjusted=0.15, ci_low=0.05, ci_high=0.75, ci_level=0.95, role="primary")
    (undone,) = with_verdicts([undone])
    assert (undone.verdict, verdict_text(undone)) == ("inconclusive", "inconclusive")
    assert p_words(undone) == "p = .030, adjusted p = .150"
    assert verdict_sentence(undone) == "Inconclusive after adjustment for several tests."


@pytest.mark.parametrize(
    ("statistic", "values", "verdict", "sentence"),
    [
        ("mean_difference", {"p_value": 0.01, "ci_low": 0.1, "ci_high": 0.7}, "clear", ""),
        ("mean_difference", {"p_value": 0.2}, "inconclusive", "Inconclusive."),
        (
            "mean_difference",
            {"ci_low": -0.1, "ci_high": 0.9},
            "inconclusive",
            "Inconclusive: the 95% CI includes zero.",
        ),
        (
            "share_preferred",
            {"ci_low": 0.3, "ci_high": 0.6},
            "inconclusive",
            "Inconclusive: the 95% CI includes 50% (an even split).",
        ),
        (
            "share_at_least_ratio",
            {"ci_low": 0.3, "ci_high": 1.6},
            "inconclusive",
            "Inconclusive: the 95% CI includes 1 (no difference).",
        ),
        ("share_at_least_ratio", {"ci_low": 1.3, "ci_high": 1.6}, "clear", ""),
        ("equivalence", {"p_value": 0.01}, "equivalent", "Equivalent."),
        ("equivalence", {"p_value": 0.3}, "not_shown", "Equivalence not shown."),
        ("equivalence", {}, None, ""),
        ("mean_difference", {"estimate": None, "reason": "no_variation", "p_value": 0.3}, None, ""),
        ("mean", {"ci_low": 1.0, "ci_high": 2.0}, None, ""),
        (
            "mean_difference",
            {"ci_reason": "too_few"},
            None,
            "There are too few items or raters to tell whether there is a difference.",
        ),
        (
            "mean_difference",
            {"ci_reason": "too_few", "p_value": 0.9},
            "inconclusive",
            "Inconclusive. There are too few items or raters to tell whether there is a difference.",
        ),
    ],
)
def test_verdict_and_its_sentence(statistic: str, values: dict[str, Any], verdict: str | None, sentence: str) -> None:
    found = estimate(statistic, **values)
    assert verdict_of(found) == verdict
    assert verdict_sentence(replace(found, verdict=verdict)) == sentence


def test_summary_and_files_have_the_verdict_of_the_report() -> None:
    other = {**FIVE, "key": "warmth", "label": "Warmth"}
    study = protocol(FIVE, other, analysis={"primary": ["empathy", "warmth"]})
    rows = harmful(0.25)
    report = analyze(frames(study, [*rows, *({**row, "question": "warmth"} for row in harmful(1.0))]), study)
    verdicts = {one.estimates[0].question: one.estimates[0].verdict for one in report.primary}
    shown = {one.key: one for one in main_contrasts(labelled(report, study.labels), study)}
    assert {key: one.answer.verdict for key, one in shown.items()} == verdicts
    assert {key: one.is_clear for key, one in shown.items()} == {k: v == "clear" for k, v in verdicts.items()}
    lines = list(csv.DictReader(io.StringIO(records_csv(report.estimates))))
    assert [line["verdict"] or None for line in lines] == [one.verdict for one in report.estimates]
    assert first(report, "mean_difference", question="warmth").verdict == "clear"
    assert {one.verdict for one in find(report, "mean")} == {None}


def test_adjusted_p_is_on_every_test_of_a_family_and_on_none_outside_one() -> None:
    pair: Scope = {"source": "model", "reference": "human"}
    one = Estimate("comparison", "a", pair, "mean_difference", 0.5, p_value=0.04, role="exploratory", unit="rating")
    other = replace(one, question="b", p_value=0.06)
    assert [p_cell(each) for each in with_adjusted_p([one, other])] == [".040 (adjusted .060)", ".060 (adjusted .060)"]
    assert [p_cell(each) for each in with_adjusted_p([replace(one, role="primary"), other])] == [".040", ".060"]
