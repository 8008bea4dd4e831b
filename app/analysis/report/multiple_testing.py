"""Many tests at once: p-values adjusted over what was declared, and over the rest."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

from app.stats.core.multiplicity import adjusted

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from app.analysis.estimate import Estimate
    from app.stats.core.multiplicity import Adjustment

COMPARING = ("comparison", "choice", "ranking", "belief", "subgroup", "contrast")


def with_adjusted_p(estimates: Sequence[Estimate], confirmatory: Collection[str]) -> list[Estimate]:
    """The estimates with `p_adjusted`: Holm over the declared questions, Benjamini-Hochberg over all others.

    A family is one way of testing over questions and sources: the same statistic and unit, of the same raters, and the
    same place among its records (the headline, the second method ...). Several ways to test one difference do not count
    as several differences.
    """
    families: dict[tuple[object, ...], list[int]] = defaultdict(list)
    places: Counter[tuple[object, ...]] = Counter()
    for at, estimate in enumerate(estimates):
        if estimate.section in COMPARING:
            record = (estimate.section, estimate.question, str(estimate.scope), estimate.statistic, estimate.unit)
            if estimate.p_value is not None and estimate.p_adjusted is None:
                families[_family(estimate, places[record], confirmatory)].append(at)
            places[record] += 1
    found = list(estimates)
    for (is_declared, *_), members in families.items():
        method: Adjustment = "holm" if is_declared else "benjamini_hochberg"
        for at, p in zip(members, adjusted([estimates[k].p_value for k in members], method), strict=True):
            found[at] = replace(estimates[at], p_adjusted=p)
    return found


def _family(estimate: Estimate, place: int, confirmatory: Collection[str]) -> tuple[object, ...]:
    raters = tuple((key, value) for key, value in estimate.scope.items() if key in {"pool", "rater_kind"})
    is_declared = estimate.question in confirmatory
    return is_declared, estimate.section, estimate.statistic, estimate.unit, place, tuple(estimate.scope), raters
