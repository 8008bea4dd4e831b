"""Many tests at once: p-values adjusted over what was declared, and over the rest."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

from app.stats.multiplicity import adjusted

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from app.analysis.figure import Figure
    from app.stats.multiplicity import Adjustment

COMPARING = ("comparison", "choice")


def with_adjusted_p(figures: Sequence[Figure], confirmatory: Collection[str]) -> list[Figure]:
    """The figures with `p_adjusted`: Holm over the declared questions, Benjamini-Hochberg over all others.

    A family is one way of testing over questions and sources: the same statistic with the same method and unit, of the
    same raters. Several ways to test one difference do not count as several differences.
    """
    families: dict[tuple[object, ...], list[int]] = defaultdict(list)
    for place, figure in enumerate(figures):
        if figure.section in COMPARING and figure.p_value is not None:
            families[_family(figure, confirmatory)].append(place)
    found = list(figures)
    for (is_declared, *_), places in families.items():
        method: Adjustment = "holm" if is_declared else "benjamini_hochberg"
        for place, p in zip(places, adjusted([figures[k].p_value for k in places], method), strict=True):
            found[place] = replace(figures[place], p_adjusted=p)
    return found


def _family(figure: Figure, confirmatory: Collection[str]) -> tuple[object, ...]:
    raters = tuple((key, value) for key, value in figure.scope.items() if key in {"pool", "rater_kind"})
    keys = tuple(figure.scope)
    is_declared = figure.question in confirmatory
    method = figure.method.partition(":")[0]
    return is_declared, figure.section, figure.statistic, method, figure.unit, keys, raters
