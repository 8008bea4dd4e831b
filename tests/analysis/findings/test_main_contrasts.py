"""What the summary shows first: the contrasts that the study is about, by the estimates that answer them."""

from dataclasses import replace
from typing import Any

from app.analysis import analyze
from app.analysis.estimate import Estimate, Scope
from app.analysis.findings.main_contrasts import MainContrast, interval_words, main_contrasts
from app.analysis.findings.summary import warnings_of
from app.analysis.report.labelled import labelled
from app.analysis.report.primary import PrimaryResult
from app.analysis.report.report import Report
from app.analysis.report.verdicts import with_verdicts
from app.analysis.wording.formatting import number
from app.protocol.primary import PrimaryContrast
from app.protocol.study import Protocol
from tests.kit.frames import FIVE, frames, protocol

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
    assert interval_words(found.estimate) == f"95% CI {low:.1f} to {high:.1f}".replace("-", "−")


def test_warning_names_the_source_if_there_are_several() -> None:
    report = Report("small", "0" * 64, (), ())
    contrasts = [_at_equal("gpt", 0.52), _at_equal("claude", 0.8)]
    several, one = (next(warnings_of(report, shown)) for shown in (contrasts, contrasts[:1]))
    assert several.startswith("Preference (gpt), adjusted for length: 52.0% (unadjusted 70.0%)")
    assert one == (
        "Preference, adjusted for length: 52.0% (unadjusted 70.0%). "
        "Inconclusive: the 95% CI includes 50% (an even split)."
    )


def test_difference_without_interval_at_equal_length_is_not_overturned() -> None:
    report = Report("small", "0" * 64, (), ())
    untold, clear = _at_equal("gpt", None), _at_equal("claude", 0.8)
    assert not untold.is_overturned
    assert [*warnings_of(report, [untold])] == [
        "Adjusted for length, no interval can be computed for the clear difference."
    ]
    assert [*warnings_of(report, [untold, clear])] == [
        "Adjusted for length, no interval can be computed for 1 of 2 clear differences."
    ]
    assert [*warnings_of(report, [clear])] == ["Adjusted for length, every clear difference stays clear."]


def test_length_is_told_of_primary_contrasts_only() -> None:
    """In a study of shown labels the difference between the sources is exploratory: it is not this study's answer."""
    clear = _at_equal("claude", 0.8)
    other = PrimaryResult(PrimaryContrast(question="preference", test="factor_effect", factor="label"), True, ())
    report = Report("small", "0" * 64, (), (), (other,))
    assert [*warnings_of(report, [clear])] == []
    assert [*warnings_of(report, [replace(clear, primary=clear.estimate)])] == [
        "Adjusted for length, every clear difference stays clear."
    ]


def _at_equal(source: str, value: float | None) -> MainContrast:
    """A contrast that is clear as observed; at equal length with this value, or without an interval."""
    scope: Scope = {"source": source, "reference": "human"}
    observed = Estimate("choice", "preference", scope, "share_preferred", 0.7, 0.6, 0.8)
    ends = (None, None) if value is None else (value - 0.1, value + 0.1)
    other = Estimate("choice", "preference", scope, "share_preferred_at_equal", value or 0.1, *ends)
    observed, other = with_verdicts([observed, other])
    return MainContrast("preference", "Preference", "Which one?", observed, other, None)


def test_difference_has_the_digits_of_tables() -> None:
    """0.435 as two ways to compute it give it: their last binary digits differ, and `round` gives 0.43 and 0.44."""
    scope: Scope = {"source": "GPT", "reference": "Person"}
    for value in (0.435, 0.43500000000000005):
        estimate = Estimate("comparison", "empathy", scope, "mean_difference", value)
        shown = MainContrast("empathy", "Empathy", "", estimate, None, None)
        assert shown.effect == f"GPT +{number(value, 'points')} points" == "GPT +0.43 points"
    none = Estimate("comparison", "empathy", scope, "mean_difference", -0.001)
    assert MainContrast("empathy", "Empathy", "", none, None, None).effect == "GPT 0.00 points"
    code = Estimate("contrast", "kind", scope, "category_difference", -0.0205, -0.5, 0.25)
    assert MainContrast("kind", "Kind", "", code, None, None).effect == "GPT −2.0 percentage points"
    assert interval_words(code) == "95% CI −50.0 to 25.0"
