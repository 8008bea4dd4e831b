"""Prediction-powered estimates: a model judge rates all units, people a random sample; the estimate is about people.

Of each unit (a response, or a pair of them) the judge has a value f, and those in the sample have the mean Y of their
human ratings. The estimate is the human estimate minus lambda times the error that the same sample makes for the judge,
whose mean over all units is known:

    theta = sum of w lambda f over all units + sum of omega (Y - lambda f) over the sample,

with w = 1 / N and omega = (1 / pi) / (sum of 1 / pi over the sample), pi the probability of a unit to be in the sample.
These are the pseudo-outcomes of design-based supervised learning (Egami, Hinck, Stewart and Wei 2023, NeurIPS) for the
prediction a + lambda f, where `a` makes the weighted residuals of the sample sum to zero. For equal pi, and one rating
of each unit, it is PPI++ (Angelopoulos, Duchi and Zrnic 2023, arXiv:2311.01453), whose lambda is ours times the share
of units that people did not rate. A judge can be wrong in any way: that only makes the interval wider.

Checked against ppi-python 0.2.3 (estimates and intervals of means and paired differences to 1e-6), and for coverage by
`benchmarks.prediction_powered`.
"""

from dataclasses import dataclass, replace

import numpy as np
from scipy import special

from app.stats.arrays import Bools, Floats, Ints, Labels, codes
from app.stats.clusters import METHOD as TWO_WAY
from app.stats.clusters import (
    cluster_variance,
    clusters,
    crossed_df,
    few_raters_warning,
    t_p_value,
    t_quantile,
    without_interval,
)
from app.stats.comparison.percent import as_percent
from app.stats.result import Interval, Method, Result, undefined

METHOD = Method("two_way_cluster_t", ": judge and people")
PEOPLE = Method("two_way_cluster_t", ": mean of the sampled units")
_ROUNDING = 1e-12
# With fewer items, lambda is not estimated.
MIN_ITEMS = 4
FOLDS = 5
ALL_RATED = "People rated all units, so the judge adds nothing."
TOO_FEW = f"With fewer than {MIN_ITEMS} items that people rated, the judge does not count."
NO_OVERLAP = "No judge answered a unit that people rated, so the judges add nothing."
AGAINST = "The judge's values run against those of people, so its weight is below 0."
NO_WEIGHT = "This judge saves no human ratings: its values do not go along with those of people."


@dataclass(frozen=True, slots=True)
class Powered:
    """The estimate by judge and people, the one by people alone, and what the judge is worth.

    `judge_weight` is lambda: 0 if the judge is not used. `effective_n` is the number of human ratings with which people
    alone would have an interval of the same width.
    """

    combined: Result
    people: Result
    judge_weight: float
    effective_n: Result


@dataclass(frozen=True, eq=False)
class Sample:
    """All units of an estimate, shape (n_units,), and the human ratings of those in the sample, shape (n_ratings,).

    `sign` is 1, or -1 for the units of a reference whose mean is subtracted. `judge` has no missing values. `unit` is
    the place of each rating's unit. `is_rated` says which units people rated, `share` is omega, 0 outside the sample.
    """

    value: Floats
    unit: Ints
    rater: Ints
    judge: Floats
    item: Ints
    sign: Floats
    is_rated: Bools
    n_of: Ints
    share: Floats

    @property
    def equal_share(self) -> Floats:
        """The share of each unit in the mean of its side, shape (n_units,)."""
        return 1 / self._per_side(np.ones(len(self.judge)))

    @property
    def mean(self) -> Floats:
        """The mean rating of each unit, shape (n_units,); 0 outside the sample."""
        return np.bincount(self.unit, self.value, len(self.judge)) / np.maximum(self.n_of, 1)

    def centred(self, value: Floats, weight: Floats) -> Floats:
        """Values of units minus the weighted mean of their side; the weights of each side add up to 1."""
        return value - self._per_side(weight * value)

    def _per_side(self, value: Floats) -> Floats:
        side = (self.sign > 0).astype(np.int64)
        return np.asarray(np.bincount(side, value, 2)[side])


