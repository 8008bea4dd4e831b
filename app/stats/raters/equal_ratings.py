"""Whether something other than what people see in a response moves a judge's rating of it.

A judge that is more reliable than one person, or uses more of the scale, differs from people most on the best and on
the worst responses. If these are long, the plain difference would be taken for a bias towards length.
"""

from dataclasses import replace

import numpy as np

from app.stats.arrays import Floats, Labels, codes, present
from app.stats.clusters import METHOD, Clusters, cluster_variance, clusters, with_two_way_interval
from app.stats.raters.profiles import mean_of_others
from app.stats.result import Result, undefined

# An instrument is strong if its F is 10 or more (Staiger and Stock 1997, Econometrica 65:557).
_STRONG = 10.0
_TWO = 2
_ROUNDING = 1e-12
_WORDS = ": at equal ratings by people, instrumental variable"
_FEW = "People agree too little on which responses are better to compare the judge with them at equal ratings."


def effect_at_equal_ratings(
    judge: Floats,
    person: Floats,
    covariate: Floats | None,
    *,
    unit: Labels,
    item: Labels,
    rater: Labels,
    level: float = 0.95,
) -> Result:
    """Return what `covariate` adds to the judge's rating of units that people rate alike, with a two-way interval.

    The judge's rating is regressed on a person's rating and on the covariate. One person's rating measures what people
    see in the unit with error, which would leave a part of it to the covariate; the mean of the other people's ratings
    is its instrument, because their errors are other ones (Griliches and Hausman 1986, J. Econometrics 31:93). People's
    ratings are taken without the level of each person. Interval: two-way clustered by item and person.

    Args:
        judge: the judge's value of the unit of each person's rating, shape (n,); nan if there is none.
        person: ratings by people, one per person and unit, shape (n,).
        covariate: shape (n,); nan if unknown. None for choices, given as 1 for one side, 0 for the other and 0.5 for
            ties: what the judge adds to the share of the first where people are evenly split.
        unit: labels, shape (n,).
        item: labels, shape (n,).
        rater: labels, shape (n,).
        level: confidence level.
    """
    known = np.isfinite(person) if covariate is None else np.isfinite(person) & np.isfinite(covariate)
    said, (own, units, items, raters) = present(np.where(known, judge, np.nan), person, unit, item, rater)
    code, n_raters = codes(raters)
    level_of_rater = np.bincount(code, own, n_raters) / np.maximum(np.bincount(code, minlength=n_raters), 1)
    centred = own - level_of_rater[code] + (own.mean() if len(own) else 0.0)
    others = mean_of_others(centred, units)
    one = np.ones(len(own))
    beside = [one] if covariate is None else [one, covariate[known & np.isfinite(judge)]]
    shift = 0.5 if covariate is None else 0.0
    kept = np.isfinite(others)
    groups, n = clusters(items[kept], raters[kept]), int(kept.sum())
    counts = {"n_items": groups.n_items, "n_raters": groups.n_raters, "n_units": n, "n_ratings": n}
    if n == 0:
        return undefined("no_pairable_units", "No unit was rated by two people.", method=METHOD, **counts)
    fixed = np.column_stack(beside)[kept]
    if np.linalg.matrix_rank(fixed) < fixed.shape[1]:
        return undefined("singular", "The covariate does not vary.", method=METHOD, **counts)
    y, x, z = (value[kept] - shift for value in (said, centred, others))
    if not _is_strong(z, x, fixed, groups):
        return undefined("singular", _FEW, method=METHOD, **counts)
    Z, X = np.column_stack([z, fixed]), np.column_stack([x, fixed])
    weights = np.linalg.solve(Z.T @ X, Z.T)
    effects = weights @ y
    influence = weights[-1] * (y - X @ effects)
    found = with_two_way_interval(float(effects[-1]), influence, groups, null=0.0, level=level)
    return replace(found, method=found.method.with_words(_WORDS))


def _is_strong(z: Floats, x: Floats, fixed: Floats, groups: Clusters) -> bool:
    """Whether z tells enough of x beside the fixed columns: F of its slope, clustered by item; shapes (n,), (n, p)."""
    rest = z - fixed @ np.linalg.lstsq(fixed, z, rcond=None)[0]
    pull = float(rest @ rest)
    if groups.n_items < _TWO or pull <= _ROUNDING * len(z):
        return False
    slope = float(rest @ x) / pull
    line = x - slope * z
    left = line - fixed @ np.linalg.lstsq(fixed, line, rcond=None)[0]
    variance = cluster_variance(rest * left / pull, groups.item, groups.n_items)
    return slope > 0 and slope**2 >= _STRONG * variance
