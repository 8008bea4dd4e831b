"""Effects of design factors and of source attributes, and their interactions."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from app.stats.arms import Arms, missing_side, warned_of_few
from app.stats.arrays import Bools, Floats, Ints, Labels, codes, present
from app.stats.clusters import (
    METHOD,
    cluster_variance,
    clusters,
    t_p_value,
    t_quantile,
    with_two_way_interval,
    without_interval,
)
from app.stats.comparison.describe import mean_difference
from app.stats.linear.cluster_robust import linear_contrast
from app.stats.result import Interval, Method, Result, undefined

# Conjoint designs: the effects of attributes of responses that were varied at random.


@dataclass(frozen=True, slots=True)
class Amce:
    """The effect of one level of an attribute relative to the attribute's reference level."""

    attribute: str
    level: str
    reference_level: str
    effect: Result


def amce(
    value: Floats,
    attributes: Mapping[str, Labels],
    *,
    item: Labels,
    rater: Labels,
    references: Mapping[str, str] | None = None,
    level: float = 0.95,
) -> list[Amce]:
    """Return average marginal component effects (Hainmueller, Hopkins and Yamamoto 2014, Polit. Anal. 22:1).

    The effect of a level on the rating, or on the probability of being chosen, averaged over the distribution of the
    other attributes. Least squares on indicators of all levels at once; the attributes must have been randomized
    independently of each other. CR2 errors by item and rater.

    Args:
        value: one row per response shown: its rating, or 1 chosen, 0 not, 1/2 tie; shape (n,); nan is dropped.
        attributes: names and levels, each shape (n,).
        item: labels, shape (n,).
        rater: labels, shape (n,).
        references: the reference level by attribute; default: the first level in sorted order.
        level: confidence level.

    Returns:
        One effect per level except the references; if two attributes always vary together, each with reason `singular`.
    """
    design = component_design(value, attributes, item=item, rater=rater, references=references)
    return [Amce(*term, design.effect(at, level)) for at, term in enumerate(design.terms)]


@dataclass(frozen=True, eq=False)
class ComponentDesign:
    """Ratings on an intercept and an indicator of each level that is no reference: `terms` name these levels.

    value, item, rater: shape (n,); columns: shape (n, 1 + number of terms).
    """

    value: Floats
    item: Labels
    rater: Labels
    columns: Floats
    terms: list[tuple[str, str, str]]

    def contrast(self, contrast: Floats, level: float) -> Result:
        """Return a contrast of the effects, shape (number of terms,), with CR2 errors by item and rater."""
        of_all = np.concatenate([[0.0], contrast])
        return linear_contrast(self.value, self.columns, of_all, item=self.item, rater=self.rater, level=level)

    def effect(self, at: int, level: float) -> Result:
        """Return the effect of one term."""
        return self.contrast(np.eye(len(self.terms))[at], level)


def component_design(
    value: Floats,
    attributes: Mapping[str, Labels],
    *,
    item: Labels,
    rater: Labels,
    references: Mapping[str, str] | None = None,
) -> ComponentDesign:
    """Return the regression of a conjoint design; the arguments are those of `amce`."""
    names = list(attributes)
    number, (items, raters, *levels) = present(value, item, rater, *(attributes[name] for name in names))
    columns, terms = [np.ones(len(number))], []
    for name, given in zip(names, levels, strict=True):
        labels = given.astype(str)
        wanted = (references or {}).get(name)
        reference, *others = sorted(set(labels.tolist()), key=lambda one: (one != wanted, one)) or [""]
        for other in others:
            columns.append(_indicator(labels == other))
            terms.append((name, other, reference))
    return ComponentDesign(number, items, raters, np.column_stack(columns), terms)


def _indicator(is_level: Bools) -> Floats:
    return np.asarray(is_level, dtype=np.float64)


# Effects of a factor of the design: a label, an instruction, a profile that is shown.
#
# Arguments: `value` shape (n,), one entry per rating; rows with nan are dropped; `item` and `rater` shape (n,) are
# labels of any kind. The factor may vary within or between raters, and within or between items. Alternatives for the
# same effect: `mean_difference_lmm` (linear mixed model) and `compare_ordinal` (odds ratio).