def prediction_powered(  # noqa: PLR0913 - units, ratings, and three ways to leave out what is usual
    value: Floats,
    *,
    unit: Ints,
    rater: Labels,
    judge: Floats,
    item: Labels,
    sign: Floats | None = None,
    chance: Floats | None = None,
    judge_weight: float | None = None,
    null: float | None = None,
    level: float = 0.95,
) -> Powered:
    """Return the mean over all units that people would give, or the difference between two sources.

    Args:
        value: human ratings, shape (n,), without missing values.
        unit: unit of each rating, 0 to n_units - 1, shape (n,).
        rater: shape (n,).
        judge: the judge's value of each unit, shape (n_units,), or of several judges, (n_judges, n_units), which are
            `stacked`; nan where it has none, which counts as its mean.
        item: of each unit, shape (n_units,).
        sign: 1 for a unit of the source, -1 for one of the reference, shape (n_units,); all 1 if None (a mean). Any
            other factor of each side, above 0 and below 0, gives the sum of the two means times these factors.
        chance: probability of each unit to be in the sample, shape (n_units,); equal if None.
        judge_weight: lambda; estimated if None.
        null: value that the p-values test against; None for no test.
        level: confidence level.

    Lambda is the slope of Y on f over the items of the sample, with the variance of f over all items, shrunk towards 0
    by the positive-part rule of James and Stein (1961): with r over m items, by 1 - (1 - r^2) / (r^2 (m - 2)). With few
    items a slope is mostly chance, and would make intervals wider.

    Intervals generalize to new items and new raters: two-way clustered as in `clusters`, where the judge's values
    belong to items only, and items within and outside the sample are two independent samples. Degrees of freedom are
    those of `crossed_df`, with those of the sampled items. If each rater rated one side only, as at one level of a
    factor, the variance between raters is the sum of that within each side, and one more degree of freedom is lost.

    Raises:
        ValueError: a chance that is not above 0 and at most 1.
    """
    n_units = np.shape(judge)[-1]
    side = np.ones(n_units) if sign is None else np.asarray(sign, dtype=np.float64)
    counts = {"n_units": n_units, "n_ratings": len(value), "n_raters": codes(rater)[1], "n_items": codes(item)[1]}
    n_of = np.bincount(unit, minlength=n_units)
    is_rated = n_of > 0
    if any(not is_rated[side == which].any() for which in np.unique(side)) or not len(value):
        nothing = undefined("no_pairable_units", "People rated no unit of the sample.", method=METHOD, **counts)
        return Powered(nothing, replace(nothing, method=PEOPLE), 0.0, nothing)
    sample = _sample(value, unit, rater, judge, item, side, n_of, chance)
    slope, r, m = _slope(sample)
    slope = 0.0 if is_rated.all() else slope
    weight = slope if judge_weight is None else judge_weight
    people, _ = _estimated(sample, 0.0, null, level)
    people = replace(people, method=PEOPLE).with_counts(**counts)
    if weight == 0:
        note = _why_no_weight(np.atleast_2d(judge)[:, is_rated], is_rated, m)
        same = replace(people, method=METHOD).noted(note)
        return Powered(same, people, 0.0, Result(float(len(value)), METHOD, note=note).with_counts(**counts))
    combined, item_share = _estimated(sample, weight, null, level)
    if weight < 0:
        combined = combined.noted(AGAINST)
    worth = _effective_n(len(value), people, combined, item_share, r=r, m=m, rated=float(is_rated.mean()), level=level)
    return Powered(combined.with_counts(**counts), people, weight, worth.with_counts(**counts))


def _why_no_weight(of_rated: Floats, is_rated: Bools, n_items: int) -> str:
    """Why the judge, whose values of the rated units these are, does not count."""
    if is_rated.all():
        return ALL_RATED
    if not np.isfinite(of_rated).any():
        return NO_OVERLAP
    return TOO_FEW if n_items < MIN_ITEMS else NO_WEIGHT


