"""Ratings in long format, the input of every agreement statistic."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from typing import TypedDict

import numpy as np
from numpy.typing import ArrayLike

from app.stats.arrays import Bools, Floats, Ints

# minimum number of ratings of a unit for agreement
PAIR = 2
# patterns of counts are encoded in 62 bits
MAX_PATTERNS = 2**62


class Sizes(TypedDict):
    """The counts that every agreement Result contains."""

    n_units: int
    n_pairable_units: int
    n_raters: int
    n_ratings: int


@dataclass(frozen=True, eq=False)
class Ratings:
    """Arrays of equal length, with one entry per rating: unit and rater codes >= 0, and the value.

    A value is a scale point or a category code. Several ratings of a unit by one rater count separately: planned
    repeats belong in `intra_rater_agreement`, not here.

    Raises:
        ValueError: unequal lengths, a negative code, or a value that is not finite.
    """

    unit: Ints
    rater: Ints
    value: Floats

    def __post_init__(self) -> None:
        arrays: dict[str, Floats | Ints] = {
            "unit": _codes(self.unit, "unit"),
            "rater": _codes(self.rater, "rater"),
            "value": _without_negative_zero(np.asarray(self.value, dtype=np.float64)),
        }
        if len({array.shape for array in arrays.values()}) != 1 or arrays["value"].ndim != 1:
            raise ValueError("unit, rater and value are flat arrays of one length")
        if not np.isfinite(arrays["value"]).all():
            raise ValueError("a rating has a finite value; leave missing ones out")
        for name, array in arrays.items():
            object.__setattr__(self, name, array)

    @cached_property
    def digest(self) -> bytes:
        """Hash of unit, rater and value of each rating; units and raters count by their order only."""
        digest = blake2b(digest_size=16)
        for part in (self.unit_row, self.rater_row, self.value):
            digest.update(np.ascontiguousarray(part).data)
            digest.update(b"|")
        return digest.digest()

    @cached_property
    def n_units(self) -> int:
        """Number of units with at least one rating."""
        return len(self.unit_codes)

    @cached_property
    def unit_codes(self) -> Ints:
        """Codes of the rated units, ascending: the rows of `counts`."""
        return present_codes(self.unit)

    @cached_property
    def unit_row(self) -> Ints:
        """Row of each rating's unit in `counts`."""
        return rows_of(self.unit, self.unit_codes)

    @cached_property
    def rater_codes(self) -> Ints:
        """Codes of the raters with at least one rating, ascending."""
        return present_codes(self.rater)

    @cached_property
    def rater_row(self) -> Ints:
        """Index of each rating's rater in `rater_codes`."""
        return rows_of(self.rater, self.rater_codes)

    @cached_property
    def cells(self) -> tuple[Ints, int]:
        """Unit-rater pair of each rating as a code from 0, and the number of pairs."""
        pairs, code = np.unique(self.unit_row * len(self.rater_codes) + self.rater_row, return_inverse=True)
        return code.astype(np.int64), len(pairs)

    @property
    def values(self) -> Floats:
        """Distinct values that occur, ascending: the columns of `counts`."""
        return self._values_and_columns[0]

    @property
    def value_column(self) -> Ints:
        """Column of each rating's value in `counts`."""
        return self._values_and_columns[1]

    @cached_property
    def _values_and_columns(self) -> tuple[Floats, Ints]:
        low = float(self.value.min()) if len(self.value) else 0.0
        above = self.value - low
        if above.max(initial=0.0) < _dense(len(above)):
            steps = above.astype(np.int64)
            if np.array_equal(steps, above):  # integer steps, as on nearly every scale, need no sorting
                present = present_codes(steps)
                return np.asarray(present + low, dtype=np.float64), rows_of(steps, present)
        values = np.unique(self.value)
        return values, np.searchsorted(values, self.value)

    @cached_property
    def counts(self) -> Ints:
        """Number of ratings of each value per unit, shape (n_units, n_values)."""
        shape = (self.n_units, len(self.values))
        cell = self.unit_row * shape[1] + self.value_column
        return np.bincount(cell, minlength=shape[0] * shape[1]).reshape(shape)

    @cached_property
    def is_pairable(self) -> Bools:
        """Whether each unit (row of `counts`) has at least two ratings."""
        return np.bincount(self.unit_row, minlength=self.n_units) >= PAIR

    @property
    def paired(self) -> Ratings:
        """Ratings of units with at least two ratings: the only ones that are informative about agreement."""
        return self if self.is_pairable.all() else self._paired

    @cached_property
    def _paired(self) -> Ratings:
        return self.select(self.is_pairable[self.unit_row])

    def counts_over(self, domain: Sequence[float] | None) -> tuple[Ints, Floats]:
        """Return `counts` extended by the declared values, and the values: shapes (n_units, V) and (V,).

        A value that occurs without being declared (a mean over several people) keeps its column.
        """
        return self._over(self.counts, domain)

    def patterns_over(self, domain: Sequence[float] | None) -> tuple[Ints, Floats]:
        """Like `counts_over`, for the rows of `patterns`."""
        return self._over(self.patterns[0], domain)

    def _over(self, rows: Ints, domain: Sequence[float] | None) -> tuple[Ints, Floats]:
        if domain is None:
            return rows, self.values
        values = np.union1d(np.asarray(domain, dtype=np.float64) + 0.0, self.values)
        wide = np.zeros((len(rows), len(values)), dtype=np.int64)
        wide[:, np.searchsorted(values, self.values)] = rows
        return wide, values

    @cached_property
    def patterns(self) -> tuple[Ints, Ints]:
        """Result of `row_patterns` for `counts`."""
        return row_patterns(self.counts)

    @cached_property
    def pattern_row(self) -> Ints:
        """Row of each rating's unit in `patterns`."""
        return self.patterns[1][self.unit_row]

    def select(self, mask: Bools) -> Ratings:
        """Return the ratings where the boolean `mask`, shape (n,), is true."""
        return Ratings(self.unit[mask], self.rater[mask], self.value[mask])

    def of_raters(self, raters: ArrayLike) -> Ratings:
        """Return the ratings by these raters."""
        return self.select(np.isin(self.rater, np.asarray(raters)))

    def sizes(self) -> Sizes:
        """Return the numbers of units, raters and ratings."""
        return {
            "n_units": self.n_units,
            "n_pairable_units": int(self.is_pairable.sum()),
            "n_raters": len(self.rater_codes),
            "n_ratings": len(self.value),
        }


