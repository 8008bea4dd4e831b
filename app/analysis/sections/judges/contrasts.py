"""What a judge alone would conclude: each source against the reference, by its answers in all showings."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from app.analysis.data.answers import Answers, Choices
from app.analysis.data.encoded_study import Floats, Ints
from app.analysis.data.question_data import AnyQuestionData
from app.analysis.estimate import Estimate, Scope, Unit
from app.analysis.sections.choice import choices_between
from app.analysis.sections.coefficients import level_of
from app.analysis.statistic import Bounds, Statistic, declare
from app.stats.clusters import for_new_items
from app.stats.comparison import describe
from app.stats.result import Result

# The showings of a trial to a judge, each item with the same weight.


def mean_of_showings(choices: Choices, value: Floats) -> tuple[Choices, Floats]:
    """The first choice on each pair, and the mean of the values of all choices on it; nan if none has a value.

    Of several raters each counts once, with the mean of the values of its own choices.
    """
    _, first, code = np.unique(choices.unit, return_index=True, return_inverse=True)
    n_raters = int(choices.rater.max(initial=0)) + 1
    cells, cell = np.unique(code * n_raters + choices.rater, return_inverse=True)
    mean = _mean(_mean(value, cell, len(cells)), cells // n_raters, len(first))
    order = np.argsort(first)
    return choices.select(first[order]), mean[order]


def _mean(value: Floats, code: Ints, n: int) -> Floats:
    """The mean of the known values of each code; nan if it has none."""
    known = np.isfinite(value)
    count = np.bincount(code, known, n)
    total = np.bincount(code, np.where(known, value, 0.0), n)
    return np.where(count > 0, total / np.maximum(count, 1), np.nan)


SECTION = "judge"

declare(
    Statistic(
        "judge_share_preferred",
        "Share of the judge's choices preferring the source over the reference",
        "share",
        docs="judges",
        no_difference=0.5,
    ),
    Statistic(
        "judge_mean_difference",
        "Mean of the judge's ratings of the source minus the reference",
        "points",
        docs="judges",
        no_difference=0.0,
        bounds=Bounds(times=1),
    ),
)


def judge_contrasts(data: AnyQuestionData, own: Answers, scope: Scope) -> Iterator[Estimate]:
    """Yield each source against the reference by the answers of one judge, for new items; nothing without a reference.

    Args:
        data: the question data.
        own: of a choice the answers of all showings, otherwise one answer per response.
        scope: of the judge.
    """
    reference = data.reference
    if reference is None or not data.sources:
        return
    for source in data.sources:
        if source == reference:
            continue
        where: Scope = {**scope, "source": source, "reference": reference}
        codes = data.code_of(source), data.code_of(reference)
        if isinstance(own, Choices):
            (result, part), name = _preferred(own, *codes), "judge_share_preferred"
        elif data.question.rated == "response" and level_of(data) != "nominal":
            (result, part), name = _difference(own, *codes), "judge_mean_difference"
        else:
            return
        unit: Unit = "choice" if isinstance(own, Choices) else "rating"
        yield data.record(result, part, section=SECTION, scope=where, statistic=name, unit=unit)


def _preferred(own: Choices, mine: int, theirs: int) -> tuple[Result, Answers]:
    part, worth = choices_between(own, mine, theirs)
    first, share = mean_of_showings(part, worth)
    return for_new_items(describe.share(share, item=first.item, rater=first.item, null=0.5)), part


def _difference(own: Answers, mine: int, theirs: int) -> tuple[Result, Answers]:
    part = own.select((own.source == mine) | (own.source == theirs))
    items, code = np.unique(part.item, return_inverse=True)
    means = [_means(part, code, len(items), source) for source in (mine, theirs)]
    return for_new_items(describe.mean(means[0] - means[1], item=items, rater=items)), part


def _means(part: Answers, code: Ints, n: int, source: int) -> Floats:
    rows = part.source == source
    count = np.bincount(code[rows], minlength=n)
    total = np.bincount(code[rows], part.value[rows], n)
    return np.where(count > 0, total / np.maximum(count, 1), np.nan)
