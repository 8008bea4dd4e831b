"""What a judge alone would conclude: each source against the reference, by its answers in all showings."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from app.analysis.data.answers import Answers, Choices
from app.analysis.data.encoded_study import Floats, Ints
from app.analysis.data.question_data import AnyQuestionData
from app.analysis.estimate import Estimate, Scope, Unit
from app.analysis.sections.choice import choices_between
from app.analysis.statistic import Bounds, Statistic, declare
from app.stats.clusters import for_new_items
from app.stats.comparison import describe

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
PREFERRED, DIFFERENCE = "judge_share_preferred", "judge_mean_difference"

declare(
    Statistic(
        PREFERRED,
        "Share of the judge's choices preferring the source over the reference",
        "share",
        docs="judges",
        no_difference=0.5,
    ),
    Statistic(
        DIFFERENCE,
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
    for where in pairs_of_sources(data):
        values = contrast_values(data, own, where)
        if isinstance(own, Choices):
            result, name = describe.share(values.value, item=values.item, rater=values.item, null=0.5), PREFERRED
        else:
            result, name = describe.mean(values.value, item=values.item, rater=values.item), DIFFERENCE
        shown, unit = for_new_items(result), unit_of(own)
        yield data.record(shown, values.part, section=SECTION, scope={**scope, **where}, statistic=name, unit=unit)


def pairs_of_sources(data: AnyQuestionData) -> Iterator[Scope]:
    """Yield each source with the reference, if answers to the question can prefer one."""
    is_choice = isinstance(data.answers, Choices)
    is_rating = data.question.rated == "response" and not data.is_nominal
    if data.reference is not None and (is_choice or is_rating):
        for source in data.sources:
            if source != data.reference:
                yield {"source": source, "reference": data.reference}


def unit_of(own: Answers) -> Unit:
    """What was answered."""
    return "choice" if isinstance(own, Choices) else "rating"


@dataclass(frozen=True, eq=False)
class ContrastValues:
    """The answers about two sources, and what they say of each item: a share of choices, or a difference of ratings."""

    part: Answers
    item: Ints
    value: Floats


def contrast_values(data: AnyQuestionData, own: Answers, where: Scope) -> ContrastValues:
    """What the answers of a judge say about a pair of sources; of choices for each pair, otherwise for each item."""
    mine, theirs = data.code_of(where["source"]), data.code_of(where["reference"])
    if isinstance(own, Choices):
        part, worth = choices_between(own, mine, theirs)
        first, share = mean_of_showings(part, worth)
        return ContrastValues(part, first.item, share)
    answers = own.select((own.source == mine) | (own.source == theirs))
    items, code = np.unique(answers.item, return_inverse=True)
    means = [_means(answers, code, len(items), source) for source in (mine, theirs)]
    return ContrastValues(answers, items, means[0] - means[1])


def _means(part: Answers, code: Ints, n: int, source: int) -> Floats:
    rows = part.source == source
    return _mean(part.value[rows], code[rows], n)
