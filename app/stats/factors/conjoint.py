"""Conjoint designs: the effects of attributes of responses that were varied at random."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from app.stats.core.arrays import present
from app.stats.linear.cluster_robust import linear_contrast

if TYPE_CHECKING:
    from collections.abc import Mapping

    from app.stats.core.arrays import Bools, Floats, Labels
    from app.stats.core.result import Result


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
    X = np.column_stack(columns)
    return [
        Amce(*term, linear_contrast(number, X, contrast, item=items, rater=raters, level=level))
        for term, contrast in zip(terms, np.eye(len(columns))[1:], strict=True)
    ]


def _indicator(is_level: Bools) -> Floats:
    return np.asarray(is_level, dtype=np.float64)
