"""Note items that cannot be shown as pairs: no rater would see them, and nothing else would say so."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.design.allocation.special_trials import special_items
from app.design.word_lists import and_list

if TYPE_CHECKING:
    import pandas as pd

    from app.design.protocol.study import Protocol
    from app.exchange.problems import Problems
    from app.exchange.tabular.table import Table

MAX_NAMED = 5


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
