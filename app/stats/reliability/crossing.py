"""The crossing of units and raters, and the sums that variance components are computed from."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

if TYPE_CHECKING:
    from app.stats.core.arrays import Floats, Ints
    from app.stats.core.ratings import Ratings


@dataclass(frozen=True, eq=False)
class Side:
    """Units or raters: `code` of each rating; number of ratings and sum of values per level."""

    code: Ints
    size: Ints
    total: Floats

    def __len__(self) -> int:
        return len(self.size)

    @property
    def sum_of_squares(self) -> float:
        """Sum over the levels of squared total divided by size."""
        return float((self.total**2 / self.size).sum())


class Crossing:
    """The ratings as a crossed design. Values are centred with variance 1, so that components are proportions."""

    def __init__(self, ratings: Ratings) -> None:
        largest = float(np.abs(ratings.value).max()) or 1.0
        value = ratings.value / largest
        value = value - value.mean()
        self.value: Floats = value / (float(np.sqrt((value**2).mean())) or 1.0)
        self.n = len(value)
        self.units = self._side(ratings.unit_row, ratings.n_units)
        self.raters = self._side(ratings.rater_row, len(ratings.rater_codes))

    def _side(self, code: Ints, n_levels: int) -> Side:
        size = np.bincount(code, minlength=n_levels)
        return Side(code, size, np.asarray(np.bincount(code, self.value, n_levels), dtype=np.float64))

    @cached_property
    def cell_size(self) -> Ints:
        """Number of ratings of each pair of unit and rater that occurs."""
        _, size = np.unique(self.units.code * len(self.raters) + self.raters.code, return_counts=True)
        return np.asarray(size)

    @property
    def is_complete(self) -> bool:
        """Whether each rater rated each unit exactly once."""
        return self.n == len(self.cell_size) == len(self.units) * len(self.raters)

    @property
    def per_unit(self) -> float:
        """Harmonic mean of the number of ratings per unit."""
        return float(len(self.units) / (1 / self.units.size).sum())

    @cached_property
    def df_rest(self) -> int:
        """Number of ratings minus parameters for units and raters; 0 if each rater has their own units."""
        n_islands, _ = connected_components(self._graph(), directed=False)
        return self.n - (len(self.units) + len(self.raters) - n_islands)

    def incidence(self, rows: Side, columns: Side) -> Any:  # noqa: ANN401 - scipy's sparse array types have no common name
        """Return how often each level of one side was crossed with each of the other, as a sparse array."""
        return csr_array((np.ones(self.n), (rows.code, columns.code)), shape=(len(rows), len(columns)))

    def _graph(self) -> Any:  # noqa: ANN401 - as above
        n_units, n_levels = len(self.units), len(self.units) + len(self.raters)
        return csr_array((np.ones(self.n), (self.units.code, n_units + self.raters.code)), shape=(n_levels, n_levels))
