"""What a model judge left unanswered, and how much its missing answers could change its agreement with people."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from app.analysis.data.answers import Answers
from app.analysis.data.encoded_study import Bools, Floats
from app.analysis.data.question_data import AnyQuestionData
from app.analysis.data.splits import item_splits
from app.analysis.estimate import Estimate, Scope, Unit
from app.analysis.minimum_data import ASSOCIATION
from app.analysis.sections.coefficients import domain_of
from app.analysis.statistic import Statistic, declare
from app.stats.arrays import codes
from app.stats.clusters import for_new_items
from app.stats.comparison import describe
from app.stats.linear.correlation import correlation
from app.stats.raters.profiles import mean_of_others

SECTION = "judge"
_MISSING = "if all missing answers of the judge had been as {} people as the scale allows"
_FAR, _CLOSE = "far from", "close to"

declare(
    Statistic("judge_answered", "Units rated by people that the judge answered", "share", docs="judges"),
    Statistic(
        "judge_correlation_lowest",
        "Judge's correlation with the mean of human raters, if missing answers disagreed",
        "coefficient",
        docs="judges",
        minimum=ASSOCIATION,
    ),
    Statistic(
        "judge_correlation_highest",
        "Judge's correlation with the mean of human raters, if missing answers agreed",
        "coefficient",
        docs="judges",
        minimum=ASSOCIATION,
    ),
    Statistic(
        "judge_share_lowest",
        "Share of human raters who agree with the judge, if missing answers disagreed",
        "share",
        docs="judges",
    ),
    Statistic(
        "judge_share_highest",
        "Share of human raters who agree with the judge, if missing answers agreed",
        "share",
        docs="judges",
    ),
)


def answered_units(data: AnyQuestionData, humans: Answers, is_answered: Bools, scope: Scope) -> Iterator[Estimate]:
    """Yield the share of the units rated by people that the judge answered, also by attributes of the items.

    Args:
        data: the question data.
        humans: one rating per human rater and unit.
        is_answered: whether the judge answered the unit of each human rating.
        scope: of the judge.
    """
    if not len(humans.unit):
        return
    kind: Unit = "response" if data.question.rated == "response" else "item"

    def of(rows: Bools, where: Scope) -> Estimate:
        part, answered = humans.select(rows), is_answered[rows]
        # each unit once, however many people rated it
        first = np.unique(part.unit, return_index=True)[1]
        item = part.item[first]
        share = for_new_items(describe.share(answered[first].astype(np.float64), item=item, rater=item))
        return data.record(share, part, section=SECTION, scope=where, statistic="judge_answered", unit=kind)

    yield of(np.ones(len(is_answered), dtype=bool), scope)
    for split in item_splits(data.codes) if not is_answered.all() else ():
        level = split.of(humans)
        for number in np.unique(level[level >= 0]).tolist():
            yield of(level == number, {**scope, **split.scope(number)})


def bounds_of_missing(data: AnyQuestionData, humans: Answers, said: Floats, scope: Scope) -> Iterator[Estimate]:
    """Yield the agreement with people if all missing answers of a judge had disagreed, and if all had agreed.

    A missing answer is replaced, for the upper bound, by the mean of the people (for codes and choices, by what most of
    them said), and for the lower bound by the end of the scale that is farther from it (by what nobody said).

    Args:
        data: the question data.
        humans: one rating per human rater and unit.
        said: the judge's value for the unit of each human rating; nan if there is none.
        scope: of the judge.
    """
    is_missing = ~np.isfinite(said)
    if not is_missing.any() or is_missing.all():
        return
    unit: Unit = "rating"
    if data.is_nominal:
        same = (humans.value == np.where(is_missing, _most_said(humans), said)) * 1.0
        highest = mean_of_others(same, humans.unit)
        lowest = mean_of_others(np.where(is_missing, 0.0, same), humans.unit)
        for statistic, value, words in (
            ("judge_share_lowest", lowest, _FAR),
            ("judge_share_highest", highest, _CLOSE),
        ):
            result = replace(describe.share(value, **humans.where), note=_MISSING.format(words))
            yield data.record(result, humans, section=SECTION, scope=scope, statistic=statistic, unit=unit)
        return
    others = mean_of_others(humans.value, humans.unit)
    code, n = codes(humans.unit)
    mean = (np.bincount(code, humans.value, n) / np.bincount(code, minlength=n))[code]
    low, *_, high = domain_of(data)
    farthest = np.where(mean - low > high - mean, low, high)
    for statistic, fill, words in (
        ("judge_correlation_lowest", farthest, _FAR),
        ("judge_correlation_highest", mean, _CLOSE),
    ):
        result = correlation(np.where(is_missing, fill, said), others, **humans.where)
        named = replace(result, note=_MISSING.format(words))
        yield data.record(named, humans, section=SECTION, scope=scope, statistic=statistic, unit=unit)


def _most_said(humans: Answers) -> Floats:
    """The most frequent value for the unit of each rating; of several, the lowest."""
    values, code = np.unique(humans.value, return_inverse=True)
    units, place = np.unique(humans.unit, return_inverse=True)
    counts = np.zeros((len(units), len(values)))
    np.add.at(counts, (place, code), 1)
    return np.asarray(values[counts.argmax(axis=1)][place])
