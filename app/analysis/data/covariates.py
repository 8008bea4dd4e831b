"""Covariates of responses and of ratings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from app.analysis.data.answers import Answers
from app.analysis.data.encoded_study import Codes, Floats
from app.analysis.data.frames import Frames
from app.analysis.data.question_data import ScaledData
from app.analysis.wording.formatting import IMPORTED
from app.base.words import number
from app.protocol.study import Protocol
from app.protocol.study_parts import WORD_SHARE
from app.stats.text_measures import MEASURES, Measure, measured, word_share

# Covariates of the ratings: scores of raters, of items and responses, or of single ratings.
#
# Every question about the rater is a score, and so is every composite of such questions. A column of a file is a score
# only if `analysis.covariates` names it: a seat, slot or batch is a number too, but not a score.

_TWO = 2


@dataclass(frozen=True, eq=False)
class Score:
    """A covariate by rater, item or response (one value per code), or the answers to another question.

    If the score cannot be used, `values` is None and `why` gives the reason.
    """

    name: str
    of: str
    values: Floats | None = None
    asked: ScaledData | None = None
    why: str = ""

    @property
    def is_of_raters(self) -> bool:
        """Whether the score differs between raters only."""
        return self.of == "rater"

    def at(self, codes: Codes, answers: Answers) -> Floats:
        """Return the score for each answer, nan if missing."""
        if self.asked is not None:
            return _same_cell(codes, self.asked, answers)
        values = np.append(np.full(0, np.nan) if self.values is None else self.values, np.nan)
        code = {"rater": answers.rater, "item": answers.item, "response": codes.rows.response[answers.row]}[self.of]
        return np.asarray(values[code], dtype=np.float64)


def scores_of(
    codes: Codes, frames: Frames, questions: Sequence[ScaledData], declared: Sequence[str], texts: Mapping[str, Floats]
) -> Iterator[Score]:
    """Yield declared scores in their order, then composites of questions about raters, then these questions.

    Composites come first because a long questionnaire must not crowd out its own scores.

    Args:
        codes: of the study.
        frames: of the study.
        questions: question data of rating questions and composites.
        declared: `analysis.covariates`.
        texts: measures of the responses' texts, and imported scores, by name.
    """
    by_key = {data.question.key: data for data in questions}
    for name in declared:
        if name in by_key and by_key[name].question.target != "rater":
            yield Score(name, "rating", asked=by_key[name])
        elif name not in by_key:
            yield _column(name, frames, texts)
    for name, data in sorted(by_key.items(), key=lambda item: not item[1].is_composite):
        if data.question.target == "rater":
            mean = pd.Series(data.answers.value).groupby(data.answers.rater).mean()
            values = mean.reindex(range(len(codes.raters.ids)))
            yield _usable(name, "rater", np.asarray(values, dtype=np.float64))


def _column(name: str, frames: Frames, texts: Mapping[str, Floats]) -> Score:
    """Return a column of raters.csv, items.csv or responses.csv, in this order; otherwise a measure of the texts."""
    for of, table in (("rater", frames.raters), ("item", frames.items), ("response", frames.responses)):
        if name in table.columns:
            return _read(name, of, table[name])
    if name in texts:
        return _usable(name, "response", texts[name])
    return Score(name, "rater", why=f"{name} is not a column with values in raters.csv, items.csv or responses.csv.")


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


def _same_cell(codes: Codes, asked: ScaledData, answers: Answers) -> Floats:
    """Return what the same rater answered to another question about the same response, item or turn."""
    target = asked.question.rated
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


# Covariates of the responses: measures of their texts, and scores imported with responses.csv.

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
    """Return the measures of the texts and every column of responses.csv that contains only numbers.

    The declared word lists are measures as well.
    """
    table = frames.responses
    known: dict[str, Floats] = {}
    left_out: dict[str, str] = {}
    if "text" in table and (table["text"].str.len() > 0).any():
        too_many = TOO_MANY if len(table) > MAX_TEXTS and not full else ""
        lists = protocol.analysis.word_lists.items()
        own = {f"{WORD_SHARE}{name}": Measure(word_share(entries), "with spaces") for name, entries in lists}
        measures = {**MEASURES, **own}
        why_not = {name: measure.why_not(protocol.language) or too_many for name, measure in measures.items()}
        left_out = {name: why for name, why in why_not.items() if why}
        usable = {name: measure for name, measure in measures.items() if not why_not[name]}
        known |= measured(table["text"].tolist(), usable)
    for column in table.columns:
        if column not in OWN_COLUMNS and column != protocol.analysis.responder:
            values = scores(table[column])
            if values is not None:
                name = str(column)
                is_taken = name in MEASURES or name.startswith(WORD_SHARE)
                known[f"{name}{IMPORTED}" if is_taken else name] = values
    return Covariates(known, left_out)


def scores(column: pd.Series[str]) -> Floats | None:
    """Return the numbers of a column, nan for empty cells; None if a cell is not a number or if all are equal."""
    code, texts = column.factorize()
    each = [number(str(text)) for text in texts]
    if None in each or len(set(each)) < MIN_VALUES:
        return None
    values: Floats = np.append(np.array(each, dtype=np.float64), np.nan)[code]
    return values
