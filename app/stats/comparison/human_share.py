"""How wide the interval by judge and people will be, if people rate a share of the items: for planning.

The variance of an estimate has a part of the items, a / m for m items that people rate, and a part of the raters, b / R
for R raters. With a judge of all n items whose values correlate with those of people by r over items, the first part
falls by the factor 1 - r^2 (1 - m / n); the judge does not change the second (see `prediction_powered`).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from app.stats.arrays import Floats, Ints
from app.stats.clusters import cluster_variance, clusters, crossed_df, t_quantile
from app.stats.jackknife import fisher_ends

# Below this, a correlation has no interval by Fisher's z.
MIN_ITEMS = 4


@dataclass(frozen=True, slots=True)
class Components:
    """Variance of an estimate: `items` divided by the number of items plus `raters` divided by that of raters.

    `cells`, divided by the number of item x rater cells, of which there are `per_item` for an item, is a part of the
    observed variances between items and between raters; it matters for the degrees of freedom only, see `crossed_df`.
    """

    items: float
    raters: float
    cells: float
    per_item: float

    def width(self, n_items: int, n_raters: int, *, of: int, correlation: float, level: float = 0.95) -> float | None:
        """Return the width of the interval if `n_raters` rate `n_items` of the items that a judge rates.

        Args:
            n_items: number of items that people rate.
            n_raters: number of raters.
            of: number of items that the judge rates.
            correlation: of judge and people over items; 0 for people alone.
            level: confidence level.

        Returns:
            None with fewer than two items or raters, which give no interval.
        """
        if min(n_items, n_raters) <= 1:
            return None
        explained = correlation**2 if n_items < of else 0.0
        kept = (1 - explained * (1 - n_items / of)) * self.items / n_items
        n_cells, rater = n_items * self.per_item, self.raters / n_raters
        # what the judge explains of the items that people rate is in their cells too
        cell = max(self.cells - explained * self.items, 0.0) / n_cells
        df = crossed_df((kept, n_items - 1), (rater + cell, n_raters - 1), (cell, n_cells - 1))
        return float(2 * t_quantile(df, level) * (kept + rater) ** 0.5)


def components(studies: Sequence[tuple[Floats, Ints, Ints]]) -> Components | None:
    """Return the mean components over studies, each with the influence, the item and the rater of each rating.

    The part of raters is what they add to the variance between items, as in `two_way`.

    Returns:
        None if no study has two items and two raters.
    """
    found = []
    for influence, item, rater in studies:
        groups = clusters(item, rater)
        if groups.df >= 1:
            by_item = cluster_variance(influence, groups.item, groups.n_items)
            by_rater = cluster_variance(influence, groups.rater, groups.n_raters)
            by_cell = cluster_variance(influence, groups.cell, groups.n_cells)
            # not max(…, 0): a mean over studies must not become larger by chance
            of_raters = (by_rater - by_cell) * groups.n_raters
            per_item = groups.n_cells / groups.n_items
            found.append((by_item * groups.n_items, of_raters, by_cell * groups.n_cells, per_item))
    if not found:
        return None
    items, raters, cells, per_item = np.mean(found, axis=0).tolist()
    return Components(items, max(raters, 0.0), cells, per_item)


def correlation_ends(r: float, n: int, level: float = 0.95) -> tuple[float, float] | None:
    """Return the interval of a correlation over n items by Fisher's z; None with fewer than `MIN_ITEMS` items."""
    if n < MIN_ITEMS or abs(r) >= 1:
        return None
    return fisher_ends(r, t_quantile(np.inf, level) * (1 - r**2) / (n - 3) ** 0.5)


def fewest(width: Callable[[int], float | None], goal: float, of: int) -> int | None:
    """Return the smallest number of items, of `of`, whose interval is at most `goal` wide; None if there is none.

    Args:
        width: returns the width for a number of items; it falls as this grows.
        goal: the width to reach.
        of: number of all items.
    """
    low, high = 1, of
    while low < high:
        middle = (low + high) // 2
        found = width(middle)
        low, high = (low, middle) if found is not None and found <= goal else (middle + 1, high)
    found = width(low)
    return low if found is not None and found <= goal else None
