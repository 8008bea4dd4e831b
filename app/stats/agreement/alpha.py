"""Krippendorff's alpha: agreement beyond chance for any number of raters, with missing ratings allowed."""

from dataclasses import dataclass

import numpy as np
from krippendorff import alpha

from app.stats.agreement.disagreement import (
    Disagreement,
    Level,
    coincidences,
    distances,
    mid_ranks,
    patterns,
    unit_free,
)
from app.stats.agreement.two_way import For, alpha_two_way
from app.stats.arrays import Floats, Ints
from app.stats.jackknife import PAIR, correlation_spread, no_variation, nothing_to_compare
from app.stats.ratings import MAX_PATTERNS, Ratings, present_codes, rows_of
from app.stats.result import Interval, Method, Result

# above this size (units x values x values; 40,000 units on five points) the package dominates the run time
PACKAGE_CELLS = 1_000_000


def krippendorff_alpha(
    ratings: Ratings, *, level: Level, inference: For = "new_units", confidence: float = 0.95
) -> Result:
    """Return Krippendorff's alpha: 1 is perfect agreement, 0 is agreement as expected by chance.

    The estimate comes from the `krippendorff` package, given value counts. Where that would be slow (a slider, or very
    many units), our own implementation of the same formula is used. Declared values that were never given do not change
    alpha. The interval for new units and the same raters is `jackknife_units`: analytic, infinitesimal jackknife,
    Fisher's z, t. The interval for new units and new raters is `jackknife_two_way`: see `alpha_two_way`.
    Source: Krippendorff (2011), Computing Krippendorff's Alpha-Reliability.
    Not for: one rating per unit. Pooling sources that differ is not informative about agreement within each source.
    """
    missing = nothing_to_compare(ratings)
    if missing:
        return missing
    paired = ratings.paired
    parts = Disagreement(*patterns(paired.counts), paired.values, level)
    if parts.spread <= 0:
        return no_variation(ratings)
    estimate = point_estimate(paired, parts)
    if inference == "new_units":
        spread = correlation_spread(estimate, parts.unit_influence(), parts.weight, confidence)
    else:
        spread = alpha_two_way(paired, parts, estimate, confidence)
    return Result(estimate, method=Method(words=f"{level} distances"), **spread, **ratings.sizes())


def point_estimate(paired: Ratings, parts: Disagreement) -> float:
    """Return alpha from the package where its arrays stay small, else from our own implementation."""
    counts, values = paired.counts, unit_free(paired.values)
    if counts.size * len(values) > PACKAGE_CELLS:
        return parts.alpha
    return float(alpha(value_counts=counts, value_domain=values, level_of_measurement=parts.level))


# Alpha for resampled units, and alpha without each rater.

# maximum number of array elements in memory; a slider's thousands of patterns are resampled in parts
CHUNK = 2_000_000
# squares of larger values are not finite
LARGEST = 1e150
# tolerance for the rounding error of a subtraction whose exact result is zero
ROUNDING = 1e-9


def alpha_bootstrap(
    ratings: Ratings, *, level: Level, n_resamples: int = 1000, seed: int = 0, confidence: float = 0.95
) -> Result:
    """Return alpha with a percentile interval from a bootstrap over units, to check the analytic interval.

    Units with the same counts are exchangeable, so a resample is one multinomial draw over the distinct patterns: the
    same distribution as drawing units one by one, at a cost that does not grow with their number. For these raters.
    Alpha of few units is biased downward, and resamples more so: a limit that excludes alpha is moved to it.
    Its coverage is .905 to .93; that of the analytic interval is .92 to .94. Pairs of ratings are never resampled
    (Hayes and Krippendorff 2007), as that covers only .71 to .81.
    """
    analytic = krippendorff_alpha(ratings, level=level, confidence=confidence)
    estimate = analytic.estimate
    if estimate is None or analytic.interval is None:
        return analytic
    draws = bootstrap_alphas(ratings, level=level, n_resamples=n_resamples, seed=seed)
    low, high = np.quantile(draws, [(1 - confidence) / 2, (1 + confidence) / 2]).tolist()
    n_lost = n_resamples - len(draws)
    note = f"{n_lost} of {n_resamples} resamples show no variation and have no alpha" if n_lost else ""
    return Result(
        estimate,
        method=Method(words=f"{level} distances, {n_resamples} resamples, seed {seed}"),
        interval=Interval(
            min(low, estimate), max(high, estimate), Method("bootstrap_units"), confidence, inference="items"
        ),
        standard_error=float(draws.std()),
        note=note,
        seed=seed,
        **ratings.sizes(),
    )


