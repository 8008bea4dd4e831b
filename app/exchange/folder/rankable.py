"""Check that items whose responses are ranked have enough responses."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from app.design.allocation.special_trials import special_items
from app.design.questions.kinds.ranking import MIN_RANKED
from app.exchange.tabular.column_checks import faulty

if TYPE_CHECKING:
    import pandas as pd

    from app.design.protocol.study import Protocol
    from app.exchange.problems import Problems
    from app.exchange.tabular.table import Table


def check_rankable(items: Table, responses: pd.DataFrame, protocol: Protocol, problems: Problems) -> None:
    """Check that each item has three responses or more if the protocol asks raters to rank them.

    Args:
        items: items.csv.
        responses: all responses.
        protocol: its practice and gold items may have fewer responses.
        problems: collects the rows with too few responses.
    """
    if not protocol.ranking_questions or "item" not in items.columns:
        return
    counts, keys = responses["item"].value_counts(), items.stripped("item")
    special = special_items(protocol)
    n_responses = np.array([counts.get(key, 0) for key in keys])
    is_rated = np.array([key not in special for key in keys], dtype=bool)
    for n in np.unique(n_responses[n_responses < MIN_RANKED]):
        where = is_rated & (n_responses == n)
        faulty(
            items,
            where,
            "item",
            keys,
            f"an item with at least {MIN_RANKED} responses to rank; this item has {n}",
            problems,
        )
