"""The scores that ratings are set against: of raters, of what was rated, or of single ratings.

A question about the rater, and a composite of such questions, is a score because it was asked as one. A column of a
file is one only if `analysis.covariates` names it: a seat, a slot or a batch is a number too, and no score.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from app.design.questions.scale import number

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from app.analysis.data.answers import Answers
    from app.analysis.data.encoded_study import Codes, Floats
    from app.analysis.data.frames import Frames
    from app.analysis.data.question_data import ScaledSheet

_TWO = 2


@dataclass(frozen=True, eq=False)
class Score:
    """A covariate by rater, item or response (one value for each code), or as the answers to another question.

    `values` is None where the score cannot be used, and `why` says so.
    """

    name: str
    of: str
    values: Floats | None = None
    asked: ScaledSheet | None = None
    why: str = ""

    @property
    def is_of_raters(self) -> bool:
        """Whether it differs between raters only."""
        return self.of == "rater"

    def at(self, codes: Codes, answers: Answers) -> Floats:
        """The value that belongs to each answer, nan where there is none."""
        if self.asked is not None:
            return _same_cell(codes, self.asked, answers)
        values = np.append(np.full(0, np.nan) if self.values is None else self.values, np.nan)
        code = {"rater": answers.rater, "item": answers.item, "response": codes.rows.response[answers.row]}[self.of]
        return np.asarray(values[code], dtype=np.float64)


def scores_of(
    codes: Codes, frames: Frames, sheets: Sequence[ScaledSheet], declared: Sequence[str], texts: Mapping[str, Floats]
) -> Iterator[Score]:
    """Declared scores first, in their order, then the composites and questions about raters.

    A questionnaire of many questions must not crowd out the scores that they make.

    Args:
        codes: of the study.
        frames: of the study.
        sheets: rating questions and composites.
        declared: `analysis.covariates`.
        texts: measures of the responses' texts, and imported scores, by name.
    """
    by_key = {sheet.question.key: sheet for sheet in sheets}
    for name in declared:
        if name in by_key and by_key[name].question.target != "rater":
            yield Score(name, "rating", asked=by_key[name])
        elif name not in by_key:
            yield _column(name, frames, texts)
    for name, sheet in sorted(by_key.items(), key=lambda item: not item[1].is_composite):
        if sheet.question.target == "rater":
            mean = pd.Series(sheet.answers.value).groupby(sheet.answers.rater).mean()
            values = mean.reindex(range(len(codes.raters.ids)))
            yield _usable(name, "rater", np.asarray(values, dtype=np.float64))


def _column(name: str, frames: Frames, texts: Mapping[str, Floats]) -> Score:
    """A column of raters.csv, items.csv or responses.csv, in this order; or a measure of the texts."""
    for of, table in (("rater", frames.raters), ("item", frames.items), ("response", frames.responses)):
        if name in table.columns:
            return _read(name, of, table[name])
    if name in texts:
        return _usable(name, "response", texts[name])
    return Score(name, "rater", why=f"{name} is no column of raters.csv, items.csv or responses.csv.")


def _read(name: str, of: str, column: pd.Series[str]) -> Score:
    given = column.dropna()
    words = next((str(text) for text in given if number(str(text)) is None), None)
    if words is not None:
        return Score(name, of, why=f"{name} in {of}s.csv is not a number: {words}.")
    values = np.full(len(column), np.nan)
    values[column.notna().to_numpy()] = [number(str(text)) or 0.0 for text in given]
    return _usable(name, of, values)


def _usable(name: str, of: str, values: Floats) -> Score:
    distinct = np.unique(values[np.isfinite(values)])
    if len(distinct) >= _TWO:
        return Score(name, of, values)
    return Score(name, of, why=f"{name} {'has one value only' if len(distinct) else 'has no value'}.")


def _same_cell(codes: Codes, asked: ScaledSheet, answers: Answers) -> Floats:
    """What the same rater answered to another question on the same response, item or turn."""
    target = asked.question.target
    known = pd.Series(asked.answers.value, index=_cells(codes, target, asked.answers))
    found = known[~known.index.duplicated()].reindex(_cells(codes, target, answers))
    return np.asarray(found, dtype=np.float64)


def _cells(codes: Codes, target: str, answers: Answers) -> pd.MultiIndex:
    response = codes.rows.response[answers.row]
    turn = np.nan_to_num(codes.rows.turn[answers.row], nan=-1)
    nothing = np.zeros(len(response), dtype=np.int64)
    is_item, is_turn = target not in {"response", "turn"}, target == "turn"
    parts = [answers.rater, answers.item, nothing if is_item else response, turn if is_turn else nothing]
    return pd.MultiIndex.from_arrays(parts)