def percent_powered(
    value: Floats,
    *,
    unit: Ints,
    rater: Labels,
    judge: Floats,
    item: Labels,
    sign: Floats,
    chance: Floats | None = None,
    level: float = 0.95,
) -> Powered:
    """Return 100 (m1 / m0 - 1) for the mean m1 of the source over all units and m0 of the reference; values from 0 on.

    On the log scale at the means p1 and p0 of people alone, log(p1 / p0) + m1 / p1 - m0 / p0 (the delta method), which
    `prediction_powered` estimates with the factors 1 / p1 and -1 / p0; then as in `percent_change`. The arguments are
    those of `prediction_powered`. No estimate where a mean of people is 0 or a value is below 0.
    """
    n_of = np.bincount(unit, minlength=len(sign))
    means = []
    for side in (sign > 0, sign < 0):
        inverse = 1 / chance[side] if chance is not None else np.ones(int(side.sum()))
        is_rated, total = n_of[side] > 0, np.bincount(unit, value, len(sign))[side]
        rated = inverse * is_rated
        means.append(float(rated @ (total / np.maximum(n_of[side], 1))) / max(float(rated.sum()), _ROUNDING))
    if len(value) and (min(means) <= 0 or float(value.min()) < 0):
        nothing = undefined("singular", "A percentage needs means above 0 and no values below 0.", method=METHOD)
        return Powered(nothing, replace(nothing, method=PEOPLE), 0.0, nothing)
    factor = np.where(sign > 0, 1 / max(means[0], _ROUNDING), -1 / max(means[1], _ROUNDING))
    found = prediction_powered(
        value, unit=unit, rater=rater, judge=judge, item=item, sign=factor, chance=chance, null=0.0, level=level
    )
    if found.combined.estimate is None:
        return found
    centre = float(np.log(means[0] / means[1]))
    combined, people = (
        as_percent(replace(one, estimate=centre + (one.estimate or 0.0))) for one in (found.combined, found.people)
    )
    return replace(found, combined=combined, people=people)


def correlation_over_items(
    value: Floats, *, unit: Ints, judge: Floats, item: Labels, sign: Floats | None = None
) -> tuple[float, int, bool]:
    """Return the correlation of judge and people over items, their number, and whether the judge gets a weight.

    The arguments are those of `prediction_powered`. The correlation is 0 with fewer than `MIN_ITEMS` items, and where
    judge or people do not vary.
    """
    n_units = np.shape(judge)[-1]
    side = np.ones(n_units) if sign is None else np.asarray(sign, dtype=np.float64)
    n_of = np.bincount(unit, minlength=n_units)
    if any(not n_of[side == which].any() for which in np.unique(side)):
        return 0.0, 0, False
    slope, r, m = _slope(_sample(value, unit, np.zeros(len(value)), judge, item, side, n_of, None))
    return r, m, slope != 0


def residual_of_items(
    value: Floats, *, unit: Ints, judge: Floats, item: Ints, sign: Floats, chance: Floats | None = None
) -> Floats:
    """Return by how much people and judge disagree about each item in an estimate, nan for those that nobody rated.

    What an item adds to Y - lambda f, over its units with their signs: the variance of these values is what the
    judge leaves of that between items. The arguments are those of `prediction_powered`, `item` codes from 0 on.
    """
    n_of = np.bincount(unit, minlength=len(item))
    sample = _sample(value, unit, np.zeros(len(value)), judge, item, sign, n_of, chance)
    slope, _, _ = _slope(sample)
    rest = sample.centred(sample.mean - slope * sample.judge, sample.share)
    total, n = (np.bincount(item, one * sample.is_rated) for one in (sign * sample.equal_share * rest, sample.n_of))
    return np.where(n > 0, total, np.nan)


def _sample(
    value: Floats,
    unit: Ints,
    rater: Labels,
    judge: Floats,
    item: Labels,
    side: Floats,
    n_of: Ints,
    chance: Floats | None,
) -> Sample:
    """Return the sample with one value of the judge for each unit; several judges are stacked."""
    every = np.array([_completed(one, side) for one in np.atleast_2d(np.asarray(judge, dtype=np.float64))])
    is_rated = n_of > 0
    shares = _shares(is_rated, side, chance)
    value = np.asarray(value, dtype=np.float64)
    sample = Sample(value, np.asarray(unit), codes(rater)[0], every[0], codes(item)[0], side, is_rated, n_of, shares)
    if len(every) > 1:
        sample = replace(sample, judge=stacked(sample.mean, is_rated, every, sample.item, side))
    return sample


def stacked(mean: Floats, is_rated: Bools, judges: Floats, item: Ints, side: Floats) -> Floats:
    """Return one value of each unit from several judges: a ridge regression of the human means on all of them.

    The items are divided into `FOLDS`, and the values of each part come from the regression on the sampled units of the
    others, so that no value depends on ratings of its own item (as in the design-based estimator of Egami et al. 2023).
    The penalty is k s^2 / b'b of the least squares solution (Hoerl, Kennard and Baldwin 1975,
    doi:10.1080/03610927508827232), with standardized judges and an intercept per side.

    Args:
        mean: the mean human rating of each unit, shape (n_units,).
        is_rated: shape (n_units,).
        judges: without missing values, shape (n_judges, n_units).
        item: codes, shape (n_units,).
        side: 1 or -1, shape (n_units,).

    Returns:
        Shape (n_units,); the mean of the judges for a part whose regression has fewer items than judges and 3.
    """
    spread = judges.std(axis=1, keepdims=True)
    columns = (judges - judges.mean(axis=1, keepdims=True)) / np.where(spread > 0, spread, 1)
    found = judges.mean(axis=0)
    fold = item % FOLDS
    for part in range(FOLDS):
        here, learns = fold == part, is_rated & (fold != part)
        if len(np.unique(item[learns])) >= len(judges) + 3:
            slopes, levels = _ridge(mean[learns], columns[:, learns], side[learns])
            found[here] = levels[(side[here] > 0).astype(np.int64)] + slopes @ columns[:, here]
    return np.asarray(found)


