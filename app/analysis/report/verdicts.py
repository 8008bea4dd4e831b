"""The verdict of each comparison: the only place that decides whether a difference is clear or a margin is met."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from app.analysis.estimate import Estimate, Verdict
from app.analysis.statistic import declared

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
