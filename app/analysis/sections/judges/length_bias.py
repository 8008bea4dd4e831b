"""Whether a model judge favours longer texts more than human raters do."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from app.analysis.data.answers import RESPONSE, Answers, Choices
from app.analysis.data.encoded_study import Floats, Responses
from app.analysis.data.question_data import AnyQuestionData
from app.analysis.estimate import Estimate, Scope, Unit
from app.analysis.sections.coefficients import level_of
from app.analysis.sections.judges.contrasts import mean_of_showings
from app.analysis.statistic import Bounds, Statistic, declare
from app.stats.clusters import for_new_items
from app.stats.comparison import describe
from app.stats.linear.regression import slope
from app.stats.result import Result

SECTION = "judge"
OF_RATINGS = "points per doubling of the characters, judge minus the mean of human raters"
OF_CHOICES = "share choosing the longer response, judge minus human raters"

declare(
    Statistic(
        "length_bias",
        "Effect of length on the judge minus its effect on people",
        "points",
        docs="judges",
        no_difference=0.0,
        bounds=Bounds(is_share_of_choices=True),
    ),
)


def length_bias(
    data: AnyQuestionData, humans: Answers, judge: Answers, said: Floats, scope: Scope
) -> Iterator[Estimate]:
    """Yield how much more a judge rewards length than people do; nothing without the texts of the responses.

    Args:
        data: the question data.
        humans: the answers of human raters.
        judge: the answers of the judge; of choices, those of all showings.
        said: the judge's value for the unit of each human answer.
        scope: of the judge.
    """
    responses = data.codes.responses
    is_rated = data.question.rated == "response" and level_of(data) != "nominal"
    if not (is_rated or isinstance(judge, Choices)) or not np.isfinite(responses.doublings).any():
        return
    if isinstance(humans, Choices) and isinstance(judge, Choices):
        result, part = _of_choices(humans, judge, responses)
        words = OF_CHOICES
    else:
        result, part = _of_ratings(humans, said, responses.doublings)
        words = OF_RATINGS
    unit: Unit = "choice" if isinstance(humans, Choices) else "rating"
    named = replace(result, note="; ".join(note for note in (result.note, words) if note))
    yield data.record(named, part, section=SECTION, scope=scope, statistic="length_bias", unit=unit)


def _of_ratings(humans: Answers, said: Floats, lengths: Floats) -> tuple[Result, Answers]:
    """Slope of judge minus the mean of people on the length of the response, which is the unit."""
    part = humans.select(np.isfinite(said))
    gap = said[np.isfinite(said)]
    units, code = np.unique(part.unit, return_inverse=True)
    mean = np.bincount(code, part.value) / np.bincount(code) if len(units) else np.zeros(0)
    first = np.unique(part.unit, return_index=True)[1]
    each = part.select(first)
    found = slope(gap[first] - mean, lengths[units], item=each.item, rater=each.item)
    return for_new_items(found), part


def _of_choices(humans: Choices, judge: Choices, responses: Responses) -> tuple[Result, Answers]:
    """The judge's choices of the longer response, minus the share of people who choose it, on the same pairs."""
    theirs = _chose_longer(humans, responses)
    judge, mine = mean_of_showings(judge, _chose_longer(judge, responses))
    known = np.isfinite(theirs)
    units, code = np.unique(humans.unit[known], return_inverse=True)
    share = np.bincount(code, theirs[known]) / np.bincount(code) if len(units) else np.zeros(0)
    of_unit = dict(zip(units.tolist(), share.tolist(), strict=True))
    others = np.array([of_unit.get(unit, np.nan) for unit in judge.unit.tolist()], dtype=np.float64)
    kept = np.isfinite(mine) & np.isfinite(others)
    items = judge.item[kept]
    found = describe.mean((mine - others)[kept], item=items, rater=items)
    return for_new_items(found), humans.select(np.isin(humans.unit, judge.unit[kept]))


def _chose_longer(choices: Choices, responses: Responses) -> Floats:
    """Return 1 if the longer response was chosen, 0 if the shorter; nan for ties and for equal or unknown lengths."""
    one, other = choices.one_response, choices.other_response
    known = (one >= 0) & (other >= 0) & (choices.outcome == RESPONSE)
    ahead = np.where(known, responses.doublings[one] - responses.doublings[other], np.nan)
    chose_one = choices.value == responses.place[one]
    return np.where(np.isfinite(ahead) & (ahead != 0), (chose_one == (ahead > 0)) * 1.0, np.nan)
