"""Calibration of a model judge: whether the probabilities it gives match how often human raters agree with it."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from app.analysis.data.answers import NEITHER, TIE, Answers, Choices
from app.analysis.data.encoded_study import Bools, Floats
from app.analysis.data.question_data import AnyQuestionData
from app.analysis.estimate import Estimate, Scope, Unit
from app.analysis.minimum_data import CALIBRATION
from app.analysis.statistic import Column, PageTable, Statistic, declare
from app.base.words import number_text
from app.protocol.questions.question import SIDES
from app.protocol.questions.registry import PreferenceQuestion
from app.stats.accuracy.calibration import (
    brier_score,
    calibration_bins,
    calibration_error,
    lowest_brier_score,
    mean_share,
    overconfidence,
)
from app.stats.result import Result

# a statistic, its result, what its method is based on, and what it adds to the scope
Found = tuple[str, Result, str, Scope]


SECTION = "judge"
COLUMN = "probabilities"
OF_ALL = "probabilities of all allowed answers, against a randomly drawn human rater"
OF_GIVEN = "probability of the answer given, against a randomly drawn human rater"
NO_DISTRIBUTION = "The log-probabilities from the server do not identify the probabilities of the other answers."

_statistic = partial(Statistic, docs="judges")
declare(
    _statistic(
        "brier_score",
        "Brier score of the judge's probabilities (0 is best",
        "coefficient",
        variant="2 worst)",
        cites=("brier1950",),
        minimum=CALIBRATION,
    ),
    _statistic(
        "brier_lowest",
        "Lowest Brier score that human disagreement allows",
        "coefficient",
        cites=("simpson1949",),
        minimum=CALIBRATION,
    ),
    _statistic(
        "calibration_error", "Expected calibration error", "share", cites=("naeini2015", "guo2017"), minimum=CALIBRATION
    ),
    _statistic(
        "overconfidence", "Judge's mean probability minus share of human raters who agree", "share", minimum=CALIBRATION
    ),
    _statistic("stated_probability", "Judge's mean probability of its answers", "share"),
    _statistic(
        "agreeing_share",
        "Share of human raters who agree with the judge",
        "share",
        variant="mean over units",
    ),
    _statistic(
        "calibration_bin_probability", "Judge's mean probability within the bin", "share", cites=("degroot1983",)
    ),
    _statistic(
        "calibration_bin_share", "Share of human raters who agree within the bin", "share", cites=("degroot1983",)
    ),
)
CALIBRATED = PageTable(
    "Calibration: the judge's probabilities compared with human raters, with 95% CIs",
    (
        Column("Mean probability of its answers", ("stated_probability",)),
        Column("Human raters who agree", ("agreeing_share",)),
        Column("Overconfidence", ("overconfidence",)),
        Column("Expected calibration error", ("calibration_error",)),
        Column("Brier score", ("brier_score",)),
        Column("Lowest possible Brier score", ("brier_lowest",)),
    ),
)


@dataclass(frozen=True, eq=False)
class Stated:
    """The answers of a judge that have a probability and human ratings of the same unit, one entry per unit.

    Attributes:
        judge: the answers.
        confidence: probability of the answer given; among all allowed answers if their probabilities are known.
        probabilities: of each category, shape (n_units, K), nan if only that of the answer given is known.
        counts: human raters per category, shape (n_units, K).
        agreement: share of human raters who gave the judge's answer.
    """

    judge: Answers
    confidence: Floats
    probabilities: Floats
    counts: Floats
    agreement: Floats

    @property
    def is_whole(self) -> Bools:
        """Which units have the probabilities of all answers."""
        return np.asarray(np.isfinite(self.probabilities).all(axis=1))


def calibration(data: AnyQuestionData, humans: Answers, judge: Answers, scope: Scope) -> Iterator[Estimate]:
    """Yield the calibration of a judge; nothing if none of its answers has a probability.

    Args:
        data: the question data.
        humans: the answers of human raters, one per rater and unit.
        judge: the first answers of the judge.
        scope: of the judge.
    """
    if COLUMN not in data.codes.kept:
        return
    stated = stated_answers(data, humans, judge.select(judge.is_first))
    if stated is None:
        return
    unit: Unit = "choice" if isinstance(judge, Choices) else "response" if data.question.rated == "response" else "item"
    part = humans.select(np.isin(humans.unit, stated.judge.unit))
    for statistic, result, words, more in (*_brier_scores(stated), *_calibration_errors(stated), *_bins(stated)):
        named = replace(result, method=result.method.with_words(f": {words}"))
        yield data.record(named, part, section=SECTION, scope={**scope, **more}, statistic=statistic, unit=unit)


def _brier_scores(stated: Stated) -> Iterator[Found]:
    whole = stated.is_whole
    item, counts = stated.judge.item[whole], stated.counts[whole]
    brier = brier_score(stated.probabilities[whole], counts / counts.sum(axis=1, keepdims=True), item=item)
    if not whole.any():
        brier = replace(brier, note=NO_DISTRIBUTION)
    yield "brier_score", brier, OF_ALL, {}
    yield "brier_lowest", lowest_brier_score(counts, item=item), "pairs of human raters", {}


def _calibration_errors(stated: Stated) -> Iterator[Found]:
    pair, item, seed = (stated.confidence, stated.agreement), stated.judge.item, stated.judge.seed
    yield "calibration_error", calibration_error(*pair, item=item, seed=seed), f"{OF_GIVEN}, 10 bins", {}
    yield "overconfidence", overconfidence(*pair, item=item), OF_GIVEN, {}
    yield "stated_probability", mean_share(stated.confidence, item=item), "of the answers given", {}
    yield "agreeing_share", mean_share(stated.agreement, item=item), "mean over units", {}


def _bins(stated: Stated) -> Iterator[Found]:
    for one in calibration_bins(stated.confidence, stated.agreement, item=stated.judge.item):
        scope: Scope = {"bin": f"{one.low:.0%} to {one.high:.0%}"}
        yield "calibration_bin_probability", one.confidence, "of the answers given", scope
        yield "calibration_bin_share", one.agreement, "mean over units", scope


def stated_answers(data: AnyQuestionData, humans: Answers, judge: Answers) -> Stated | None:
    """Return the judge's answers with their probabilities and what people said; None if there are none."""
    cells = data.codes.kept[COLUMN].iloc[judge.row].tolist()
    has_people = np.isin(judge.unit, humans.unit)
    at = [place for place, cell in enumerate(cells) if isinstance(cell, str) and has_people[place]]
    own = judge.select(np.array(at, dtype=np.int64))
    read = [_by_category(data, own, place, json.loads(cells[n])) for place, n in enumerate(at)]
    kept = [place for place, found in enumerate(read) if own.value[place] in found]
    if not kept:
        return None
    own = own.select(np.array(kept, dtype=np.int64))
    return _against(own, [read[place] for place in kept], humans)


