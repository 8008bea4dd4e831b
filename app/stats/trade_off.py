"""What raters trade for what in a conjoint design: the ratio of two average marginal component effects."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import permutations

import numpy as np

from app.stats.arrays import Floats, Labels
from app.stats.clusters import t_quantile, without_interval
from app.stats.factors import ComponentDesign, component_design
from app.stats.result import Interval, Method, Result, undefined

METHOD = Method("two_way_cr2_t", ": Fieller's interval of a ratio")
UNBOUNDED = "The effect that it is divided by is not clearly different from 0, so the ratio has no bounded interval."


@dataclass(frozen=True, slots=True)
class TradeOff:
    """The effect of a level of one attribute in units of the effect of another: (attribute, level, reference level)."""

    of: tuple[str, str, str]
    against: tuple[str, str, str]
    ratio: Result


def trade_offs(
    value: Floats,
    attributes: Mapping[str, Labels],
    *,
    item: Labels,
    rater: Labels,
    references: Mapping[str, str] | None = None,
    level: float = 0.95,
) -> list[TradeOff]:
    """Return the ratio b1 / b2 of the effects of `amce` of each level and of each other attribute with two levels.

    Interval of Fieller (1954, J. R. Stat. Soc. B 16:175): all ratios r for which b1 - r b2 is not significantly
    different from 0, with CR2 errors by item and rater and the degrees of freedom of that contrast at the estimate.
    It has ends only if b2 is clearly different from 0. Standard error by the delta method. The p-value tests 1: both
    levels are worth the same.

    The arguments are those of `amce`. The list is empty if no other attribute has two levels.
    """
    design = component_design(value, attributes, item=item, rater=rater, references=references)
    names = [term[0] for term in design.terms]
    return [
        TradeOff(design.terms[one], design.terms[other], _ratio(design, one, other, level))
        for one, other in permutations(range(len(names)), 2)
        if names[one] != names[other] and names.count(names[other]) == 1
    ]


def _ratio(design: ComponentDesign, one: int, other: int, level: float) -> Result:
    of, against = design.effect(one, level), design.effect(other, level)
    unit = np.eye(len(design.terms))
    gap = design.contrast(unit[one] - unit[other], level)
    counts = {"n_items": of.n_items, "n_raters": of.n_raters, "n_units": of.n_units, "n_ratings": of.n_ratings}
    if of.estimate is None or against.estimate is None:
        return undefined(of.reason or "singular", of.note, method=METHOD, **counts)
    if abs(against.estimate) < np.finfo(float).eps:
        return undefined("separation", "The effect that it is divided by is 0.", method=METHOD, **counts)
    bare = Result(of.estimate / against.estimate, METHOD).with_counts(**counts)
    ratio = of.estimate / against.estimate
    at_ratio = design.contrast(unit[one] - ratio * unit[other], level)
    for part in (of, against, gap, at_ratio):
        if part.standard_error is None:
            return without_interval(bare, part.interval_reason or "no_variation", part.note)
    v1, v2, v_gap = ((part.standard_error or 0.0) ** 2 for part in (of, against, gap))
    covariance = float(np.clip((v1 + v2 - v_gap) / 2, -np.sqrt(v1 * v2), np.sqrt(v1 * v2)))
    df = at_ratio.df or 0.0
    error = float(np.sqrt(max(v1 - 2 * ratio * covariance + ratio**2 * v2, 0))) / abs(against.estimate)
    found = replace(bare, standard_error=error, p_value=gap.p_value, df=df)
    ends = fieller((of.estimate, against.estimate), (v1, v2, covariance), t_quantile(df, level))
    if ends is None:
        return without_interval(found, "separation", UNBOUNDED)
    interval = Interval(*ends, METHOD, level, inference="items_and_raters")
    return replace(found, interval=interval)


def fieller(
    effects: tuple[float, float], variances: tuple[float, float, float], t: float
) -> tuple[float, float] | None:
    """Return the ends of Fieller's interval of the first effect over the second, None if it is not bounded.

    `variances` are those of both and their covariance. With means of 2 and 1, variances of .04 and .01 and no
    covariance, and t = 2, the ends solve (2 - r)^2 = 4 (.04 + .01 r^2):

    >>> [round(end, 4) for end in fieller((2.0, 1.0), (0.04, 0.01, 0.0), 2.0)]
    [1.5, 2.6667]
    """
    (b1, b2), (v1, v2, covariance) = effects, variances
    a, b, c = b2**2 - t**2 * v2, b1 * b2 - t**2 * covariance, b1**2 - t**2 * v1
    if a <= 0:
        return None
    reach = float(np.sqrt(max(b**2 - a * c, 0)))
    return (b - reach) / a, (b + reach) / a
