"""Equivalence and non-inferiority of two sources, with a margin declared in advance."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from scipy import special

from app.stats.clusters import t_quantile
from app.stats.result import Result

Side = Literal["low", "high"]
_WORSE: dict[Side, str] = {"low": "worse", "high": "worse (higher)"}


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
    return _against(difference, margin, alpha, "low", "high")


def non_inferiority(difference: Result, margin: float, *, is_lower_better: bool = False, alpha: float = 0.05) -> Result:
    """Run a one-sided t test that the source is not worse than its reference by `margin` or more; as `equivalence`.

    Non-inferior if the lower limit of the 1 - 2 alpha interval is above -margin. With `is_lower_better`, high
    values are undesirable, and the upper limit must be below the margin.
    """
    return _against(difference, margin, alpha, "high" if is_lower_better else "low")


def _against(difference: Result, margin: float, alpha: float, *sides: Side) -> Result:
    """Test that the difference is above -margin (`low`), below the margin (`high`), or both."""
    if not margin > 0:
        raise ValueError("a margin is above 0")
    estimate, error, df, interval = difference.estimate, difference.standard_error, difference.df, difference.interval
    if estimate is None or error is None or df is None or interval is None:
        return replace(difference, p_value=None)
    beyond = {"low": -(estimate + margin), "high": estimate - margin}
    p_value = max(float(special.stdtr(df, beyond[side] / error)) for side in sides)
    reach = t_quantile(df, 1 - 2 * alpha) * error
    kind = f"equivalence within {margin:g}" if len(sides) > 1 else f"not {_WORSE[sides[0]]} by {margin:g}"
    return replace(
        difference,
        method=interval.method.with_words(f": {kind}"),
        interval=replace(interval, low=estimate - reach, high=estimate + reach, level=1 - 2 * alpha),
        p_value=p_value,
    )
