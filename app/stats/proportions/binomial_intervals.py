"""Intervals of a share that count every choice as independent: beside the clustered one, named for what they are."""

from __future__ import annotations

from typing import Literal

from scipy import stats

from app.stats.core.result import Interval, Result, undefined

_METHODS: dict[str, Literal["exact", "wilson", "wilsoncc"]] = {
    "wilson": "wilson",
    "wilson_cc": "wilsoncc",
    "clopper_pearson": "exact",
}


def _binomial(n_successes: int, n: int, method: str, level: float) -> Result:
    if n == 0:
        return undefined("no_pairable_units", "There are no choices.", method=method, n_units=0, n_ratings=0)
    test = stats.binomtest(n_successes, n)
    ends = test.proportion_ci(level, _METHODS[method])
    interval = Interval(max(0.0, float(ends.low)), min(1.0, float(ends.high)), method, level, inference="ratings")
    return Result(n_successes / n, method, interval=interval, p_value=float(test.pvalue), n_units=n, n_ratings=n)


def wilson(n_successes: int, n: int, *, level: float = 0.95) -> Result:
    """Wilson (1927) score interval; p is the exact sign test against one half.

    Only where each item and each rater counts once, or to reproduce a published estimate: clusters are ignored.
    """
    return _binomial(n_successes, n, "wilson", level)


def wilson_cc(n_successes: int, n: int, *, level: float = 0.95) -> Result:
    """Wilson interval with continuity correction, as R's prop.test gives (Newcombe 1998, Stat. Med. 17:857)."""
    return _binomial(n_successes, n, "wilson_cc", level)


def clopper_pearson(n_successes: int, n: int, *, level: float = 0.95) -> Result:
    """Clopper-Pearson (1934) exact interval: never below its level, and never empty at 0 or n."""
    return _binomial(n_successes, n, "clopper_pearson", level)
