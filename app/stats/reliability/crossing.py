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
    def n_met(self) -> Any:  # noqa: ANN401 - scipy's sparse array types have no common name
        """How often each rater rated each unit, as a sparse array, shape (n_units, n_raters)."""
        return csr_array(
            (np.ones(self.n), (self.units.code, self.raters.code)), shape=(len(self.units), len(self.raters))
        )

    @property
    def is_complete(self) -> bool:
        """Whether each rater rated each unit exactly once."""
        return bool(self.n == self.n_met.nnz == len(self.units) * len(self.raters))

    @property
    def per_unit(self) -> float:
        """Harmonic mean of the number of ratings per unit."""
        return float(len(self.units) / (1 / self.units.size).sum())

    @cached_property
    def df_rest(self) -> int:
        """Number of ratings minus parameters for units and raters; 0 if each rater has their own units."""
        n_islands, _ = connected_components(self._graph(), directed=False)
        return self.n - (len(self.units) + len(self.raters) - n_islands)

    def _graph(self) -> Any:  # noqa: ANN401 - as above
        """Return units, then raters, as the points of a graph with a line between a unit and each of its raters."""
        met, n_levels = self.n_met, len(self.units) + len(self.raters)
        starts = np.concatenate([met.indptr, np.full(len(self.raters), met.nnz, dtype=met.indptr.dtype)])
        return csr_array((met.data, met.indices + len(self.units), starts), shape=(n_levels, n_levels))
