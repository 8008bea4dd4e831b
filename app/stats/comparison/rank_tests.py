"""Rank tests, with exact permutation distributions that remain correct with ties and zeros.

scipy's "exact" p-values assume no ties and no zeros, but ratings nearly always have both. Here the distribution over
all sign flips (or all splits) of the observed midranks is enumerated. Where that would take long, n is large enough for
the normal approximation with the correction for ties.
"""

from dataclasses import dataclass, replace

import numpy as np
from scipy import special

from app.stats.arms import Arms, missing_side
from app.stats.arrays import Bools, Floats, Ints, Labels, codes, midranks, present
from app.stats.clusters import METHOD, clusters, with_two_way_interval
from app.stats.comparison.describe import share
from app.stats.comparison.t_tests import item_means
from app.stats.remembered import remembered
from app.stats.result import Method, Result, undefined

# Probability of superiority: how often the source is rated above its reference, using only the order of points.
#
# Arguments as in `describe`: `value`, `is_treated`, `item`, `rater` shape (n,), one entry per rating; nan is
# dropped.


@remembered
def prob_superiority(value: Floats, is_treated: Bools, *, item: Labels, rater: Labels, level: float = 0.95) -> Result:
    """Return P(source rated above reference) + half P(tie) by the same rater on the same item, tested against 1/2.

    Within a cell (item x rater), all pairs of a source rating and a reference rating count equally, and each cell
    counts once. Two-way cluster t interval on the logit scale. If raters see one source only, use the unpaired version.
    """
    won, items, raters, n_ratings = _cells(*present(value, is_treated, item, rater))
    if not len(won):
        note = "No rater rated both sources on the same item."
        return undefined("no_pairable_units", note, method=METHOD, n_units=0, n_items=0, n_raters=0, n_ratings=0)
    result = share(won, item=items, rater=raters, null=0.5, level=level)
    return result.with_counts(n_ratings=n_ratings)


def cliffs_delta(value: Floats, is_treated: Bools, *, item: Labels, rater: Labels, level: float = 0.95) -> Result:
    """Return Cliff's delta within item and rater: 2 x `prob_superiority` - 1, from -1 to 1 (Cliff 1993)."""
    return _delta(prob_superiority(value, is_treated, item=item, rater=rater, level=level))


@remembered
def prob_superiority_unpaired(
    value: Floats, is_treated: Bools, *, item: Labels, rater: Labels, level: float = 0.95
) -> Result:
    """Return P(a source rating above a reference rating) + half P(tie) over all pairs of ratings.

    The influence of a rating is the deviation of its placement among the other source's ratings from the mean placement
    (Hoeffding's projection of the Mann-Whitney U); two-way cluster t interval on the logit scale.
    """
    number, (treated, items, raters) = present(value, is_treated, item, rater)
    treated = treated.astype(bool)
    groups, n, n_mine = clusters(items, raters), len(number), int(treated.sum())
    if n_mine in {0, n}:
        counts = {"n_items": groups.n_items, "n_raters": groups.n_raters, "n_units": n, "n_ratings": n}
        who = "reference" if n_mine else "source"
        return undefined("no_pairable_units", f"The {who} has no ratings.", method=METHOD, **counts)
    ranks = midranks(number)
    placement = np.empty(n)
    placement[treated] = (ranks[treated] - midranks(number[treated])) / (n - n_mine)
    placement[~treated] = 1 - (ranks[~treated] - midranks(number[~treated])) / n_mine
    estimate = float(placement[treated].mean())
    influence = (placement - estimate) / np.where(treated, n_mine, n - n_mine)
    return with_two_way_interval(
        estimate, influence, groups, null=0.5, level=level, is_share=True, arms=Arms.of_two(treated)
    )


