"""Answers compared with a key: F1, confusion table, accuracy by item and kind of item, number of items needed."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from app.analysis.data.answers import Answers
from app.analysis.data.encoded_study import Bools
from app.analysis.data.question_data import ScaledData
from app.analysis.data.scopes import groups
from app.analysis.data.splits import Split
from app.analysis.estimate import Estimate, Scope
from app.analysis.minimum_data import MIN_ANSWERS_OF_RATER
from app.analysis.sections.categories import SECTION, CategoryData, keyed_data
from app.analysis.statistic import Column, PageTable, Recorded, Statistic, declare
from app.stats.accuracy.category_f1 import confusion, f1_macro, f1_scores
from app.stats.arrays import Labels
from app.stats.comparison.describe import share
from app.stats.reliability.decision import items_needed
from app.stats.result import Method, Result

# Longer tables and lists would not be read.
MAX_CODES, MAX_ITEMS = 12, 100
TARGET = 0.8

declare(
    Statistic("f1_macro", "Macro F1 against the key", "share", docs="contrasts", tests={"f1_macro": Recorded(keys=())}),
    Statistic("f1", "F1 of the code", "share", docs="contrasts"),
    Statistic(
        "confusion_share", "Share of answers with this code", "share", variant="by correct code", docs="contrasts"
    ),
    Statistic(
        "items_needed", "Items per rater for a reliability of .8", "count", docs="contrasts", cites=("brennan2001",)
    ),
)
AGAINST_KEY = PageTable(
    "Answers compared with the key",
    (
        Column("Correct", ("accuracy_share",)),
        Column("F1", ("f1_macro", "f1")),
        Column("Items needed", ("items_needed",)),
    ),
)


def answer_key_estimates(asked: CategoryData, splits: Sequence[Split]) -> Iterator[Estimate]:
    """Yield the estimates for human raters; nothing for a question without a key."""
    if not np.isfinite(asked.right).any():
        return
    data = keyed_data(asked)
    known = groups(asked.codes)[0].has_rater[asked.answers.rater] & np.isfinite(asked.right)
    answers = replace(asked.answers, value=asked.right).select(known)
    yield from _accuracies(data, answers, splits)
    found = items_needed(answers.ratings, TARGET)
    yield data.record(found, answers, section=SECTION, scope={}, statistic="items_needed", unit="rating")
    if not asked.question.multiple and len(asked.question.codes) > 1:
        yield from _classified(asked, data, answers, known)


def _accuracies(data: ScaledData, answers: Answers, splits: Sequence[Split]) -> Iterator[Estimate]:
    """Yield accuracy by condition and attribute, then by item for items with enough answers."""
    parts: list[tuple[Scope, Answers]] = []
    for split in splits:
        level = split.of(answers)
        parts += [(split.scope(k), answers.select(level == k)) for k in np.unique(level[level >= 0]).tolist()]
    size = np.bincount(answers.item[answers.item >= 0])  # answers about the raters are about no item
    names = data.codes.items["item"]
    for item in np.flatnonzero(size >= MIN_ANSWERS_OF_RATER)[:MAX_ITEMS].tolist():
        parts.append(({"subgroup": {"item": str(names.iloc[item])}}, answers.select(answers.item == item)))
    for scope, part in parts:
        found = share(part.value, **part.where)
        yield data.record(found, part, section=SECTION, scope=scope, statistic="accuracy_share", unit="rating")


def _classified(asked: CategoryData, data: ScaledData, answers: Answers, known: Bools) -> Iterator[Estimate]:
    """Yield macro F1 overall and by source, F1 of each code, and the confusion table."""
    names = np.array(list(asked.question.codes), dtype=object)
    given, key = names[asked.given.argmax(axis=1)][known], np.array(asked.key, dtype=object)[known]
    for source in (None, *(data.sources if len(data.sources) > 1 else ())):
        here = np.ones(len(given), bool) if source is None else answers.source == data.code_of(source)
        part = answers.select(here)
        found = f1_macro(given[here], key[here], [*names], **part.where, seed=part.seed)
        scope: Scope = {} if source is None else {"source": source}
        yield data.record(found, part, section=SECTION, scope=scope, statistic="f1_macro", unit="rating")
    if len(names) <= MAX_CODES:
        yield from _confused(data, answers, given, key, names)


def _confused(data: ScaledData, answers: Answers, given: Labels, key: Labels, names: Labels) -> Iterator[Estimate]:
    scores = f1_scores(confusion(given, key, [*names]).counts)
    for code, f1 in zip(names.tolist(), scores.tolist(), strict=True):
        if np.isfinite(f1):
            part = answers.select((key == code) | (given == code))
            result = Result(f1, Method(words="f1: 2 TP / (2 TP + FP + FN)"))
            yield data.record(result, part, section=SECTION, scope={"category": code}, statistic="f1", unit="rating")
    for right in names.tolist():
        part = answers.select(key == right)
        for code in names.tolist() if len(part.value) else ():
            said = np.asarray(given[key == right] == code, dtype=np.float64)
            scope, found = Scope(category=code, correct=right), share(said, **part.where)
            yield data.record(found, part, section=SECTION, scope=scope, statistic="confusion_share", unit="rating")
