"""The responses of each item, found for whole columns at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from app.exchange.tabular.table import places

if TYPE_CHECKING:
    import pandas as pd

    from app.exchange.tabular.columns import Places
    from app.exchange.tabular.table import Column

UNKNOWN, AMBIGUOUS = -1, -2


class Replies:
    """Responses by item, and by item and source; all by place (row number) in their tables."""

    def __init__(self, items: pd.DataFrame, responses: pd.DataFrame, sources: list[str]) -> None:
        """Sort them once, so that each look-up is a search."""
        self.keys: Column = responses["response"].to_numpy(dtype=object)
        self.sources = sources
        self.item: Places = places(items["item"].to_numpy(dtype=object), responses["item"].to_numpy(dtype=object))
        self.source: Places = places(sources, responses["source"].to_numpy(dtype=object))
        self._by_item: Places = np.argsort(self.item, kind="stable")
        self._items_sorted: Places = self.item[self._by_item]
        pair = self._pair_key(self.item, self.source)
        self._by_pair: Places = np.argsort(pair, kind="stable")
        self._pairs_sorted: Places = pair[self._by_pair]

    def _pair_key(self, item: Places, source: Places) -> Places:
        return item * (len(self.sources) + 1) + source

    def count(self, item: Places) -> Places:
        """How many responses each of these items has."""
        return _span(self._items_sorted, item)[1]

    def first_two(self, item: Places) -> tuple[Places, Places]:
        """The two responses of items that have exactly two; UNKNOWN for others."""
        start, count = _span(self._items_sorted, item)
        two = count == 2  # noqa: PLR2004 - a pair
        first, second = (np.full(len(item), UNKNOWN, dtype=np.int64) for _ in range(2))
        first[two] = self._by_item[start[two]]
        second[two] = self._by_item[start[two] + 1]
        return first, second

    def by_source(self, item: Places, source: Places) -> Places:
        """The one response of that source to that item; UNKNOWN where there is none, AMBIGUOUS where there are more."""
        start, count = _span(self._pairs_sorted, self._pair_key(item, source))
        found = np.full(len(item), UNKNOWN, dtype=np.int64)
        one = (count == 1) & (item >= 0) & (source >= 0)
        found[one] = self._by_pair[start[one]]
        found[(count > 1) & (item >= 0) & (source >= 0)] = AMBIGUOUS
        return found

    def at(self, place: Places) -> Column:
        """The ids at these places; None for those that are none."""
        found = np.full(len(place), None, dtype=object)
        found[place >= 0] = self.keys[place[place >= 0]]
        return found


def _span(ordered: Places, wanted: Places) -> tuple[Places, Places]:
    start = np.searchsorted(ordered, wanted, side="left")
    return start, np.searchsorted(ordered, wanted, side="right") - start