def factor_effect(
    value: Floats,
    has_level: Bools,
    *,
    item: Labels,
    rater: Labels,
    level: float = 0.95,
    is_of_items: bool = False,
) -> Result:
    """Return the mean rating at a level of the factor minus that at the reference level. Unit: rating.

    Pass the ratings of one source for a simple effect. `has_level` shape (n,): True at the level, False at the
    reference. It is `mean_difference`, so that an arm has the same interval and test wherever it is compared.

    `is_of_items`: the level is one of the items. If a few raters see both versions of each, little but noise is left in
    how they differ, and n - 1 of them are too few degrees of freedom: those of items and raters together are taken
    (Satterthwaite 1946), which cover .93 to .98 with 4 to 10 raters, however much raters differ.
    """
    number, (at_level, items, raters) = present(value, has_level, item, rater)
    at_level = at_level.astype(bool)
    problem = missing_side(at_level, "the level", "the reference level")
    if problem:
        return problem
    found = mean_difference(number, at_level, item=items, rater=raters, level=level, are_versions=is_of_items)
    return warned_of_few(found, at_level, raters)


# Whether the difference between two sources depends on a condition, subgroup, shown label or belief.
#
# Every further split is another chance of a false positive: splits that were not declared in advance are exploratory
# and are adjusted by Benjamini-Hochberg.


def interaction(
    value: Floats, is_treated: Bools, is_member: Bools, *, item: Labels, rater: Labels, level: float = 0.95
) -> Result:
    """Return the difference between the sources among members minus that among others, two-way cluster t interval.

    Args:
        value: ratings, shape (n,); nan is dropped.
        is_treated: whether the rating is of the source, else of its reference, shape (n,).
        is_member: whether the rating is in the condition or subgroup, shape (n,); a property of items, of raters or of
            single ratings (believed source, shown label).
        item: labels, shape (n,).
        rater: labels, shape (n,).
        level: confidence level.
    """
    number, (treated, member, items, raters) = present(value, is_treated, is_member, item, rater)
    treated, member = treated.astype(bool), member.astype(bool)
    groups, n = clusters(items, raters), len(number)
    counts = {"n_items": groups.n_items, "n_raters": groups.n_raters, "n_units": n, "n_ratings": n}
    cells = ((1, treated & member), (-1, ~treated & member), (-1, treated & ~member), (1, ~treated & ~member))
    if not all(here.any() for _, here in cells):
        note = "One of the two sources has no ratings on one side of the split."
        return undefined("no_pairable_units", note, method=METHOD, **counts)
    influence, estimate = np.zeros(n), 0.0
    for sign, here in cells:
        mean = float(number[here].mean())
        estimate += sign * mean
        influence[here] = sign * (number[here] - mean) / here.sum()
    if any(np.ptp(groups.item[here]) == 0 or np.ptp(groups.rater[here]) == 0 for _, here in cells):
        bare = Result(estimate, METHOD).with_counts(**counts)
        return without_interval(bare, "one_cluster", "One of the four means is based on only one item or one rater.")
    return with_two_way_interval(
        estimate,
        influence,
        groups,
        null=0.0,
        level=level,
        scale=float(np.abs(number).max()),
        arms=Arms.of_four(treated, member),
    )


# Effects of attributes of the sources, such as reasoning models against others, or one model family and another.

ATTRIBUTE_METHOD = Method("three_way_cluster_t", ": sources random")
# on each side: the variance between two or three sources is too unstable for an interval that anyone can use
MIN_SOURCES = 5
_PASSES = 20
_ROUNDING = 1e-12


