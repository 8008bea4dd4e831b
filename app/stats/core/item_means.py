"""Item means of a source and of its reference: the unit of analysis of the field's classical tests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from app.stats.core.arrays import codes, present

if TYPE_CHECKING:
    from app.stats.core.arrays import Bools, Floats, Labels


@dataclass(frozen=True, slots=True)
class ItemMeans:
    """Mean rating of the source and of the reference per item, in order of first appearance; nan if not rated."""

    mine: Floats
    theirs: Floats
    n_raters: int
    n_ratings: int

    @property
    def scale(self) -> float:
        """Absolute value of the largest item mean, as the scale for rounding errors."""
        return float(np.nanmax(np.abs([self.mine, self.theirs])))

    def counts(self, n_units: int) -> dict[str, int | None]:
        return {
            "n_items": len(self.mine),
            "n_units": n_units,
            "n_raters": self.n_raters,
            "n_ratings": self.n_ratings,
        }


def means_by_item(value: Floats, item: Labels) -> Floats:
    """Return the mean rating per item in order of first appearance. `value` must not contain nan."""
    number, n = codes(item)
    return np.bincount(number, value, n) / np.bincount(number, minlength=n)


def item_means(value: Floats, is_treated: Bools, *, item: Labels, rater: Labels) -> ItemMeans:
    """Return the item means of both sources. All arguments have shape (n,), one entry per rating; nan is dropped."""
    number, (treated, items, raters) = present(value, is_treated, item, rater)
    treated = treated.astype(bool)
    code, n_items = codes(items)
    both = [_means(number[side], code[side], n_items) for side in (treated, ~treated)]
    return ItemMeans(both[0], both[1], codes(raters)[1], len(number))


def _means(value: Floats, code: Labels, n: int) -> Floats:
    count = np.bincount(code, minlength=n)
    total = np.bincount(code, value, n)
    mean: Floats = np.divide(total, count, out=np.full(n, np.nan), where=count > 0)
    return mean
