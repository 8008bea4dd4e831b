"""A judge's answers compared with people's where people rate alike: a better judge is not called biased."""

import numpy as np

from app.analysis.data.answers import Answers, Choices
from app.analysis.data.encoded_study import Floats
from app.analysis.sections.judges.contrasts import mean_of_showings
from app.stats.raters.equal_ratings import effect_at_equal_ratings
from app.stats.result import Result


def ratings_at_equal(humans: Answers, said: Floats, covariate: Floats) -> tuple[Result, Answers]:
    """What a covariate adds to the judge's ratings, and the human ratings that it is compared with.

    Args:
        humans: ratings by people, one per rater and unit, shape (n,).
        said: the judge's value for the unit of each, shape (n,).
        covariate: of the unit of each, shape (n,).
    """
    result = effect_at_equal_ratings(said, humans.value, covariate, unit=humans.unit, **humans.where)
    return result, humans.select(np.isfinite(said) & np.isfinite(covariate))


def choices_at_equal(humans: Choices, judge: Choices, theirs: Floats, mine: Floats) -> tuple[Result, Choices]:
    """What the judge adds to the share of one kind of response where people are evenly split, and their choices.

    Args:
        humans: choices by people, shape (n,).
        judge: choices of the judge in all showings, shape (m,).
        theirs: 1 if a person chose the one kind, 0 if the other, 0.5 for a tie, otherwise nan; shape (n,).
        mine: the same for the judge, shape (m,).
    """
    first, share = mean_of_showings(judge, mine)
    of_unit = np.full(int(max(humans.unit.max(initial=0), first.unit.max(initial=0))) + 1, np.nan)
    of_unit[first.unit] = share
    said = of_unit[humans.unit]
    result = effect_at_equal_ratings(said, theirs, None, unit=humans.unit, **humans.where)
    return result, humans.select(np.isfinite(said) & np.isfinite(theirs))
