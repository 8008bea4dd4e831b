"""Whether the items that people rated look like a random sample of those that judges rated: a balance table."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pandas as pd

from app.analysis.data.answers import Answers, Choices
from app.analysis.data.encoded_study import Bools, Floats
from app.analysis.data.question_data import AnyQuestionData, record_of
from app.analysis.data.splits import MAX_LEVELS
from app.analysis.estimate import Estimate, Scope
from app.analysis.sections.choice import against_reference
from app.analysis.sections.study_data import StudyData
from app.analysis.statistic import Column, PageTable, Statistic, declare
from app.base.words import number
from app.stats.comparison.balance import balance

SECTION = "judge"
LENGTH = "characters"
_RATED, _REST = "Items that people rated", "Items that only judges rated"

declare(
    Statistic("sample_mean", "Mean", "points", variant="items that people rated", docs="judges"),
    Statistic("sample_mean_of_rest", "Mean", "points", variant="items that only judges rated", docs="judges"),
    Statistic("sample_share", "Share", "share", variant="items that people rated", docs="judges"),
    Statistic("sample_share_of_rest", "Share", "share", variant="items that only judges rated", docs="judges"),
    Statistic(
        "sample_balance",
        "Standardized difference of items that people rated from the rest",
        "points",
        docs="judges",
        cites=("austin2009",),
    ),
)
BALANCE = PageTable(
    "Are the items that people rated a random sample?",
    (
        Column(_RATED, ("sample_mean", "sample_share")),
        Column(_REST, ("sample_mean_of_rest", "sample_share_of_rest")),
        Column("Standardized difference", ("sample_balance",)),
    ),
)


def sample_balance(study: StudyData) -> Iterator[Estimate]:
    """Yield means of items that people rated and of those that only judges did, and the difference of the two.

    For each attribute of the items, the length of their responses, and the values that each judge gave to an item on
    average. Nothing where the probabilities of the sample are known, or people rated all.
    """
    codes = study.codes
    n_items = codes.responses.n_items
    is_model = codes.raters.is_model[codes.rows.rater]
    by_people, by_model = (
        np.bincount(codes.rows.item[kind & (codes.rows.item >= 0)], minlength=n_items) > 0
        for kind in (~is_model, is_model)
    )
    every = by_people | by_model
    if codes.sample is not None or by_people.all() or not (by_people.any() and (every & ~by_people).any()):
        return
    for scope, value, is_share in (*_attributes(codes.items), *_length(study)):
        yield from _compared(None, scope, np.where(every, value, np.nan), by_people, is_share=is_share)
    asked: list[AnyQuestionData] = [*study.numbers, *study.choices]
    for data in (one for one in asked if one.question.rated != "rater"):
        if not data.is_nominal or isinstance(data.answers, Choices):
            for scope, value, is_share in _judged(data, n_items):
                yield from _compared(data.question.key, scope, value, by_people, is_share=is_share)


Covariate = tuple[Scope, Floats, bool]


def _attributes(items: pd.DataFrame) -> Iterator[Covariate]:
    """Numbers as they are, otherwise the share of items with each of a few values."""
    for name in (column for column in items.columns if column not in {"item", "text"}):
        cells = items[name].where(items[name].notna(), None)
        values = [None if cell is None else str(cell) for cell in cells]
        levels = sorted({value for value in values if value})
        numbers = [number(value) if value else np.nan for value in values]
        if None not in numbers and len(levels) > 2:  # noqa: PLR2004 - two numbers are two levels
            yield {"attribute": str(name)}, np.array(numbers, dtype=np.float64), False
        elif 1 < len(levels) <= MAX_LEVELS:
            # of two levels, one says all
            for level in levels[len(levels) == 2 :]:  # noqa: PLR2004
                has_level = [np.nan if not value else float(value == level) for value in values]
                yield {"attribute": str(name), "level": level}, np.array(has_level), True


def _length(study: StudyData) -> Iterator[Covariate]:
    length = study.covariates.known.get(LENGTH)
    if length is not None:
        item, known = study.codes.responses.item, np.isfinite(length)
        yield {"covariate": LENGTH}, _means(item[known], length[known], study.codes.responses.n_items), False


def _judged(data: AnyQuestionData, n_items: int) -> Iterator[Covariate]:
    """The mean of each judge's values for an item; of a choice, the share of each source."""
    raters = data.codes.raters
    of_choices = isinstance(data.answers, Choices)
    parts: list[tuple[Scope, Answers]] = [*against_reference(data)] if of_choices else [({}, data.answers)]  # type: ignore[arg-type]
    for scope, answers in parts:
        for code in np.flatnonzero(raters.is_model).tolist():
            own = answers.select((answers.rater == code) & np.isfinite(answers.value))
            if len(own.value):
                where: Scope = {**scope, "rater_kind": "model", "raters": [raters.ids[code]]}
                yield where, _means(own.item, own.value, n_items), of_choices


def _means(item: np.ndarray, value: Floats, n_items: int) -> Floats:
    n, total = np.bincount(item, minlength=n_items), np.bincount(item, value, n_items)
    return np.where(n > 0, total / np.maximum(n, 1), np.nan)


def _compared(
    question: str | None, scope: Scope, value: Floats, by_people: Bools, *, is_share: bool
) -> Iterator[Estimate]:
    items = np.flatnonzero(np.isfinite(value))
    n = len(items)
    answers = Answers(items, items, np.zeros(n, int), np.full(n, -1), value[items], np.ones(n, bool), items)
    found = balance(value, by_people)
    what = "share" if is_share else "mean"
    results = {
        f"sample_{what}": found.measured,
        f"sample_{what}_of_rest": found.rest,
        "sample_balance": found.difference,
    }
    for statistic, result in results.items():
        one = record_of(question, result, answers, section=SECTION, scope=scope, statistic=statistic, unit="item")
        yield replace(one, n_pairable_units=0, n_raters=0, n_ratings=0)