def attribute_effect(
    value: Floats, has_level: Bools, source: Labels, *, item: Labels, rater: Labels, level: float = 0.95
) -> Result:
    """Return the mean of the sources with the attribute minus that of the others, each source weighted equally.

    With at least five sources on each side, the interval is for new sources, items and raters: V_source from the means
    of the sources (s1^2 / n1 + s0^2 / n0), plus the two-way variance of items and raters for fixed sources, minus what
    both contain (three-way clusters: Cameron, Gelbach and Miller 2011, J. Bus. Econ. Stat. 29:238). Its degrees of
    freedom combine those of sources (Satterthwaite, equal variances) with those of items and raters, weighted by their
    proportions of the variance. With fewer sources, the interval is for new items and raters and these sources only,
    and the note says so.

    Args:
        value: ratings, shape (n,); nan is dropped.
        has_level: whether the source of the rating has the level of the attribute, shape (n,).
        source: labels, shape (n,); each source is on one side.
        item: labels, shape (n,).
        rater: labels, shape (n,).
        level: confidence level.
    """
    number, (at_level, sources, items, raters) = present(value, has_level, source, item, rater)
    at_level = at_level.astype(bool)
    problem = missing_side(at_level, "sources with this attribute", "sources without this attribute")
    if problem:
        return problem
    code, n_sources = codes(sources)
    side = np.zeros(n_sources, dtype=bool)
    side[code] = at_level
    X, weight = np.column_stack([~at_level, at_level]).astype(np.float64), 1 / np.bincount(code)[code]
    arms, slope = Arms.of_two(at_level), np.array([-1.0, 1.0])
    fixed = linear_contrast(number, X, slope, item=items, rater=raters, weight=weight, arms=arms, level=level)
    if min(side.sum(), (~side).sum()) < MIN_SOURCES or fixed.standard_error is None:
        return replace(fixed, note=f"For these {n_sources} sources only.")
    shared = _within_sources(number, code, side, items, raters)
    return _for_new_sources(number, code, side, fixed, shared, level)


def _for_new_sources(value: Floats, code: Ints, side: Bools, fixed: Result, shared: float, level: float) -> Result:
    means = np.bincount(code, value) / np.bincount(code)
    sizes = [int(half.sum()) for half in (side, ~side)]
    between = sum(float(means[half].var(ddof=1)) / n for half, n in zip((side, ~side), sizes, strict=True))
    # assumes equal variances on both sides: with so few sources, Welch's degrees of freedom are unstable
    of_sources = sum(1 / n for n in sizes) ** 2 / sum(1 / n**2 / (n - 1) for n in sizes)
    fixed_variance = (fixed.standard_error or 0.0) ** 2
    variance = max(between + fixed_variance - shared, between, fixed_variance)
    share = between / variance
    df = 1 / (share**2 / of_sources + (1 - share) ** 2 / (fixed.df or 1.0))
    error, estimate = variance**0.5, fixed.estimate or 0.0
    reach = t_quantile(df, level) * error
    interval = Interval(estimate - reach, estimate + reach, ATTRIBUTE_METHOD, level, inference="items_and_raters")
    p_value = t_p_value(estimate / error, df)
    return replace(fixed, method=ATTRIBUTE_METHOD, interval=interval, standard_error=error, df=df, p_value=p_value)


def _within_sources(value: Floats, code: Ints, side: Bools, item: Labels, rater: Labels) -> float:
    """Return the variance of the source means due to who rated which of a source's items; 0 if it would be negative.

    V_source,item + V_source,rater - V_rating of what is left of a rating without the means of its source, and of its
    item and its rater on its side. These means are not in V_source, because sources share items and raters.
    """
    (items, n_items), (raters, n_raters) = codes(item), codes(rater)
    residual, on_side = value - value.mean(), side[code].astype(np.int64)
    for _ in range(_PASSES):
        before = residual
        for of in (code, 2 * items + on_side, 2 * raters + on_side):
            residual = residual - (np.bincount(of, residual) / np.maximum(np.bincount(of), 1))[of]
        if np.abs(residual - before).max() <= _ROUNDING * np.abs(value).max():
            break
    n_on_side = np.where(side, side.sum(), (~side).sum())
    # the means of an item, or a rater, over k sources leave k - 1 of k parts of the variance
    scale = np.bincount(code) * (n_on_side * (n_on_side - 1)) ** 0.5
    influence = residual / scale[code]
    groups = clusters(code * n_items + items, code * n_raters + raters)
    by_item, by_rater, by_cell = (
        cluster_variance(influence, of, n)
        for of, n in ((groups.item, groups.n_items), (groups.rater, groups.n_raters), (groups.cell, groups.n_cells))
    )
    return max(by_item + by_rater - by_cell, 0.0)
