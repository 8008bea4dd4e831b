"""The verdict of each comparison: the only place that decides whether a difference is clear or a margin is met."""

from collections.abc import Iterable
from dataclasses import replace

from app.analysis.estimate import Estimate, Verdict
from app.analysis.statistic import Margin, declared
from app.analysis.wording.formatting import TOO_FEW, inconclusive_text

ALPHA = 0.05


def with_verdicts(estimates: Iterable[Estimate]) -> list[Estimate]:
    """Return the estimates with their verdicts; p-values are adjusted already."""
    verdicts = ((one, verdict_of(one)) for one in estimates)
    return [one if verdict is None else replace(one, verdict=verdict) for one, verdict in verdicts]


def verdict_of(estimate: Estimate) -> Verdict | None:
    """Return the verdict by the decisive p-value; by the interval if nothing was tested; None if nothing is compared.

    The margin tests are met, and differences clear, if that p-value is below 5%. An interval is decisive only for
    comparisons without a test, such as ratios with a bootstrap interval: clear if it excludes no difference.
    """
    if estimate.estimate is None:
        return None
    p = decisive_p(estimate)
    margin = declared(estimate.statistic).margin
    if margin is not None:
        return None if p is None else margin.verdict if p < ALPHA else "not_shown"
    excludes = excludes_no_difference(estimate)
    is_clear = excludes if p is None else p < ALPHA
    return None if is_clear is None else "clear" if is_clear else "inconclusive"


def decisive_p(estimate: Estimate) -> float | None:
    """The p-value adjusted for multiple testing; the p-value itself where it is the only one of its family."""
    return estimate.p_value if estimate.p_adjusted is None else estimate.p_adjusted


def excludes_no_difference(estimate: Estimate) -> bool | None:
    """Whether the interval excludes the value that means no difference; None without such a value or an interval."""
    none, low, high = declared(estimate.statistic).no_difference, estimate.ci_low, estimate.ci_high
    return None if none is None or low is None or high is None else not low <= none <= high


def is_undone_by_adjustment(estimate: Estimate) -> bool:
    """Whether the unadjusted p-value is below 5%, and the adjusted one is not."""
    p, adjusted = estimate.p_value, estimate.p_adjusted
    return p is not None and adjusted is not None and p < ALPHA <= adjusted


# Verdicts in words, the same on pages, in documents and on the command line.


UNDESIRABLE = "High values are undesirable on this scale."
SHORT: dict[Verdict, str] = {
    "clear": "clear",
    "inconclusive": "inconclusive",
    "equivalent": "equivalent",
    "non_inferior": "non-inferior",
    "not_shown": "not shown",
}
ADJUSTMENT = "after adjustment for several tests"


def verdict_text(estimate: Estimate) -> str:
    """The verdict in one or two words; empty if nothing is compared."""
    return SHORT[estimate.verdict] if estimate.verdict else ""


def verdict_sentence(estimate: Estimate, shown: Estimate | None = None) -> str:
    """Say how to read a comparison: the result for a margin, or what makes it inconclusive; empty if it is clear.

    Args:
        estimate: the comparison with its verdict.
        shown: the effect whose interval is shown; default: the estimate itself.
    """
    shown = shown or estimate
    if test := declared(estimate.statistic).margin:
        return _of_margin(estimate, test)
    if estimate.verdict == "inconclusive":
        said = _why_inconclusive(estimate, shown)
        return f"{said} {TOO_FEW}" if shown.ci_reason == "too_few" else said
    return TOO_FEW if estimate.verdict is None and _compares(shown) and shown.ci_reason == "too_few" else ""


def _compares(estimate: Estimate) -> bool:
    return "reference" in estimate.scope


def _why_inconclusive(estimate: Estimate, shown: Estimate) -> str:
    if is_undone_by_adjustment(estimate):
        return f"Inconclusive {ADJUSTMENT}."
    if excludes_no_difference(shown) is False:
        return inconclusive_text(shown, declared(shown.statistic).no_difference or 0.0)
    return "Inconclusive."


def _of_margin(estimate: Estimate, test: Margin) -> str:
    if estimate.verdict is None:
        return ""
    if estimate.verdict == test.verdict:
        return f"{test.met}."
    adjusted = f" {ADJUSTMENT}" if is_undone_by_adjustment(estimate) else ""
    return f"{test.not_met}{adjusted}."


# The effects behind test statistics: a t of item means stands for a difference of means.


def effect_behind(estimate: Estimate, among: Iterable[Estimate]) -> Estimate:
    """The number behind a test statistic: a t stands for a difference of means; otherwise the estimate itself."""
    effect = declared(estimate.statistic).effect
    if effect is None:
        return estimate
    same = (
        one
        for one in among
        if (one.measured, one.scope, one.unit) == (estimate.measured, estimate.scope, estimate.unit)
        and one.statistic == effect.statistic
        and effect.procedure in {None, one.procedure}
    )
    return next(same, estimate)
