"""Equivalence and non-inferiority of two sources, with a margin declared in advance."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from scipy import special

from app.stats.core.clusters import t_quantile

if TYPE_CHECKING:
    from app.stats.core.result import Result


def equivalence(difference: Result, margin: float, *, alpha: float = 0.05) -> Result:
    """Run two one-sided t tests (Schuirmann 1987): equivalent if the 1 - 2 alpha interval lies within +-margin.

    Args:
        difference: difference of two means, with standard error and df, such as from `mean_difference`.
        margin: largest difference that is considered irrelevant, above 0, in scale points.
        alpha: level of each of the two tests.

    Returns:
        The difference with its 1 - 2 alpha interval; p is the larger of the two one-sided p-values. Without a standard
        error there is no test, and the reason for the missing interval is kept.

    Raises:
        ValueError: the margin is not above 0.
    """
    return _against(difference, margin, alpha, is_two_sided=True)


def non_inferiority(difference: Result, margin: float, *, alpha: float = 0.05) -> Result:
    """Run a one-sided t test that the source is not worse than its reference by `margin` or more; as `equivalence`.

    Non-inferior if the lower limit of the 1 - 2 alpha interval is above -margin.
    """
    return _against(difference, margin, alpha, is_two_sided=False)


def _against(difference: Result, margin: float, alpha: float, *, is_two_sided: bool) -> Result:
    if not margin > 0:
        raise ValueError("a margin is above 0")
    estimate, error, df, interval = difference.estimate, difference.standard_error, difference.df, difference.interval
    if estimate is None or error is None or df is None or interval is None:
        return replace(difference, p_value=None)
    p_value = float(special.stdtr(df, -(estimate + margin) / error))
    if is_two_sided:
        p_value = max(p_value, float(special.stdtr(df, (estimate - margin) / error)))
    reach = t_quantile(df, 1 - 2 * alpha) * error
    kind = f"equivalence within {margin:g}" if is_two_sided else f"not worse by {margin:g}"
    return replace(
        difference,
        method=f"{interval.method}: {kind}",
        interval=replace(interval, low=estimate - reach, high=estimate + reach, level=1 - 2 * alpha),
        p_value=p_value,
    )
