"""Rankings: the ranks that one rater gave to the responses of one item, checked together."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from app.design.numbers import number
from app.design.questions.kinds.ranking import MIN_RANKED
from app.design.word_lists import or_list

if TYPE_CHECKING:
    from app.design.protocol.study import Protocol
    from app.design.questions.kinds.ranking import RankingQuestion
    from app.exchange.ratings.ratings_table import Sheet
    from app.exchange.ratings.targets import Study, Targets
    from app.exchange.tabular.column_checks import Mask, Places

    Shown = frozenset[str]


def check_rankings(question: RankingQuestion, rows: Mask, sheet: Sheet, study: Study, targets: Targets) -> None:
    """Check that every ranking is complete: one rank per response, unique unless ties are allowed, without gaps."""
    rows = rows & sheet.ok
    context = {name: sheet.table.stripped(name)[rows] for name in ("condition", "repeat")}
    table = pd.DataFrame({"rater": targets.rater[rows], "item": targets.item[rows], **context})
    table["repeat"] = table["repeat"].replace("", "0")
    places, sets = np.flatnonzero(rows), _Sets(study.protocol, targets)
    for _, group in table.groupby(list(table.columns), sort=False):
        _check_ranking(question, places[group.index.to_numpy()], sheet, targets, sets)


def _check_ranking(question: RankingQuestion, at: Places, sheet: Sheet, targets: Targets, sets: _Sets) -> None:
    response = targets.response[at]
    if len(np.unique(response)) < len(at):
        return  # A second rank for one response is reported separately.
    if allowed := sets.problem(int(targets.item[at[0]]), frozenset(targets.replies.keys[response])):
        _reject(sheet, at[:1], "response", allowed)
        return
    ranks = [int(number(text) or 0) for text in sheet.table.stripped("value")[at]]
    twice = [k for k, rank in enumerate(ranks) if rank in ranks[:k]]
    if twice and not question.ties:
        first = sheet.table.rows[at[ranks.index(ranks[twice[0]])]]
        _reject(
            sheet,
            at[twice[:1]],
            "value",
            f"each rank once (row {first} has the same rank), because the question does not allow ties",
        )
        return
    missing = sorted(set(range(1, max(ranks) + 1)) - set(ranks))
    if missing:
        _reject(sheet, at[[ranks.index(max(ranks))]], "value", f"ranks without gaps: no response has rank {missing[0]}")


def _reject(sheet: Sheet, at: Places, name: str, allowed: str) -> None:
    where = np.zeros(len(sheet.table), dtype=bool)
    where[at] = True
    sheet.reject(where, name, allowed)


class _Sets:
    """Knows which responses of an item are ranked together."""

    def __init__(self, protocol: Protocol, targets: Targets) -> None:
        self._keys, self._item = targets.replies.keys, targets.replies.item
        named = [*protocol.design.listed, *(gold.responses for gold in protocol.checks.gold if gold.responses)]
        self._named = {frozenset(keys) for keys in named}
        self._all: dict[int, Shown] = {}

    def problem(self, item: int, ranked: Shown) -> str | None:
        """Return which responses are allowed instead of these; None if these may be ranked together."""
        if item not in self._all:
            self._all[item] = frozenset(self._keys[self._item == item])
        whole = self._all[item]
        if len(ranked) >= MIN_RANKED and (ranked == whole or ranked in self._named):
            return None
        if len(whole) < MIN_RANKED:
            return f"an item with at least {MIN_RANKED} responses; this item has {len(whole)}"
        return f"a ranking of all responses to the item; there is no rank for {or_list(sorted(whole - ranked))}"
