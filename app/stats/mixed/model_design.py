"""Inputs of mixed models: ordered classes of ratings, and the random effects that the ratings can identify."""

from dataclasses import dataclass

import numpy as np

from app.stats.arrays import Bools, Floats, Ints, Labels, codes

MAX_CLASSES = 12
_REPEATS = 1.5


@dataclass(frozen=True, eq=False)
class Classes:
    """Ordered classes of values: the class of each rating, and the lowest and the mean value of each class."""

    y: Ints
    lowest: Floats
    mean: Floats
    is_merged: bool


def ordered_classes(value: Floats, max_classes: int = MAX_CLASSES) -> Classes:
    """Make each distinct value a class; merge more than `max_classes` values (a slider) into classes of similar size.

    Under proportional odds, the odds ratio does not depend on how adjacent points are merged.
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
    """Columns whose effects vary by item and by rater, shape (q, n), their names, and which are slopes; items first."""

    item: Floats
    rater: Floats
    names: tuple[str, ...]
    is_slope: tuple[bool, ...]


def random_columns(item: Labels, rater: Labels, contrast: Floats | None) -> RandomColumns:
    """Return intercepts of items and raters, and source slopes for factors that see both sources repeatedly.

    If raters and items coincide one to one, only items vary.

    Args:
        item: labels, shape (n,).
        rater: labels, shape (n,).
        contrast: -1/2 for the reference and 1/2 for the source, shape (n,); None for no slopes.
    """
    names, is_slope, found = [], [], []
    is_trivial_rater = is_nested_one_to_one(item, rater)
    for name, labels in (("item", item), ("rater", rater)):
        code, n = codes(labels)
        rows = []
        if 1 < n < len(code) and not (name == "rater" and is_trivial_rater):
            rows.append(np.ones(len(code)))
            names.append(name)
            is_slope.append(False)
            if contrast is not None and sees_both(code, contrast > 0):
                rows.append(contrast)
                names.append(f"{name}_slope")
                is_slope.append(True)
        found.append(np.array(rows).reshape(len(rows), len(code)))
    return RandomColumns(found[0], found[1], tuple(names), tuple(is_slope))


def is_nested_one_to_one(item: Labels, rater: Labels) -> bool:
    """Whether each rater has exactly one item and each item exactly one rater."""
    (items, n_items), (raters, n_raters) = codes(item), codes(rater)
    return n_items == n_raters == codes(items * n_raters + raters)[1]


def sees_both(code: Ints, is_treated: Bools) -> bool:
    """Whether levels rate both sources, on average more than once each; otherwise a slope is not identifiable."""
    by_source = [np.bincount(code[side], minlength=int(code.max()) + 1) for side in (is_treated, ~is_treated)]
    both = (by_source[0] > 0) & (by_source[1] > 0)
    n_ratings = int(by_source[0][both].sum() + by_source[1][both].sum())
    return int(both.sum()) > 1 and n_ratings >= _REPEATS * 2 * int(both.sum())
