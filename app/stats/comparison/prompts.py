"""The mean of a judge's values over several prompts, for new items and new prompts, and how far prompts differ.

Items and prompts are crossed, both random, with one value per cell: the mean squares of a two-way layout. The variance
of the mean is (MS prompts + MS items - MS rest) / (number of cells) (Searle, Casella and McCulloch 1992, Variance
Components, 4.3), with the degrees of freedom of Satterthwaite (1946, Biometrics Bull. 2:110). The standard deviation
between prompts has the interval of Williams (1962, Biometrika 49:278) and Tukey (1951, Biometrics 7:33).
"""

from dataclasses import dataclass, replace

import numpy as np
from scipy import special

from app.stats.arrays import Floats
from app.stats.clusters import satterthwaite, t_p_value, t_quantile, upper_limit
from app.stats.result import Interval, Method, Result, undefined

METHOD = Method(words="items and prompts crossed, Satterthwaite t")
SD = Method(words="variance component between prompts, Williams-Tukey interval")
_NO_TWO = "The variation between prompts needs two prompts that share two items."
_SAME = "There is no variation between items or prompts."
_ROUNDING = 1e-12
MIN = 2


@dataclass(frozen=True, slots=True)
class OverPrompts:
    """The mean over prompts and items, and the standard deviation between prompts."""

    mean: Result
    sd: Result


def over_prompts(table: Floats, *, null: float = 0.0, is_share: bool = False, level: float = 0.95) -> OverPrompts:
    """Return the mean of a table and the standard deviation between its columns.

    Args:
        table: the value of each item (rows) with each prompt (columns); items without all values are left out.
        null: the value that the p-value of the mean tests against. The p-value of the standard deviation tests zero.
        is_share: whether the interval of the mean is on the logit scale.
        level: confidence level.
    """
    whole = table[np.isfinite(table).all(axis=1)]
    n, k = whole.shape
    counts = {"n_items": n, "n_raters": k, "n_units": n, "n_ratings": n * k}
    if min(n, k) < MIN:
        nothing = undefined("no_pairable_units", _NO_TWO, method=METHOD, **counts)
        return OverPrompts(nothing, replace(nothing, method=SD))
    centre = float(whole.mean())
    by_item, by_prompt = whole.mean(axis=1) - centre, whole.mean(axis=0) - centre
    rest = whole - centre - by_item[:, None] - by_prompt
    df_rest = (n - 1) * (k - 1)
    items, prompts = k * float(by_item @ by_item) / (n - 1), n * float(by_prompt @ by_prompt) / (k - 1)
    left = float((rest**2).sum()) / df_rest
    bare = Result(centre, METHOD).with_counts(**counts)
    spread = Result(max(prompts - left, 0.0) ** 0.5 / n**0.5, SD).with_counts(**counts)
    tiny = (_ROUNDING * float(np.abs(whole).max())) ** 2
    items, prompts, left = (0.0 if one <= tiny else one for one in (items, prompts, left))
    if max(items, prompts) == 0:
        same = {"interval_reason": "no_variation", "note": _SAME}
        return OverPrompts(replace(bare, **same), replace(spread, **same))  # type: ignore[arg-type]  # names of fields
    between = max(prompts - left, 0.0)
    error = ((items + between) / (n * k)) ** 0.5
    # with few prompts the estimate of their variance is often far too low: its limit decides about degrees of freedom
    likely = max(upper_limit(prompts, k - 1) - left, 0.0)
    share = likely / (items + likely)
    df = satterthwaite((share, k - 1), (1 - share, n - 1))
    return OverPrompts(
        _with_interval(bare, error, df, null, level, is_share=is_share),
        _with_spread_interval(spread, prompts, left, n, k, level),
    )


def _with_interval(bare: Result, error: float, df: float, null: float, level: float, *, is_share: bool) -> Result:
    centre = bare.estimate or 0.0
    if is_share and not 0 < centre < 1:
        return replace(bare, interval_reason="no_variation", note=_SAME)

    def scaled(value: float) -> float:
        return float(special.logit(value)) if is_share else value

    own = error / (centre * (1 - centre)) if is_share else error
    reach = t_quantile(df, level) * own
    ends = (scaled(centre) - reach, scaled(centre) + reach)
    low, high = (float(special.expit(end)) if is_share else end for end in ends)
    interval = Interval(low, high, METHOD, level, inference="items_and_prompts")
    p_value = t_p_value((scaled(centre) - scaled(null)) / own, df)
    return replace(bare, interval=interval, standard_error=error, df=df, p_value=p_value)


def _with_spread_interval(spread: Result, prompts: float, left: float, n: int, k: int, level: float) -> Result:
    df, df_rest = k - 1, (n - 1) * (k - 1)
    tails = (1 + level) / 2, (1 - level) / 2
    ratio = left / prompts if prompts else np.inf
    # the quantiles of chi-square; scipy.special has no function of that name
    chi_squares = (2 * special.gammaincinv(df / 2, tail) for tail in tails)
    shares = (1 - ratio * special.fdtri(df, df_rest, tail) for tail in tails)
    low, high = (
        max(0.0, df * prompts / n / chi_square * share) ** 0.5 if prompts else 0.0
        for chi_square, share in zip(chi_squares, shares, strict=True)
    )
    interval = Interval(float(low), float(max(high, spread.estimate or 0.0)), SD, level, inference="items_and_prompts")
    p_value = float(special.fdtrc(df, df_rest, 1 / ratio)) if ratio > 0 else 0.0
    return replace(spread, interval=interval, p_value=p_value)
