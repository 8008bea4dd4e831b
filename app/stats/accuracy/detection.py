"""Source detection: can raters tell who wrote a response, regardless of response bias (signal detection theory)?"""

import numpy as np
from scipy import special

from app.stats.arrays import Bools, Floats, Labels, present
from app.stats.clusters import METHOD, Clusters, clusters, with_two_way_interval, without_interval
from app.stats.result import Result, undefined

_EXTREME = (
    "All or none of the answers to one kind of source were the same: both rates corrected by half an answer, so no "
    "interval."
)


def dprime(said: Floats, is_signal: Bools, *, item: Labels, rater: Labels, level: float = 0.95) -> Result:
    """D' = z(hit rate) - z(false alarm rate) (Green and Swets 1966): 0 is guessing, 1 is 69% correct without bias.

    Args:
        said: 1 if the rater said "a model", 0 if "a person", nan if not answered, shape (n,).
        is_signal: whether a model wrote it, shape (n,).
        item: labels, shape (n,).
        rater: labels, shape (n,).
        level: confidence level of the two-way cluster t interval (delta method).

    Rates of 0 or 1 have no z: then (answers + 1/2) / (n + 1) takes the place of both rates (the log-linear correction,
    Hautus 1995; correcting only the extreme rate would be biased), and there is no interval, reason `separation`. All
    raters are pooled: d' of a mixture of accurate and inaccurate raters is below their mean d'.
    """
    return _weighed(said, is_signal, item, rater, level, (1.0, -1.0))


def criterion(said: Floats, is_signal: Bools, *, item: Labels, rater: Labels, level: float = 0.95) -> Result:
    """C = -(z(hit rate) + z(false alarm rate)) / 2: positive if raters say "a model" too rarely. As `dprime`."""
    return _weighed(said, is_signal, item, rater, level, (-0.5, -0.5))


def _weighed(
    said: Floats, is_signal: Bools, item: Labels, rater: Labels, level: float, weights: tuple[float, float]
) -> Result:
    """Return a weighted sum of z(hit rate) and z(false alarm rate)."""
    answer, (signal, items, raters) = present(said, is_signal, item, rater)
    signal = signal.astype(bool)
    groups = clusters(items, raters)
    counts = _counts(groups)
    if int(signal.sum()) in {0, len(answer)}:
        note = "Only one of the two kinds of source was judged."
        return undefined("no_pairable_units", note, method=METHOD, **counts)
    estimate, influence = 0.0, np.zeros(len(answer))
    is_extreme = any(np.ptp(answer[side]) == 0 for side in (signal, ~signal))
    for weight, side in zip(weights, (signal, ~signal), strict=True):
        n, rate = int(side.sum()), float(answer[side].mean())
        if is_extreme:
            rate = (float(answer[side].sum()) + 0.5) / (n + 1)
        z = float(special.ndtri(rate))
        density = float(np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi))
        estimate += weight * z
        influence[side] = weight * (answer[side] - rate) / (n * density)
    if is_extreme:
        return without_interval(Result(estimate, METHOD).with_counts(**counts), "separation", _EXTREME)
    return with_two_way_interval(estimate, influence, groups, null=0.0, level=level)


def _counts(groups: Clusters) -> dict[str, int | None]:
    n = len(groups.item)
    return {"n_items": groups.n_items, "n_raters": groups.n_raters, "n_units": n, "n_ratings": n}