def cliffs_delta_unpaired(
    value: Floats, is_treated: Bools, *, item: Labels, rater: Labels, level: float = 0.95
) -> Result:
    """Return Cliff's delta over all pairs of ratings: 2 x `prob_superiority_unpaired` - 1."""
    return _delta(prob_superiority_unpaired(value, is_treated, item=item, rater=rater, level=level))


def _cells(value: Floats, beside: list[Labels]) -> tuple[Floats, Labels, Labels, int]:
    """Return per item x rater with both sources: proportion of pairs won, item, rater; and the number of ratings."""
    treated, item, rater = beside
    treated = treated.astype(bool)
    groups = clusters(item, rater)
    n_mine, n_theirs = (np.bincount(groups.cell[side], minlength=groups.n_cells) for side in (treated, ~treated))
    both = (n_mine > 0) & (n_theirs > 0)
    # each rating of the source beside each of the reference's in its cell, which stand together once sorted
    cell, mine = groups.cell[treated], value[treated]
    theirs = value[~treated][np.argsort(groups.cell[~treated], kind="stable")]
    n_pairs = n_theirs[cell]
    first = (np.cumsum(n_theirs) - n_theirs)[cell] - (np.cumsum(n_pairs) - n_pairs)
    against = theirs[np.repeat(first, n_pairs) + np.arange(int(n_pairs.sum()))]
    won = (np.sign(np.repeat(mine, n_pairs) - against) + 1) / 2
    shares = np.bincount(np.repeat(cell, n_pairs), won, groups.n_cells)[both] / (n_mine * n_theirs)[both]
    row = np.empty(groups.n_cells, dtype=np.int64)
    row[groups.cell] = np.arange(len(value))
    return shares, item[row[both]], rater[row[both]], int((n_mine + n_theirs)[both].sum())


def _delta(share_won: Result) -> Result:
    """Rescale from 0..1 to -1..1."""
    if share_won.estimate is None:
        return share_won
    interval = share_won.interval and replace(
        share_won.interval, low=2 * share_won.interval.low - 1, high=2 * share_won.interval.high - 1
    )
    error = None if share_won.standard_error is None else 2 * share_won.standard_error
    return replace(share_won, estimate=2 * share_won.estimate - 1, interval=interval, standard_error=error)


MAX_EXACT_PAIRS = 300
MAX_EXACT_POOLED = 60
# differences closer than this proportion of the largest value are tied, since means of ratings have rounding errors
TIED = 1e-9


def wilcoxon(difference: Floats, *, scale: float = 0.0) -> Result:
    """Run the Wilcoxon signed-rank test of paired differences; V is the sum of ranks of the positive ones.

    Differences of zero are dropped (Wilcoxon 1945); ties share their mean rank. The p-value is exact, over all sign
    flips, for up to 300 pairs. Not for new raters: pairs are the only source of variation.

    Args:
        difference: shape (n,); nan is dropped.
        scale: size of the values that were subtracted. Means that are equal in exact arithmetic differ by rounding:
            differences closer than 1e-9 of this (or of the largest difference) are tied.
    """
    known = difference[np.isfinite(difference)]
    tolerance = TIED * max(scale, float(np.abs(known).max(initial=0.0)))
    moved = known[np.abs(known) > tolerance]
    n = len(moved)
    method = Method("wilcoxon", f": {'exact permutation' if n <= MAX_EXACT_PAIRS else 'normal approximation'}")
    if n == 0:
        return undefined("no_variation", "No pair differs.", method=method, n_units=0)
    doubled = _doubled_ranks(_steps(np.abs(moved), tolerance))
    v = int(doubled[moved > 0].sum())
    if n <= MAX_EXACT_PAIRS:
        p_value = _two_sided(_flips(doubled), v)
    else:
        z = (v - doubled.sum() / 2) / (float(doubled @ doubled) / 4) ** 0.5
        p_value = float(2 * special.ndtr(-abs(z)))
    return Result(v / 2, method, p_value=p_value, n_units=n)


