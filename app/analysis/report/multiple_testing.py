"""Many tests at once: p-values of the primary contrasts adjusted as one family, all others kind by kind."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

from app.stats.core.multiplicity import adjusted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.analysis.estimate import Estimate
    from app.stats.core.multiplicity import Adjustment

ADJUSTED = ("comparison", "choice", "ranking", "belief", "subgroup", "contrast")


def with_adjusted_p(estimates: Sequence[Estimate]) -> list[Estimate]:
    """The estimates with `p_adjusted`: Holm over the primary contrasts, Benjamini-Hochberg over the others.

    The primary contrasts are one family, whatever their tests. An exploratory family is one way of testing over
    questions and sources: the same statistic and unit, of the same raters, and the same place among its records (the
    first method, the second ...). Several ways to test one difference do not count as several differences.
    """
    primary = [at for at, one in enumerate(estimates) if one.role == "primary" and one.p_value is not None]
    found = _with_p(list(estimates), primary, "holm")
    families: dict[tuple[object, ...], list[int]] = defaultdict(list)
    places: Counter[tuple[object, ...]] = Counter()
    for at, estimate in enumerate(estimates):
        if estimate.section in ADJUSTED:
            record = (estimate.section, estimate.question, str(estimate.scope), estimate.statistic, estimate.unit)
            if estimate.role != "primary" and estimate.p_value is not None and estimate.p_adjusted is None:
                families[_family(estimate, places[record])].append(at)
            places[record] += 1
    for members in families.values():
        found = _with_p(found, members, "benjamini_hochberg")
    return found


def _with_p(estimates: list[Estimate], members: Sequence[int], method: Adjustment) -> list[Estimate]:
    """The same list, in which the members of one family have their adjusted p."""
    for at, p in zip(members, adjusted([estimates[k].p_value for k in members], method), strict=True):
        estimates[at] = replace(estimates[at], p_adjusted=p)
    return estimates


def _family(estimate: Estimate, place: int) -> tuple[object, ...]:
    raters = tuple((key, value) for key, value in estimate.scope.items() if key in {"pool", "rater_kind"})
    return estimate.section, estimate.statistic, estimate.unit, place, tuple(estimate.scope), raters