def bootstrap_alphas(ratings: Ratings, *, level: Level, n_resamples: int, seed: int) -> Floats:
    """Return alpha for resamples of the pairable units, shape (at most n_resamples,); undefined ones are dropped."""
    counts, weight = patterns(ratings.paired.counts)
    values = ratings.paired.values
    rng, n_units = np.random.default_rng(seed), int(weight.sum())
    step = max(CHUNK // max(len(weight), len(values) ** 2), 1)
    sizes = [min(step, n_resamples - done) for done in range(0, n_resamples, step)]
    drawn = (rng.multinomial(n_units, weight / n_units, size) for size in sizes)
    draws = np.concatenate([_alphas(counts, part, values, level) for part in drawn])
    return np.asarray(draws[np.isfinite(draws)])


def _alphas(counts: Floats, drawn: Ints, values: Floats, level: Level) -> Floats:
    """Return alpha for each row of `drawn`, shape (B, P), the pattern counts of a resample; nan if undefined."""
    n = drawn @ counts
    total = n.sum(axis=1)
    if level == "ordinal":
        observed, spread = _by_ranks(counts, drawn, n, total)
    else:
        d = distances(values, level, n[0])
        within = ((counts @ d) * counts).sum(axis=1) / (counts.sum(axis=1) - 1)
        observed, spread = drawn @ within, ((n @ d) * n).sum(axis=1)
    alphas = np.full(len(drawn), np.nan)
    np.divide(observed * (total - 1), spread, out=alphas, where=spread > 0)
    return 1 - alphas


def _by_ranks(counts: Floats, drawn: Ints, n: Floats, total: Floats) -> tuple[Floats, Floats]:
    """Return observed and n'dn for ordinal distances, which differ between resamples, without a V x V array for each.

    For d = (r - r')**2: c'dc = 2 (m sum(c r**2) - sum(c r)**2). Ranks are centred to limit cancellation.
    """
    rank = mid_ranks(n) - total[:, None] / 2
    size = counts.sum(axis=1)
    squares = (rank**2 * (drawn @ (counts * (size / (size - 1))[:, None]))).sum(axis=1)
    sums = (drawn / (size - 1) * (rank @ counts.T) ** 2).sum(axis=1)
    return 2 * (squares - sums), 2 * total * (n * rank**2).sum(axis=1)


@dataclass(frozen=True, slots=True)
class LeaveOneRaterOut:
    """Alpha without each rater, in the order of `Ratings.rater_codes`; None if nothing is left to compare."""

    rater: tuple[int, ...]
    alpha: tuple[float | None, ...]

    @property
    def range(self) -> tuple[float, float] | None:
        """Smallest and largest alpha, or None if there is none."""
        known = [alpha for alpha in self.alpha if alpha is not None]
        return (min(known), max(known)) if known else None


def alpha_without_each_rater(ratings: Ratings, *, level: Level) -> LeaveOneRaterOut:
    """Return alpha without each rater in turn, to see whether one rater drives it; cost linear in the ratings.

    If alpha rises without a rater, that rater agrees less with the others. This is not a reason to exclude raters:
    exclusion rules belong in the protocol before data collection.
    """
    numbered = _numbered(ratings)
    alphas = _one_by_one(ratings, level) if numbered is None else _all_at_once(ratings, level, *numbered)
    return LeaveOneRaterOut(tuple(ratings.rater_codes.tolist()), tuple(alphas))


def _numbered(ratings: Ratings) -> tuple[Ints, Ints, Ints] | None:
    """Return the counts of each unit encoded as an integer, and the unit and increment of each unit x rater cell.

    None if the integers would need more than 62 bits (a slider), or if squared differences would overflow: a value that
    only one rater gave must not spoil alpha without that rater.
    """
    counts, (cell, n_cells) = ratings.counts, ratings.cells
    base, width = int(counts.max(initial=0)) + 1, counts.shape[1]
    if base**width >= MAX_PATTERNS or not n_cells or np.abs(ratings.values).max() > LARGEST:
        return None
    place = base ** np.arange(width, dtype=np.int64)
    unit, added = np.empty(n_cells, dtype=np.int64), np.zeros(n_cells, dtype=np.int64)
    unit[cell] = ratings.unit_row
    np.add.at(added, cell, place[ratings.value_column])
    return counts @ place, unit, added


def _all_at_once(ratings: Ratings, level: Level, number: Ints, unit: Ints, added: Ints) -> list[float | None]:
    """Compute alpha without each rater by reweighting the patterns of counts, as a resample does."""
    counts, n_raters = ratings.counts, len(ratings.rater_codes)
    rater = np.empty(len(unit), dtype=np.int64)
    rater[ratings.cells[0]] = ratings.rater_row
    before, after = number[unit], number[unit] - added
    kinds = present_codes(np.concatenate([number, after]))
    base = int(counts.max()) + 1
    pattern = (kinds[:, None] // base ** np.arange(counts.shape[1], dtype=np.int64) % base).astype(np.float64)
    whole = np.bincount(rows_of(number, kinds), minlength=len(kinds))
    is_pairable = pattern.sum(axis=1) >= PAIR
    alphas: list[float | None] = []
    step = max(CHUNK // len(kinds), 1)
    for first in range(0, n_raters, step):
        own = (rater >= first) & (rater < first + step)
        shape = (min(step, n_raters - first), len(kinds))
        moved = [_table(rater[own] - first, rows_of(numbers[own], kinds), shape) for numbers in (before, after)]
        drawn = (whole - moved[0] + moved[1])[:, is_pairable]
        found = _alphas(pattern[is_pairable], drawn, ratings.values, level)
        alphas += [float(alpha) if np.isfinite(alpha) else None for alpha in found]
    return alphas


def _table(row: Ints, column: Ints, shape: tuple[int, int]) -> Ints:
    """Count each combination of row and column."""
    return np.bincount(row * shape[1] + column, minlength=shape[0] * shape[1]).reshape(shape)


def _one_by_one(ratings: Ratings, level: Level) -> list[float | None]:
    """Compute alpha without each rater, one at a time: for data in which nearly every unit has its own pattern."""
    counts = ratings.counts.astype(np.float64)
    pairable = counts[ratings.is_pairable]
    met = coincidences(pairable, np.ones(len(pairable)))
    order = np.argsort(ratings.rater_row, kind="stable")
    ends = np.cumsum(np.bincount(ratings.rater_row, minlength=len(ratings.rater_codes)))
    alphas: list[float | None] = []
    for places in np.split(order, ends[:-1]) if len(order) else []:
        rows, row = np.unique(ratings.unit_row[places], return_inverse=True)
        before = counts[rows]
        after = before.copy()
        np.subtract.at(after, (row, ratings.value_column[places]), 1)
        alphas.append(_alpha_of(met - _pairs(before) + _pairs(after), ratings.values, level))
    return alphas


def _pairs(counts: Floats) -> Floats:
    kept = counts[counts.sum(axis=1) >= PAIR]
    return coincidences(kept, np.ones(len(kept)))


def _alpha_of(met: Floats, values: Floats, level: Level) -> float | None:
    met = np.where(np.abs(met) < ROUNDING, 0.0, met)
    n = met.sum(axis=1)
    given = n > 0
    n, met = n[given], met[np.ix_(given, given)]
    d = distances(values[given], level, n)
    spread = float(n @ d @ n)
    return 1 - float((met * d).sum()) * (float(n.sum()) - 1) / spread if spread > 0 else None
