"""Note items that cannot be shown as pairs: no rater would see them, and nothing else would say so."""

import numpy as np
import pandas as pd

from app.base.files.cells import faulty
from app.base.files.table import Table
from app.base.problems import Problems
from app.base.words import and_list
from app.protocol.allocation.trials import special_items
from app.protocol.questions.of_set import MIN_SET
from app.protocol.study import Protocol

MAX_NAMED = 5
_WAYS_OUT = "add a response to it, delete its row, or ask about pairs or single responses instead"


def note_unpaired(items: Table, responses: pd.DataFrame, protocol: Protocol, problems: Problems) -> None:
    """Note the items without a pair if the design declares pairs.

    Args:
        items: items.csv.
        responses: all responses.
        protocol: practice and gold items have trials of their own.
        problems: collects the note, which names the first items.
    """
    if protocol.design.trials != "pairs" or "item" not in items.columns:
        return
    without = set(items.stripped("item")) - _with_pair(responses, protocol) - special_items(protocol)
    rows = [(row, key) for row, key in zip(items.rows, items.stripped("item"), strict=True) if key in without]
    if rows:
        named = and_list((key for _, key in rows), MAX_NAMED)
        wanted = "a response of the reference and another one" if _needs_reference(protocol) else "two responses"
        allowed = f"items with {wanted}, because the design asks for pairs; raters will not see an item without"
        problems.note(items.file, int(rows[0][0]), "item", named, allowed)


def _needs_reference(protocol: Protocol) -> bool:
    return protocol.design.pairs == "reference"


def _with_pair(responses: pd.DataFrame, protocol: Protocol) -> set[object]:
    """The items that have a pair of responses."""
    if _needs_reference(protocol):
        is_reference = responses["source"] == protocol.reference
        return set(responses["item"][is_reference]) & set(responses["item"][~is_reference])
    return set(responses["item"][responses["item"].duplicated()])


# Check that items have enough responses for questions about sets of them.


def check_rankable(items: Table, responses: pd.DataFrame, protocol: Protocol, problems: Problems) -> None:
    """Check that each item has three responses or more if a question is about sets of responses.

    Args:
        items: items.csv.
        responses: all responses.
        protocol: its practice and gold items may have fewer responses.
        problems: collects the rows with too few responses.
    """
    if not protocol.set_questions or "item" not in items.columns:
        return
    deed = protocol.set_questions[0].deed
    counts, keys = responses["item"].value_counts(), items.stripped("item")
    special = special_items(protocol)
    n_responses = np.array([counts.get(key, 0) for key in keys])
    is_rated = np.array([key not in special for key in keys], dtype=bool)
    for n in np.unique(n_responses[n_responses < MIN_SET]):
        where = is_rated & (n_responses == n)
        faulty(
            items,
            where,
            "item",
            keys,
            f"an item with at least {MIN_SET} responses to {deed}; this item has {n}: {_WAYS_OUT}",
            problems,
        )