def _codes(values: ArrayLike, name: str) -> Ints:
    codes = np.asarray(values)
    if codes.size and (not np.issubdtype(codes.dtype, np.integer) or codes.min() < 0):
        raise ValueError(f"{name} holds whole codes from 0 on")
    return codes.astype(np.int64, copy=False)


def _without_negative_zero(value: Floats) -> Floats:
    """Turn -0.0 into 0.0, so that both are one category; values above 0, as on most scales, need no copy."""
    return value if value.size and value.min() > 0 else value + 0.0


def _dense(n: int) -> int:
    """Return the largest code among n values for which a lookup table is worthwhile."""
    return 4 * n + 1000


def row_patterns(counts: Ints) -> tuple[Ints, Ints]:
    """Return the distinct rows of `counts`, shape (P, V), and the index of each row among them, shape (N,).

    Five raters on five points produce at most 126 distinct rows, however many units there are. If rows cannot be
    encoded in 62 bits (a slider), nearly all rows are distinct, and each is kept as its own pattern.
    """
    base, width = int(counts.max(initial=0)) + 1, counts.shape[1]
    if base**width >= MAX_PATTERNS:
        return counts, np.arange(len(counts))
    place = base ** np.arange(width, dtype=np.int64)
    number = counts @ place
    kinds = present_codes(number)
    return kinds[:, None] // place % base, rows_of(number, kinds)


def present_codes(codes: Ints) -> Ints:
    """Return the distinct codes, ascending. Dense codes, the usual case, need no sorting."""
    if codes.size and codes.max() < _dense(codes.size):
        return np.flatnonzero(np.bincount(codes))
    return np.unique(codes)


def rows_of(codes: Ints, present: Ints) -> Ints:
    """Return the index in `present` of each code."""
    if codes.size and present[-1] == len(present) - 1:
        return codes
    if codes.size and present[-1] < _dense(codes.size):
        place = np.zeros(int(present[-1]) + 1, dtype=np.int64)
        place[present] = np.arange(len(present))
        return place[codes]
    return np.searchsorted(present, codes)
