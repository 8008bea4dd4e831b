"""What the summary shows first: the contrasts that the study is about, by the estimates that answer them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from app.analysis import analyze
from app.analysis.estimate import Estimate
from app.analysis.findings.main_contrasts import MainContrast, interval_words, main_contrasts
from app.analysis.findings.overturning import warnings_of
from app.analysis.findings.summary import question_words
from app.analysis.report.labelled import labelled
from app.analysis.report.report import Report
from tests.analysis.builders import FIVE, frames, protocol

if TYPE_CHECKING:
    from app.design.protocol.study import Protocol

WARMTH = {**FIVE, "key": "warmth"}
KIND: dict[str, object] = {
    "key": "kind",
    "target": "response",
    "type": "category",
    "text": "Kind?",
    "codes": ["yes", "no"],
}


def _contrasts(*questions: dict[str, object], **parts: Any) -> tuple[list[MainContrast], Protocol]:  # noqa: ANN401 - parts of a protocol
    study = protocol(*questions, **parts)
    rows = [
        {"rater": rater, "item": f"i{n}", "response": f"i{n}:{source}", "question": q["key"], "value": value}
        for q in questions
        for k, rater in enumerate("abcd")
        for n in range(6)
        for source, gain in (("human", 0), ("model", 1))
        if (value := ["yes", "no"][(n * k + gain * (n > 1)) % 2] if q is KIND else 1 + gain + (n + k * n) % 3)
    ]
    return main_contrasts(labelled(analyze(frames(study, rows), study), study.labels), study), study


def test_primary_contrasts_come_first_then_protocol_order() -> None:
    found, _ = _contrasts(FIVE, WARMTH, analysis={"primary": ["warmth"]})
    assert [(one.key, one.primary is not None) for one in found] == [("warmth", True), ("empathy", False)]


def test_t_test_is_shown_as_mean_difference() -> None:
    (found,), _ = _contrasts(FIVE, analysis={"primary": [{"question": "empathy", "test": "t_paired"}]})
    assert found.primary is not None
    assert (found.primary.statistic, found.estimate.statistic) == ("t_paired", "mean_difference")
    assert found.estimate.method.startswith("t_paired")


def test_headline_shows_primary_one_of_two_codes() -> None:
    shown = {
        code: [str(one.estimate.scope["category"]) for one in _contrasts(KIND, analysis=analysis)[0]]
        for code, analysis in (
            ("no", {"primary": [{"question": "kind", "code": "no"}]}),
            ("yes", {"primary": [{"question": "kind", "code": "yes"}]}),
        )
    }
    assert shown == {"no": ["no"], "yes": ["yes"]}


def test_share_difference_interval_is_in_percentage_points() -> None:
    (found,), _ = _contrasts(KIND)
    assert "percentage points" in found.effect
    low, high = (100 * (end or 0.0) for end in (found.estimate.ci_low, found.estimate.ci_high))
    assert interval_words(found.estimate) == f"95% CI {low:+.1f} to {high:+.1f}".replace("-", "−")


def test_study_question_follows_primary_contrasts() -> None:
    found, study = _contrasts(FIVE, WARMTH, analysis={"primary": ["warmth"]})
    assert question_words(study, found) == "How does Model compare with Human on Warmth?"
    found, study = _contrasts(FIVE, WARMTH)
    assert question_words(study, found) == "How does Model compare with Human on Empathy and Warmth?"


def test_warning_names_the_source_if_there_are_several() -> None:
    report = Report("small", "0" * 64, (), ())
    contrasts = [_overturned("gpt"), _overturned("claude", at_equal=0.8)]
    several, one = (next(warnings_of(report, shown)) for shown in (contrasts, contrasts[:1]))
    assert several.startswith("At equal length, Preference (gpt) goes from 70.0% to 52.0% (")
    assert one.startswith("At equal length, Preference goes from 70.0% to 52.0% (")


def _overturned(source: str, at_equal: float = 0.52) -> MainContrast:
    observed, other = (
        Estimate("choice", "preference", {"source": source, "reference": "human"}, statistic, value,
                 ci_low=value - 0.1, ci_high=value + 0.1)
        for statistic, value in (("share_preferred", 0.7), ("share_preferred_at_equal", at_equal))
    )  # fmt: skip
    return MainContrast("preference", "Preference", "Which one?", observed, other, None)
