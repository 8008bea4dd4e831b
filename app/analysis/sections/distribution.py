"""The distribution of ratings per source: counts of each point, mean and standard deviation."""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from app.analysis.data.answers import Answers
from app.analysis.data.question_data import ScaledData
from app.analysis.data.scopes import distinct_groups, with_answers
from app.analysis.estimate import Estimate, Scope
from app.analysis.statistic import Bounds, Statistic, declare
from app.base.words import number_text
from app.protocol.questions.registry import ScaledQuestion
from app.stats.comparison import describe
from app.stats.result import Method, Result, undefined

SECTION = "distribution"
# Sliders with more points are divided into equal steps with this many edges.
MAX_POINTS = 11
DECIMALS = 9

declare(
    Statistic("median", "Median", "points", docs="comparison"),
    Statistic("mode", "Most frequent value", "points", docs="comparison"),
    Statistic("mean", "Mean", "points", docs="comparison", bounds=Bounds(is_level=True)),
    Statistic("sd", "Standard deviation", "points", docs="comparison"),
)


def distribution(data: ScaledData) -> Iterator[Estimate]:
    """Yield the median with the count of each point, the mean and the standard deviation, for each source.

    Questions that are not about responses (but about items, turns or raters) have one distribution.
    """
    for group, answers in with_answers(distinct_groups(data.codes), data.answers):
        if not data.sources:
            yield from _of(data, answers, group.scope)
        for source in data.sources:
            part = answers.of_source(data.code_of(source))
            yield from _of(data, part, {**group.scope, "source": source})


def _of(data: ScaledData, answers: Answers, scope: Scope) -> Iterator[Estimate]:
    yield _counts(data, answers, scope)
    for statistic, result in (
        ("mean", describe.mean(answers.value, **data.clusters_of(answers))),
        ("sd", describe.sd(answers.value, **answers.where)),
    ):
        yield data.record(result, answers, section=SECTION, scope=scope, statistic=statistic, unit="rating")


def _counts(data: ScaledData, answers: Answers, scope: Scope) -> Estimate:
    """Return the median, or the mode at a nominal level, with the counts of all points in its note and detail."""
    points, words, counts = point_counts(data.question, answers)
    statistic = "mode" if data.is_nominal else "median"
    note = ", ".join(f"{word}: {count}" for word, count in zip(words, counts, strict=True))
    result = _middle(answers, statistic, note)
    return data.record(
        result,
        answers,
        section=SECTION,
        scope=scope,
        statistic=statistic,
        unit="rating",
        points=points,
        words=words,
        counts=counts,
    )


def _middle(answers: Answers, statistic: str, note: str) -> Result:
    n = len(answers.value)
    if not n:
        return undefined("no_pairable_units", "There are no ratings.", method=Method(words=statistic), n_units=0)
    if statistic == "median":
        return Result(float(np.median(answers.value)), Method(words=statistic), n_units=n, note=note)
    values, counts = np.unique(answers.value, return_counts=True)
    return Result(float(values[counts.argmax()]), Method(words=statistic), n_units=n, note=note)


def point_counts(question: ScaledQuestion, answers: Answers) -> tuple[list[float], list[str], list[int]]:
    """Return the points of the scale, their labels and their counts; fine sliders are divided into steps.

    Values between the points (means of several raters) are counted with the nearest point.
    """
    points = np.asarray(question.values, dtype=np.float64)
    if not question.has_points and len(points) > MAX_POINTS:
        # linspace has 3.4000000000000004, which begins after a score of 3.4
        edges = np.linspace(points[0], points[-1], MAX_POINTS).round(DECIMALS)
        counts = np.histogram(answers.value.round(DECIMALS), edges)[0]
        words = [f"{number_text(low)} to {number_text(high)}" for low, high in pairwise(edges)]
        return [float(middle) for middle in (edges[:-1] + edges[1:]) / 2], words, counts.tolist()
    nearest = np.searchsorted((points[:-1] + points[1:]) / 2, answers.value, side="left")
    counts = np.bincount(nearest, minlength=len(points))
    return points.tolist(), [_word(question, point) for point in question.values], counts.tolist()


def _word(question: ScaledQuestion, value: float) -> str:
    words = dict(question.meanings()).get(number_text(value), "")
    return number_text(value) if words in {"", number_text(value)} else f"{number_text(value)} {words}"
