"""Adjust p-values for multiple testing: the primary contrasts as one family, all others by kind of test."""

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
# Differences from the reference are in the first section, those between other sources in the second.
DIFFERENCES = ("comparison", "contrast")


def with_adjusted_p(estimates: Sequence[Estimate]) -> list[Estimate]:
    """Return the estimates with `p_adjusted`: Holm over the primary contrasts, Benjamini-Hochberg over the others.

    The primary contrasts are one family, whatever their tests. An exploratory family consists of one kind of test over
    questions and sources, including pairs of sources without the reference: the same statistic, unit and raters, and
    the same position among the records of that statistic (the first method, the second ...). Several tests of one
    difference do not count as several differences.
    """
    primary = [at for at, one in enumerate(estimates) if one.role == "primary" and one.p_value is not None]
    found = _with_p(list(estimates), primary, "holm")
    families: dict[tuple[object, ...], list[int]] = defaultdict(list)
    places: Counter[tuple[object, ...]] = Counter()
    for at, estimate in enumerate(estimates):
        if estimate.section in ADJUSTED:
            record = (estimate.section, estimate.question, str(estimate.scope), estimate.statistic, estimate.unit)
            if estimate.role != "primary" and estimate.p_value is not None:
                families[_family(estimate, places[record])].append(at)
            places[record] += 1
    for members in families.values():
        found = _with_p(found, members, "benjamini_hochberg")
    return found


def _with_p(estimates: list[Estimate], members: Sequence[int], method: Adjustment) -> list[Estimate]:
    """Return the list, with the adjusted p-values of one family filled in."""
    for at, p in zip(members, adjusted([estimates[k].p_value for k in members], method), strict=True):
        estimates[at] = replace(estimates[at], p_adjusted=p)
    return estimates


def _family(estimate: Estimate, place: int) -> tuple[object, ...]:
    raters = tuple((key, value) for key, value in estimate.scope.items() if key in {"pool", "rater_kind"})
    section = DIFFERENCES[0] if estimate.section in DIFFERENCES else estimate.section
    return section, estimate.statistic, estimate.unit, place, tuple(estimate.scope), raters