def wilcoxon_of_item_means(value: Floats, is_treated: Bools, *, item: Labels, rater: Labels) -> Result:
    """Run `wilcoxon` on item means, source minus reference, over the items rated for both. Unit: item_mean."""
    means = item_means(value, is_treated, item=item, rater=rater)
    gap = means.mine - means.theirs
    result = wilcoxon(gap, scale=means.scale if np.isfinite(gap).any() else 0.0)
    return result.with_counts(**means.counts(result.n_units or 0))


@remembered
def mann_whitney(mine: Floats, theirs: Floats) -> Result:
    """Run the Mann-Whitney test of two independent groups; U counts pairs with `mine` above `theirs`, ties as half.

    Shapes (n,) and (m,), for example means of responders. The p-value is exact, over all splits into n and m, for up to
    60 values, and otherwise normal with corrections for ties and continuity (as scipy).
    """
    mine, theirs = mine[np.isfinite(mine)], theirs[np.isfinite(theirs)]
    n, m = len(mine), len(theirs)
    is_exact = n + m <= MAX_EXACT_POOLED
    method = Method("mann_whitney", f": {'exact permutation' if is_exact else 'normal approximation'}")
    if min(n, m) == 0:
        return undefined("no_pairable_units", "One of the two groups is empty.", method=method, n_units=n + m)
    pooled = _pooled_steps(mine, theirs)
    if np.ptp(pooled) == 0:
        return undefined("no_variation", "All values are the same.", method=method, n_units=n + m)
    doubled = _doubled_ranks(pooled)
    rank_sum = int(doubled[:n].sum())
    u = (rank_sum - n * (n + 1)) / 2
    if is_exact:
        p_value = _two_sided(_splits(doubled, n), rank_sum)
    else:
        p_value = asymptotic_p(pooled[:n], pooled[n:], is_corrected=True)
    return Result(u, method, p_value=p_value, n_units=n + m)


def asymptotic_p(mine: Floats | Ints, theirs: Floats | Ints, *, is_corrected: bool) -> float:
    """Return the two-sided p-value of U by the normal approximation corrected for ties (Lehmann 1975, p. 20).

    `is_corrected`: whether to correct for continuity too. Equals scipy's `mannwhitneyu`.
    """
    n, m = len(mine), len(theirs)
    _, place, tied = np.unique(_pooled_steps(mine, theirs), return_inverse=True, return_counts=True)
    ranks = (np.cumsum(tied) - (tied - 1) / 2)[place]
    u = float(ranks[:n].sum()) - n * (n + 1) / 2
    whole, ties = n + m, float((tied.astype(np.float64) ** 3 - tied).sum())
    spread = (n * m / 12 * (whole + 1 - ties / (whole * (whole - 1)))) ** 0.5
    z = (abs(u - n * m / 2) - (0.5 if is_corrected else 0.0)) / spread
    return min(1.0, float(2 * special.ndtr(-z)))


def rank_biserial(mine: Floats, theirs: Floats) -> Result:
    """Return the rank-biserial r = 2 U / (n m) - 1 of `mann_whitney`: -1 all below, 1 all above (Cureton 1956)."""
    test = mann_whitney(mine, theirs)
    if test.estimate is None:
        return test
    pairs = int(np.isfinite(mine).sum()) * int(np.isfinite(theirs).sum())
    return Result(2 * test.estimate / pairs - 1, test.method, p_value=test.p_value, n_units=test.n_units)


def _pooled_steps(mine: Floats | Ints, theirs: Floats | Ints) -> Ints:
    """Return `_steps` of both groups together, shape (n + m,)."""
    values = np.concatenate([mine, theirs])
    return _steps(values, TIED * float(np.abs(values).max()))


def _steps(value: Floats | Ints, tolerance: float) -> Ints:
    """Return the index of each value among the distinct ones; values at most `tolerance` apart count as equal."""
    order = np.argsort(value, kind="stable")
    place = np.empty(len(value), dtype=np.int64)
    place[order] = np.cumsum(np.diff(value[order], prepend=value[order[:1]]) > tolerance)
    return place


