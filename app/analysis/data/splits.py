"""Ways to split a study: conditions, shown labels, attributes of items, attributes and scores of raters."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd

from app.analysis.data.answers import Answers
from app.analysis.data.encoded_study import Bools, Codes, Ints
from app.analysis.data.question_data import ScaledData
from app.analysis.data.study_folder import RATER_MARKS
from app.analysis.estimate import Scope
from app.base.words import number, number_text
from app.protocol.cells import Cell, cell_of

MAX_LEVELS = 12
# An attribute with a different value on nearly every row is a name, not a group.
MIN_PER_LEVEL = 2
OWN_COLUMNS = frozenset({"item", "rater", "kind", "pool", *RATER_MARKS})


@dataclass(frozen=True, eq=False)
class Split:
    """One way to split the answers; `code` is the level of each answer in `Codes.rows`, -1 for none.

    `of_factor`: the factor and level that each level is, if all are levels of one factor of the design. `of_score`: the
    question about raters, or composite of them, whose answers are the levels.
    """

    kind: Literal["condition", "shown_label", "subgroup"]
    name: str
    levels: tuple[str, ...]
    code: Ints
    is_at_median: bool = False
    of_factor: tuple[tuple[str, str], ...] = ()
    of_score: str = ""

    def scope(self, level: int) -> Scope:
        """Return the scope that restricts an estimate to a level."""
        words = self.levels[level]
        match self.kind:
            case "condition":
                return {"condition": words}
            case "shown_label":
                return {"shown_label": words}
            case "subgroup":
                return {"subgroup": {self.name: words}}

    def of(self, answers: Answers) -> Ints:
        """Return the level of each answer."""
        return self.code[answers.row]


def designed_splits(codes: Codes) -> Iterator[Split]:
    """Yield splits by condition (by cell, and by each factor if there are several) and by shown label."""
    code, texts = _factorized(codes.kept["condition"])
    cells = [cell_of(text) if "=" in text else Cell() for text in texts]
    factors = list(dict.fromkeys(name for cell in cells for name, _ in cell.levels))
    is_one = len(factors) == 1 and all(cell.levels for cell in cells)
    of_factor = tuple(cell.levels[0] for cell in cells) if is_one else ()
    yield from _of_levels("condition", "condition", texts, code, of_factor=of_factor)
    for name in factors if len(factors) > 1 else ():
        part, levels = _factorized(pd.Series([cell.level(name) for cell in cells], dtype=object))
        named = tuple((name, level) for level in levels)
        yield from _of_levels(
            "condition", name, tuple(Cell((one,)).text for one in named), _through(part, code), of_factor=named
        )
    code, labels = _factorized(codes.kept["shown_label"])
    yield from _of_levels("shown_label", "shown_label", labels, code)


def attribute_splits(codes: Codes, about_raters: list[ScaledData]) -> Iterator[Split]:
    """Yield splits by attributes of items and raters, and by scores on questions about the raters."""
    yield from item_splits(codes)
    if codes.raters.are_known:
        yield from _by_columns(codes.rater_table, codes.rows.rater)
    for data in about_raters:
        answers = data.answers
        score = pd.Series(answers.value).groupby(answers.rater).mean()
        found = _levels(score.reindex(range(len(codes.raters.ids))).map(number_text, na_action="ignore"))
        if found is not None:
            code = _through(found[0], codes.rows.rater)
            key = data.question.key
            yield from _of_levels("subgroup", key, found[1], code, is_at_median=found[2], of_score=key)


def item_splits(codes: Codes) -> Iterator[Split]:
    """Yield splits by attributes of items."""
    yield from _by_columns(codes.items, codes.rows.item)


def _by_columns(table: pd.DataFrame, at: Ints) -> Iterator[Split]:
    for name in (column for column in table.columns if column not in OWN_COLUMNS):
        found = _levels(table[name])
        if found is not None:
            yield from _of_levels("subgroup", str(name), found[1], _through(found[0], at), is_at_median=found[2])


def groups_of_raters(codes: Codes, name: str) -> list[tuple[str, Bools]]:
    """Return each group of human raters by a column of raters.csv, with its mask; of two groups only the second.

    Raters without a level are in no group. Empty if there are fewer than two groups, or more than MAX_LEVELS.
    """
    if name not in codes.rater_table or name in {"rater", "kind", "is_simulated"}:
        return []
    found = _levels(codes.rater_table[name].where(~codes.raters.is_model, None))
    if found is None:
        return []
    code, names, _ = found
    each = [(level, np.asarray(code == number)) for number, level in enumerate(names)]
    return each[1:] if len(each) == 2 else each  # noqa: PLR2004 - two groups are one comparison


def unsplittable(codes: Codes) -> dict[str, str]:
    """Return the attributes in words that have too many levels to split by, with the reason."""
    found = {}
    for table in (codes.items, codes.rater_table) if codes.raters.are_known else (codes.items,):
        for name in (column for column in table.columns if column not in OWN_COLUMNS):
            code, texts = _factorized(table[name])
            is_group = len(texts) * MIN_PER_LEVEL <= np.count_nonzero(code >= 0)
            if len(texts) > MAX_LEVELS and is_group and _levels(table[name]) is None:
                found[str(name)] = f"{len(texts)} values are too many to split by"
    return found


def _of_levels(
    kind: Literal["condition", "shown_label", "subgroup"],
    name: str,
    levels: tuple[str, ...],
    code: Ints,
    *,
    is_at_median: bool = False,
    of_factor: tuple[tuple[str, str], ...] = (),
    of_score: str = "",
) -> Iterator[Split]:
    if len(levels) > 1:
        yield Split(kind, name, levels, code, is_at_median, of_factor, of_score)


def _levels(column: pd.Series[str]) -> tuple[Ints, tuple[str, ...], bool] | None:
    """Return a few levels as they are (False), or many numbers split at the median (True); None if there are none."""
    code, texts = _factorized(column)
    if 1 < len(texts) <= MAX_LEVELS and np.bincount(code[code >= 0]).min() >= MIN_PER_LEVEL:
        return code, texts, False
    values = [number(text) for text in texts]
    if len(texts) <= 1 or None in values:
        return None
    each = np.array(values, dtype=np.float64)[code]
    each[code < 0] = np.nan
    middle = float(np.nanmedian(each))
    is_high = np.where(np.isnan(each), -1, each >= middle).astype(np.int64)
    if len(np.unique(is_high[is_high >= 0])) == 1:
        return None
    return is_high, (f"below {number_text(middle)}", f"{number_text(middle)} or more"), True


def _factorized(column: pd.Series[str]) -> tuple[Ints, tuple[str, ...]]:
    """Return codes in the order of the sorted texts, so that the order of rows does not matter; -1 for missing."""
    code, texts = pd.factorize(column.astype(object))
    names = [str(text) for text in texts]
    order = np.argsort(np.array(names, dtype=object)) if names else np.zeros(0, dtype=np.int64)
    place = np.append(np.argsort(order), -1)
    return place[code].astype(np.int64), tuple(names[k] for k in order)


def _through(of_level: Ints, code: Ints) -> Ints:
    """Return the level of each answer from the code of its item or rater; -1 stays -1."""
    return np.append(of_level, -1)[code]