def _ridge(y: Floats, columns: Floats, side: Floats) -> tuple[Floats, Floats]:
    """Return the slopes of a ridge regression, shape (n_judges,), and the intercepts of both sides, shape (2,)."""
    at = (side > 0).astype(np.int64)
    n = np.maximum(np.bincount(at, minlength=2), 1)
    mean_y = np.bincount(at, y, 2) / n
    mean_x = np.array([np.bincount(at, row, 2) / n for row in columns])
    rest, X = y - mean_y[at], columns - mean_x[:, at]
    gram, moment = X @ X.T, X @ rest
    slopes = np.linalg.lstsq(gram, moment, rcond=None)[0]
    noise = float(((rest - slopes @ X) ** 2).sum()) / max(len(y) - len(X) - len(np.unique(at)), 1)
    size = float(slopes @ slopes)
    if size > 0:
        slopes = np.linalg.solve(gram + np.eye(len(X)) * (len(X) * noise / size + _ROUNDING), moment)
    return slopes, mean_y - slopes @ mean_x


def _completed(judge: Floats, side: Floats) -> Floats:
    """The judge's values, the mean of its side where there is none; 0 if there is none at all."""
    found = judge.copy()
    for which in np.unique(side):
        here = side == which
        known = here & np.isfinite(judge)
        found[here & ~known] = judge[known].mean() if known.any() else 0.0
    return found


def _shares(is_rated: Bools, side: Floats, chance: Floats | None) -> Floats:
    """Return omega of each unit: 1 / pi over the sum of it over the sample's units of the same side."""
    pi = np.ones(len(side)) if chance is None else np.asarray(chance, dtype=np.float64)
    if not ((pi > 0) & (pi <= 1)).all():
        wrong = pi[~((pi > 0) & (pi <= 1))][0]
        raise ValueError(f"a sampling probability is above 0 and at most 1, found {wrong:g}")
    inverse = np.where(is_rated, 1 / pi, 0.0)
    place = (side > 0).astype(np.int64)
    return np.asarray(inverse / np.bincount(place, inverse, 2)[place])


def _slope(sample: Sample) -> tuple[float, float, int]:
    """Return lambda, the correlation of people and judge over the items of the sample, and their number."""
    items = np.unique(sample.item[sample.is_rated])
    n_items, m = int(sample.item.max()) + 1, len(items)
    if m < MIN_ITEMS:
        return 0.0, 0.0, m
    part = sample.sign * sample.equal_share
    judge = part * sample.centred(sample.judge, sample.equal_share)
    people = part * sample.centred(sample.mean, sample.share)
    every = np.bincount(sample.item, judge, n_items)
    y, f = (np.bincount(sample.item, one * sample.is_rated, n_items)[items] for one in (people, judge))
    shares = np.bincount(sample.item, sample.share, n_items)[items]
    omega = shares / shares.sum()
    y, f = y - omega @ y, f - omega @ f
    spread = every.var(ddof=1)
    scale = np.abs(part * sample.judge).max() ** 2
    if spread <= _ROUNDING * scale or min(omega @ y**2, omega @ f**2) <= _ROUNDING * scale:
        return 0.0, 0.0, m
    r = float(omega @ (y * f) / np.sqrt((omega @ y**2) * (omega @ f**2)))
    shrunk = max(0.0, 1 - (1 - r**2) / max(r**2 * (m - 2), _ROUNDING))
    return float(omega @ (y * f)) / float(spread) * shrunk, r, m


