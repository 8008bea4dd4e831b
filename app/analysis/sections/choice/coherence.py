"""Whether the choices of raters are consistent with their own ratings."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from app.analysis.data.questions.scopes import distinct_groups, with_answers
from app.stats.choice.preference_shares import coherence as share_coherent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.analysis.data.encoded_study import Floats, Ints
    from app.analysis.data.questions.answers import Choices
    from app.analysis.data.questions.question_data import ChoiceData, ScaledData
    from app.analysis.estimate import Estimate

SECTION = "choice"


def coherence(votes: ChoiceData, ratings: ScaledData) -> Iterator[Estimate]:
    """Yield how often the chosen response is the one that the same rater rated higher.

    Nothing if the question is not about responses, or if no rater gave both choices and ratings.
    """
    if ratings.question.target != "response":
        return
    gap = _gaps(votes, ratings)
    if not np.isfinite(gap).any():
        return
    at = replace(votes.answers, strength=gap)
    for group, answers in with_answers(distinct_groups(votes.codes), at):
        found = share_coherent(answers.strength, **answers.where)
        n_equal, n = int((answers.strength == 0).sum()), int(np.isfinite(answers.strength).sum())
        note = f"{n_equal} of {n} choices are between responses rated the same and are left out. {found.note}".strip()
        found, scope = replace(found, note=note), {**group.scope, "covariate": ratings.question.key}
        yield votes.record(found, answers, section=SECTION, scope=scope, statistic="choice_coherence", unit="choice")


def _gaps(votes: ChoiceData, ratings: ScaledData) -> Floats:
    """Return the rating of the chosen response minus that of the other, by the same rater; nan if one is missing."""
    answers = votes.answers
    chosen = votes.codes.rows.chosen[answers.row]
    other = np.where(answers.one_response == chosen, answers.other_response, answers.one_response)
    rated = _mean_of_each(ratings.answers.unit, ratings.answers.rater, ratings.answers.value)
    of_chosen, of_other = (_look_up(rated, response, answers) for response in (chosen, other))
    return np.where(chosen >= 0, of_chosen - of_other, np.nan)


def _mean_of_each(response: Ints, rater: Ints, value: Floats) -> pd.Series[float]:
    """Return each rater's rating of each response; the mean if there are ratings in several conditions."""
    return pd.Series(value).groupby([response, rater], sort=False).mean()


def _look_up(rated: pd.Series[float], response: Ints, answers: Choices) -> Floats:
    wanted = pd.MultiIndex.from_arrays([response, answers.rater])
    return np.asarray(rated.reindex(wanted), dtype=np.float64)
