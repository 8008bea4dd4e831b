"""Highlights: the passages of each answer lie within the text that it marks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from app.design.dialogue import turns_from_json
from app.design.questions.spans import read_spans

if TYPE_CHECKING:
    import pandas as pd

    from app.design.questions.kinds.highlight import HighlightQuestion
    from app.exchange.ratings.ratings_table import Sheet
    from app.exchange.ratings.targets import Study, Targets
    from app.exchange.tabular.column_checks import Mask

    Passages = tuple[tuple[str, ...], bool]


def check_highlights(question: HighlightQuestion, rows: Mask, sheet: Sheet, study: Study, targets: Targets) -> None:
    """Reject answers that mark characters beyond the text, or a turn that it does not have."""
    marked, turn = sheet.table.stripped("value"), sheet.table.stripped("turn")
    known: dict[tuple[int, int], Passages | None] = {}
    for at in np.flatnonzero(rows & sheet.ok).tolist():
        text = int(targets.item[at]), -1 if question.target == "item" else int(targets.response[at])
        if text not in known:
            known[text] = _passages(study, *text)
        found = known[text]
        if found is not None and question.target == "turn":
            found = _turn(found, str(turn[at]))
        allowed = None if found is None else beyond(str(marked[at]), *found)
        if allowed:
            where = np.zeros(len(sheet.table), dtype=bool)
            where[at] = True
            sheet.reject(where, "value", allowed)


def beyond(marked: str, passages: tuple[str, ...], in_turns: bool) -> str:  # noqa: FBT001 - a pair with `passages`
    """Return what is allowed if a mark is not within the passages, else an empty text.

    >>> beyond("0-3|9-12", ("I am so sorry",), False), beyond("9-99", ("I am so sorry",), False)
    ('', 'passages within the text, which has 13 characters')
    """
    if read_spans(marked, passages, in_turns=in_turns) is not None:
        return ""
    if in_turns:
        sizes = ", ".join(str(len(passage)) for passage in passages)
        return f"passages within the turns of the text, each with the number of its turn; they have {sizes} characters"
    return f"passages within the text, which has {len(passages[0])} characters"


def passages_of(text: str | None, turns: str | None) -> Passages | None:
    """Return a text or its turns, and whether it has turns; None if the turns are invalid (reported elsewhere)."""
    if not turns:
        return (text or "",), False
    try:
        return tuple(turn["text"] for turn in turns_from_json(turns)), True
    except ValueError:
        return None


def _passages(study: Study, item: int, response: int) -> Passages | None:
    table: pd.DataFrame = study.items if response < 0 else study.responses
    row = table.iloc[item if response < 0 else response]
    return passages_of(row["text"], row["turns"])


def _turn(passages: Passages, number: str) -> Passages | None:
    """Return one turn as a text of its own; None if there is no such turn, which is reported elsewhere."""
    place = int(number) if number.isascii() and number.isdigit() else 0
    return ((passages[0][place - 1],), False) if 1 <= place <= len(passages[0]) else None