def _doubled_ranks(value: Ints) -> Ints:
    """Return twice the midranks, which are integers, so that their sums can be enumerated."""
    return np.rint(2 * midranks(value)).astype(np.int64)


def _flips(doubled: Ints) -> Floats:
    """Return the probability of each rank sum if each rank is included with probability 1/2, shape (total + 1,)."""
    chance = np.zeros(int(doubled.sum()) + 1)
    chance[0] = 1
    for rank in doubled:
        chance[rank:] = (chance[rank:] + chance[:-rank]) / 2
        chance[:rank] /= 2
    return chance


def _splits(doubled: Ints, n: int) -> Floats:
    """Return the probability of each rank sum over all choices of n ranks, shape (total + 1,)."""
    ways = np.zeros((n + 1, int(doubled.sum()) + 1))
    ways[0, 0] = 1
    for place, (rank, before) in enumerate(zip(doubled, np.cumsum(doubled) - doubled, strict=True)):
        # of the ranks before this one, at most `place` were chosen, with a sum of at most `before`
        top, end = min(place + 1, n), before + 1
        ways[1 : top + 1, rank : rank + end] += ways[:top, :end]
    return np.asarray(ways[n] / ways[n].sum())


def _two_sided(chance: Floats, observed: int) -> float:
    """Return twice the smaller tail probability, at most 1."""
    return float(min(1.0, 2 * min(chance[: observed + 1].sum(), chance[observed:].sum())))


# Comparisons of few responders per group (six models, eight trainees), with the responder as the unit of analysis.


@dataclass(frozen=True, slots=True)
class RespondersCompared:
    """Mann-Whitney tests of responder means.

    Attributes:
        exact: U of the smaller side (named in its note), p over all splits of the observed means.
        asymptotic: the same U, p by the normal approximation corrected for ties but not for continuity.
        rank_biserial: r = 1 - 2 U / (n m) with the sign of the source: positive if it is rated higher.
    """

    exact: Result
    asymptotic: Result
    rank_biserial: Result


def compare_responders(value: Floats, is_treated: Bools, responder: Labels) -> RespondersCompared:
    """Run the Mann-Whitney U test of responder means, source against reference (Mann and Whitney 1947).

    Args:
        value: ratings, shape (n,); nan is dropped.
        is_treated: whether the responder belongs to the source, shape (n,).
        responder: labels, shape (n,); the same label in both groups counts as two responders.
    """
    number, (treated, responders) = present(value, is_treated, responder)
    treated = treated.astype(bool)
    problem = missing_side(treated, "the source", "the reference")
    if problem:
        return RespondersCompared(problem, problem, problem)
    mine, theirs = (responder_means(number[side], responders[side]) for side in (treated, ~treated))
    counts: dict[str, int | None] = {"n_units": len(mine) + len(theirs), "n_ratings": len(number)}
    exact = mann_whitney(mine, theirs)
    r = rank_biserial(mine, theirs).with_counts(**counts)
    if exact.estimate is None:
        return RespondersCompared(exact.with_counts(**counts), exact.with_counts(**counts), r)
    above = exact.estimate
    smaller = min(above, len(mine) * len(theirs) - above)
    note = f"U of the {'source' if smaller == above else 'reference'}, the smaller of the two."
    exact = replace(exact, estimate=smaller, note=note).with_counts(**counts)
    p = asymptotic_p(mine, theirs, is_corrected=False)
    asymptotic = replace(exact, method=Method("mann_whitney", ": normal approximation"), p_value=p)
    return RespondersCompared(exact, asymptotic, r)


def responder_means(value: Floats, responder: Labels) -> Floats:
    """Return the mean rating per responder, in order of first appearance. `value` must not contain nan."""
    code, n = codes(responder)
    return np.asarray(np.bincount(code, value, n) / np.bincount(code, minlength=n))
