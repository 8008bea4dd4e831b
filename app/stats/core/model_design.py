"""What a study's ratings allow a mixed model to ask: ordered classes, and which random effects can be told apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from app.stats.core.arrays import codes

if TYPE_CHECKING:
    from app.stats.core.arrays import Bools, Floats, Ints, Labels

MAX_CLASSES = 12
_REPEATS = 1.5


@dataclass(frozen=True, eq=False)
class Classes:
    """Ordered classes of values: the class of each rating, and per class its lowest value and its mean one."""

    y: Ints
    lowest: Floats
    mean: Floats
    is_merged: bool


def ordered_classes(value: Floats, max_classes: int = MAX_CLASSES) -> Classes:
    """Each value that occurs is a class; more than `max_classes` (a slider) are merged into equally filled ones.

    Under proportional odds the odds ratio does not depend on how neighbouring points are merged.
    """
    points, y = np.unique(value, return_inverse=True)
    is_merged = len(points) > max_classes
    if is_merged:
        counts = np.bincount(y)
        middle = (np.cumsum(counts) - counts / 2) / len(value)
        y = np.unique((middle * max_classes).astype(np.int64), return_inverse=True)[1][y]
    n = np.bincount(y)
    lowest = np.full(len(n), np.inf)
    np.minimum.at(lowest, y, value)
    return Classes(y, lowest, np.bincount(y, value) / n, is_merged)


@dataclass(frozen=True, eq=False)
class RandomColumns:
    """Columns whose effects vary by item and by rater, shape (q, n), with a name for each, in that order."""

    item: Floats
    rater: Floats
    names: tuple[str, ...]


def random_columns(item: Labels, rater: Labels, contrast: Floats | None, *, is_trivial_rater: bool) -> RandomColumns:
    """Intercepts of items and raters and, for each that sees both sources more than once, slopes of the source.

    Args:
        item: shape (n,).
        rater: shape (n,).
        contrast: -1/2 for the reference and 1/2 for the source, shape (n,); None for no slopes.
        is_trivial_rater: whether a rater is the same thing as an item, so that only one of the two can vary.
    """
    names, found = [], []
    for name, labels in (("item", item), ("rater", rater)):
        code, n = codes(labels)
        rows = []
        if 1 < n < len(code) and not (name == "rater" and is_trivial_rater):
            rows.append(np.ones(len(code)))
            names.append(name)
            if contrast is not None and sees_both(code, contrast > 0):
                rows.append(contrast)
                names.append(f"{name}_slope")
        found.append(np.array(rows).reshape(len(rows), len(code)))
    return RandomColumns(found[0], found[1], tuple(names))


def is_nested_one_to_one(item: Labels, rater: Labels) -> bool:
    """Whether each rater has one item and each item one rater."""
    (items, n_items), (raters, n_raters) = codes(item), codes(rater)
    return n_items == n_raters == codes(items * n_raters + raters)[1]


def sees_both(code: Ints, is_treated: Bools) -> bool:
    """Whether levels rate both sources, on average more than once each: else a slope cannot be told from noise."""
    by_source = [np.bincount(code[side], minlength=int(code.max()) + 1) for side in (is_treated, ~is_treated)]
    both = (by_source[0] > 0) & (by_source[1] > 0)
    n_ratings = int(by_source[0][both].sum() + by_source[1][both].sum())
    return int(both.sum()) > 1 and n_ratings >= _REPEATS * 2 * int(both.sum())
