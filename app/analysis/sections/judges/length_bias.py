"""Whether a model judge favours longer texts more than human raters do."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from app.analysis.data.answers import RESPONSE, Answers, Choices
from app.analysis.data.encoded_study import Floats, Responses
from app.analysis.data.question_data import AnyQuestionData
from app.analysis.estimate import Estimate, Scope, Unit
from app.analysis.sections.judges.at_equal import choices_at_equal, ratings_at_equal
from app.analysis.statistic import Bounds, Statistic, declare

SECTION = "judge"
OF_RATINGS = "points per doubling of the characters, where human raters rate alike"
OF_CHOICES = "share choosing the longer response minus one half, where human raters are evenly split"

declare(
    Statistic(
        "length_bias",
        "Effect of length on the judge, where people rate alike",
        "points",
        docs="judges",
        no_difference=0.0,
        kind_of_share="share_points",
        bounds=Bounds(is_share_of_choices=True),
    ),
)


def length_bias(
    data: AnyQuestionData, humans: Answers, judge: Answers, said: Floats, scope: Scope
) -> Iterator[Estimate]:
    """Yield what length adds to a judge's answers where people's are alike; nothing without the texts of the responses.

    Args:
        data: the question data.
        humans: the answers of human raters.
        judge: the answers of the judge; of choices, those of all showings.
        said: the judge's value for the unit of each human answer.
        scope: of the judge.
    """
    responses = data.codes.responses
    is_rated = data.question.rated == "response" and not data.is_nominal
    if not (is_rated or isinstance(judge, Choices)) or not np.isfinite(responses.doublings).any():
        return
    part: Answers
    if isinstance(humans, Choices) and isinstance(judge, Choices):
        result, part = choices_at_equal(
            humans, judge, _chose_longer(humans, responses), _chose_longer(judge, responses)
        )
        words = OF_CHOICES
    else:
        result, part = ratings_at_equal(humans, said, responses.doublings[humans.unit])
        words = OF_RATINGS
    unit: Unit = "choice" if isinstance(humans, Choices) else "rating"
    named = replace(result, note="; ".join(note for note in (result.note, words) if note))
    yield data.record(named, part, section=SECTION, scope=scope, statistic="length_bias", unit=unit)


def _chose_longer(choices: Choices, responses: Responses) -> Floats:
    """Return 1 if the longer response was chosen, 0 if the shorter; nan for ties and for equal or unknown lengths."""
    one, other = choices.one_response, choices.other_response
    known = (one >= 0) & (other >= 0) & (choices.outcome == RESPONSE)
    ahead = np.where(known, responses.doublings[one] - responses.doublings[other], np.nan)
    chose_one = choices.value == responses.place[one]
    return np.where(np.isfinite(ahead) & (ahead != 0), (chose_one == (ahead > 0)) * 1.0, np.nan)
