"""The pairwise comparisons that a ranking implies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

if TYPE_CHECKING:
    from app.stats.core.arrays import Floats, Ints


@dataclass(frozen=True, slots=True)
class RankedPairs:
    """All response pairs in each ranking, as indices into the ranks: `one` before `other`; `worth` shape (n_pairs,).

    `worth`: 1 if `one` is ranked above `other`, 0 if below, one half if they are tied.
    """

    one: Ints
    other: Ints
    worth: Floats


def ranked_pairs(rank: Floats, ranking: Ints) -> RankedPairs:
    """Return the pairs of all rankings. Pairs of one ranking are not independent: cluster them by item and rater.

    Args:
        rank: shape (n,), lower is first.
        ranking: shape (n,), code of the ranking that each rank belongs to.

    >>> ranked_pairs(np.array([1.0, 2, 2]), np.zeros(3, dtype=np.int64)).worth
    array([1. , 1. , 0.5])
    """
    table = pd.DataFrame({"ranking": ranking, "at": np.arange(len(rank))})
    both = table.merge(table, on="ranking")
    both = both[both["at_x"] < both["at_y"]]
    one, other = both["at_x"].to_numpy(dtype=np.int64), both["at_y"].to_numpy(dtype=np.int64)
    return RankedPairs(one, other, np.sign(rank[other] - rank[one]) / 2 + 0.5)
