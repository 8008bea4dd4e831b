"""Look up the responses of items, for whole columns at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from app.exchange.tabular.table import places

if TYPE_CHECKING:
    import pandas as pd

    from app.exchange.tabular.column_checks import Places
    from app.exchange.tabular.table import Column

UNKNOWN, AMBIGUOUS = -1, -2


class Replies:
    """Responses by item, and by item and source; everything is addressed by row position in its table."""

    def __init__(self, items: pd.DataFrame, responses: pd.DataFrame, sources: list[str]) -> None:
        """Sort the responses once, so that each look-up is a binary search."""
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
        """Return the number of responses of each of these items."""
        return _span(self._items_sorted, item)[1]

    def first_two(self, item: Places) -> tuple[Places, Places]:
        """Return the two responses of items that have exactly two; UNKNOWN for other items."""
        start, count = _span(self._items_sorted, item)
        two = count == 2  # noqa: PLR2004 - two responses
        first, second = (np.full(len(item), UNKNOWN, dtype=np.int64) for _ in range(2))
        first[two] = self._by_item[start[two]]
        second[two] = self._by_item[start[two] + 1]
        return first, second

    def by_source(self, item: Places, source: Places) -> Places:
        """Return the only response of a source to an item; UNKNOWN if there is none, AMBIGUOUS if there are several."""
        start, count = _span(self._pairs_sorted, self._pair_key(item, source))
        found = np.full(len(item), UNKNOWN, dtype=np.int64)
        one = (count == 1) & (item >= 0) & (source >= 0)
        found[one] = self._by_pair[start[one]]
        found[(count > 1) & (item >= 0) & (source >= 0)] = AMBIGUOUS
        return found

    def at(self, place: Places) -> Column:
        """Return the response IDs at these positions; None for negative positions."""
        found = np.full(len(place), None, dtype=object)
        found[place >= 0] = self.keys[place[place >= 0]]
        return found


def _span(ordered: Places, wanted: Places) -> tuple[Places, Places]:
    start = np.searchsorted(ordered, wanted, side="left")
    return start, np.searchsorted(ordered, wanted, side="right") - start