def _against(own: Answers, read: list[dict[float, float]], humans: Answers) -> Stated:
    categories = sorted({*humans.value.tolist(), *(category for found in read for category in found)})
    column = {category: number for number, category in enumerate(categories)}
    probabilities = np.full((len(read), len(categories)), np.nan)
    confidence = np.zeros(len(read))
    for place, (found, value) in enumerate(zip(read, own.value.tolist(), strict=True)):
        confidence[place] = found[value]
        if len(found) > 1:
            probabilities[place] = 0.0
            for category, p in found.items():
                probabilities[place, column[category]] = p
    row = {unit: place for place, unit in enumerate(own.unit.tolist())}
    counts = np.zeros_like(probabilities)
    for unit, value in zip(humans.unit.tolist(), humans.value.tolist(), strict=True):
        if unit in row:
            counts[row[unit], column[value]] += 1
    same = counts[np.arange(len(read)), [column[value] for value in own.value.tolist()]]
    return Stated(own, confidence, probabilities, counts, same / counts.sum(axis=1))


def _by_category(data: AnyQuestionData, own: Answers, place: int, cell: Mapping[str, float]) -> dict[float, float]:
    """Return the probability of each answer, normalized to 1 if all are known; of the answer given only, otherwise."""
    names = _names(data, own, place)
    found = {category: float(cell[name]) for name, category in names.items() if name in cell}
    total = sum(found.values())
    if len(found) < len(names) or total <= 0:
        value = float(own.value[place])
        return {value: found[value]} if value in found else {}
    return {category: p / total for category, p in found.items()}


def _names(data: AnyQuestionData, own: Answers, place: int) -> dict[str, float]:
    """Return the category of each allowed answer, by its name in ratings.csv."""
    question, row = data.question, data.codes.kept.iloc[int(own.row[place])]
    if isinstance(question, PreferenceQuestion):
        rows, places = data.codes.rows, data.codes.responses.place
        sides = ((row[f"{side}_response"], getattr(rows, side)[own.row[place]]) for side in SIDES)
        last = int(places.max(initial=0))
        words = {"tie": last + TIE, "neither": last + NEITHER}
        shown = {str(key): float(places[code]) for key, code in sides if code >= 0}
        return shown | {word: float(words[word]) for word in question.words}
    if isinstance(row["codes"], str):
        return {words: float(value) for value, words in question.meanings()}
    return {number_text(value): float(value) for value in question.values}