def _estimated(sample: Sample, weight: float, null: float | None, level: float) -> tuple[Result, float]:
    """Return the estimate for a lambda, and the share of its variance that items make up."""
    rest = sample.mean - weight * sample.judge
    estimate = float(sample.sign @ (sample.equal_share * weight * sample.judge + sample.share * rest))
    of_judge = sample.sign * sample.equal_share * weight * sample.centred(sample.judge, sample.equal_share)
    centre = (rest - sample.centred(rest, sample.share))[sample.unit]
    of_unit = (sample.sign * sample.share / np.maximum(sample.n_of, 1))[sample.unit]
    of_rating = of_unit * (sample.value - weight * sample.judge[sample.unit] - centre)
    item = sample.item[sample.unit]
    groups = clusters(item, sample.rater)
    in_sample = np.unique(item)
    bare = Result(estimate, METHOD).warned(few_raters_warning(groups))
    arm = _arm_of_raters(sample.sign[sample.unit] > 0, groups.rater, groups.n_raters)
    n_arms = [int((arm == one).sum()) for one in np.unique(arm)]
    if groups.n_items - 1 < 1 or min(n_arms) < 2:  # noqa: PLR2004 - a variance needs two
        return without_interval(bare, "one_cluster", "An interval for new items and raters needs two of each."), 1.0
    n_items = int(sample.item.max()) + 1
    by_place = np.concatenate([sample.item, item]), np.concatenate([of_judge, of_rating])
    total = np.asarray(np.bincount(*by_place, n_items), dtype=np.float64)
    outside = np.setdiff1d(np.arange(n_items), in_sample)
    by_item = _squares(total[in_sample]) + _squares(total[outside])
    of_rater = np.bincount(groups.rater, of_rating, groups.n_raters) ** 2
    by_rater = sum(float(of_rater[arm == one].sum()) * n / (n - 1) for one, n in enumerate(n_arms))
    by_cell = cluster_variance(of_rating, groups.cell, groups.n_cells)
    whole = max(by_item + by_rater - by_cell, by_item, by_rater)
    error = float(whole) ** 0.5
    if error <= _ROUNDING * float(np.abs(sample.value).max()):
        return without_interval(bare, "no_variation", "There is no variation between items or raters."), 1.0
    df = crossed_df(
        (by_item, len(in_sample) - 1), (by_rater, groups.n_raters - len(n_arms)), (by_cell, groups.n_cells - 1)
    )
    reach = t_quantile(df, level) * error
    interval = Interval(
        estimate - reach, estimate + reach, Method(TWO_WAY.procedure), level, inference="items_and_raters"
    )
    p_value = None if null is None else t_p_value((estimate - null) / error, df)
    return replace(bare, interval=interval, standard_error=error, df=df, p_value=p_value), float(by_item / whole)


def _arm_of_raters(is_source: Bools, rater: Ints, n_raters: int) -> Ints:
    """Return 0 or 1 for the side of each rater, shape (n_raters,), if each rated one side only; otherwise all 0."""
    share = np.bincount(rater, is_source, n_raters) / np.bincount(rater, minlength=n_raters)
    has_one = bool(np.isin(share, (0.0, 1.0)).all()) and 0 < share.sum() < n_raters
    return np.asarray(share if has_one else np.zeros(n_raters)).astype(np.int64)


def _squares(total: Floats) -> float:
    """Return the sum of squared deviations of cluster totals from their mean, times n / (n - 1)."""
    n = len(total)
    return float(total.var() * n) * n / (n - 1) if n > 1 else 0.0


def _effective_n(
    n: int, people: Result, combined: Result, item_share: float, *, r: float, m: int, rated: float, level: float
) -> Result:
    """Return n times the variance of people alone over that of both, with an interval by Fisher's z of the correlation.

    Only the variance between items can become smaller: with share s of it and correlation r, by 1 - s r^2 (1 - rated).
    """
    if people.standard_error is None or combined.standard_error is None:
        return undefined("one_cluster", people.note, method=METHOD)
    ratio = (people.standard_error / combined.standard_error) ** 2
    bare = Result(n * ratio, METHOD)
    if abs(r) > 1 - _ROUNDING:
        return without_interval(bare, "no_variation", "The judge's values follow those of people exactly.")
    reach = float(special.ndtri(0.5 + level / 2)) / (m - 3) ** 0.5
    ends = np.tanh(np.arctanh(abs(r)) + np.array([-reach, reach])).clip(0)
    low, here, high = 1 / (1 - item_share * (1 - rated) * np.array([ends[0], abs(r), ends[1]]) ** 2)
    interval = Interval(
        n * ratio * float(low / here), n * ratio * float(high / here), METHOD, level, inference="items_and_raters"
    )
    return replace(bare, interval=interval)
