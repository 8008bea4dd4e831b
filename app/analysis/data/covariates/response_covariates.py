"""Covariates of the responses: measures of their texts, and scores imported with responses.csv."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from app.design.numbers import number
from app.stats.text.text_measures import MEASURES, measured

if TYPE_CHECKING:
    import pandas as pd

    from app.analysis.data.encoded_study import Floats
    from app.analysis.data.frames import Frames
    from app.design.protocol.study import Protocol

OWN_COLUMNS = frozenset({"response", "item", "source", "text"})
# A text takes some milliseconds; larger studies are measured on demand only.
MAX_TEXTS = 5_000
TOO_MANY = "left out above 5,000 texts; run with --full"
MIN_VALUES = 2


@dataclass(frozen=True, eq=False)
class Covariates:
    """`known`: one value per response, nan if missing. `left_out`: the reason for each missing measure."""

    known: dict[str, Floats]
    left_out: dict[str, str]


def covariates_of(frames: Frames, protocol: Protocol, *, full: bool) -> Covariates:
    """Return the measures of the texts, followed by every column of responses.csv that contains only numbers."""
    table = frames.responses
    known: dict[str, Floats] = {}
    left_out: dict[str, str] = {}
    if "text" in table and (table["text"].str.len() > 0).any():
        too_many = TOO_MANY if len(table) > MAX_TEXTS and not full else ""
        why_not = {name: measure.why_not(protocol.language) or too_many for name, measure in MEASURES.items()}
        left_out = {name: why for name, why in why_not.items() if why}
        known |= measured(table["text"].tolist(), *(name for name, why in why_not.items() if not why))
    for column in table.columns:
        if column not in OWN_COLUMNS and column != protocol.analysis.responder:
            values = scores(table[column])
            if values is not None:
                known[f"{column} (imported)" if column in MEASURES else str(column)] = values
    return Covariates(known, left_out)


def scores(column: pd.Series[str]) -> Floats | None:
    """Return the numbers of a column, nan for empty cells; None if a cell is not a number or if all are equal."""
    code, texts = column.factorize()
    each = [number(str(text)) for text in texts]
    if None in each or len(set(each)) < MIN_VALUES:
        return None
    values: Floats = np.append(np.array(each, dtype=np.float64), np.nan)[code]
    return values
