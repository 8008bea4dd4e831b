"""Reports show labels to readers; their records keep the keys."""

from dataclasses import replace
from typing import Unpack

from app.analysis.estimate import Estimate, Scope
from app.analysis.report.labelled import labelled_estimate
from app.analysis.wording.formatting import interval_text, scope_text
from app.base.numbers import MINUS
from app.protocol.labels import Labels

LABELS = Labels(
    sources={"gpt4": "GPT-4", "md": "Physician"},
    questions={"warm": "Warmth"},
    pools={"expert": "Experts"},
    attributes={"age": "Age in years"},
    factors={"told": "Told"},
    levels={"told": {"other": "The other person"}},
    codes={"error": {"none": "No error"}},
)


def read(**scope: Unpack[Scope]) -> str:
    return scope_text(labelled_estimate(Estimate("comparison", "warm", scope, "mean", 1.0), LABELS).scope)


def test_scopes_are_shown_with_labels() -> None:
    assert read(source="gpt4", reference="md") == "GPT-4 − Physician"
    assert read(pool="crowd", reference_pool="expert") == f"pool Crowd {MINUS} Experts"
    assert read(pool="expert", condition="told=plain") == "Told: plain, pool Experts"
    assert read(subgroup={"age": "30 or more"}) == "Age in years: 30 or more"
    old = read(attribute="age", level="old", reference_level="young")
    assert old == f"Age in years: old {MINUS} young"


def test_levels_of_a_factor_are_shown_with_labels() -> None:
    assert (
        read(factor="told", level="other", reference_level="self_only") == f"Told: The other person {MINUS} self only"
    )


def test_code_is_shown_with_its_label() -> None:
    found = labelled_estimate(Estimate("category", "error", {"category": "none", "correct": "none"}, "f1", 1.0), LABELS)
    assert found.scope == {"category": "No error", "correct": "No error"}


def test_text_measure_keeps_its_name_and_question_its_label() -> None:
    assert read(covariate="lix") == "readability (LIX, higher is harder)"
    assert read(covariate="warm") == "Warmth"


def test_estimate_record_keeps_keys() -> None:
    estimate = Estimate("comparison", "warm", {"source": "gpt4"}, "mean", 1.0)
    labelled_estimate(estimate, LABELS)
    assert estimate.as_record()["scope"] == {"source": "gpt4"}


def test_an_interval_without_information_is_not_shown() -> None:
    """A share between 1.1% and 95.8% says only that it is a share; the range of points is that of the question."""
    share = Estimate("choice", "q", {}, "share_preferred", 0.53, 0.011, 0.958, 0.95, "items_and_raters")
    share = replace(share, interval_warnings=("With only 2 raters, an interval for new raters is very wide.",))
    shown = labelled_estimate(share, Labels())
    assert shown.interval_warnings == ()
    assert (shown.ci_low, shown.ci_high, shown.ci_reason) == (None, None, "too_few")
    assert interval_text(shown) == "no interval: too few items or raters to tell"
    narrower = replace(share, ci_low=0.1)
    assert labelled_estimate(narrower, Labels()) == narrower
    points = replace(share, statistic="mean_difference", ci_low=-4.0, ci_high=4.0)
    assert labelled_estimate(points, Labels()) == points
