"""The relation of ratings, by source, to scores of raters (questionnaire, age) or of what is rated."""

from collections.abc import Iterable, Iterator
from itertools import islice

import numpy as np

from app.analysis.data.answers import Answers
from app.analysis.data.covariates import Score
from app.analysis.data.encoded_study import Floats
from app.analysis.data.question_data import ScaledData
from app.analysis.data.scopes import groups
from app.analysis.estimate import Estimate, Scope
from app.analysis.statistic import Recorded, Statistic, declare
from app.stats.linear.cluster_robust import METHOD
from app.stats.linear.correlation import correlation
from app.stats.linear.slopes import covariate_slope, covariate_slope_difference
from app.stats.result import undefined

SECTION = "contrast"
MAX_SCORES = 12
BETWEEN, WITHIN = "covariate_slope_by_source", "covariate_slope_within_raters"

declare(
    Statistic(
        "covariate_slope_by_source",
        "Points per unit of the rater's score",
        "slope",
        docs="contrasts",
        no_difference=0.0,
        tests={
            "covariate_slope": Recorded(keys=("covariate", "source")),
            "covariate_slope_difference": Recorded(keys=("covariate", "source", "reference")),
        },
    ),
    Statistic(
        "covariate_slope_within_raters",
        "Points per unit of the covariate",
        "slope",
        variant="within raters",
        docs="contrasts",
        cites=("enders2007",),
        no_difference=0.0,
    ),
)


def covariates(data: ScaledData, scores: Iterable[Score]) -> Iterator[Estimate]:
    """Yield for each score and source, for human raters: slope, correlation, and difference from the reference."""
    if data.question.target == "rater":
        return
    answers = groups(data.codes)[0].of(data.answers)
    for score in islice((one for one in scores if one.name != data.question.key), MAX_SCORES):
        if score.why:
            yield _unusable(data, answers, score)
            continue
        x = score.at(data.codes, answers)
        for source in data.sources or (None,):
            mine = np.ones(len(x), bool) if source is None else answers.source == data.code_of(source)
            scope: Scope = {"covariate": score.name} if source is None else {"covariate": score.name, "source": source}
            yield from _of_source(data, answers.select(mine), x[mine], score, scope)
            if source is not None and data.reference is not None and source != data.reference:
                yield _difference(data, answers, x, score, {**scope, "reference": data.reference})


def _unusable(data: ScaledData, answers: Answers, score: Score) -> Estimate:
    """Return the record that gives the reason why a declared score is not used."""
    found, scope = undefined("no_variation", score.why, method=METHOD), Scope(covariate=score.name)
    nothing = answers.select(np.zeros(len(answers.value), dtype=bool))
    return data.record(found, nothing, section=SECTION, scope=scope, statistic=BETWEEN, unit="rating")


def _of_source(data: ScaledData, answers: Answers, x: Floats, score: Score, scope: Scope) -> Iterator[Estimate]:
    slopes = covariate_slope(answers.value, x, **answers.where)
    found = {BETWEEN: slopes.between} if score.is_of_raters else {WITHIN: slopes.within}
    for statistic, result in {**found, "correlation": correlation(answers.value, x, **answers.where)}.items():
        yield data.record(result, answers, section=SECTION, scope=scope, statistic=statistic, unit="rating")


def _difference(data: ScaledData, answers: Answers, x: Floats, score: Score, scope: Scope) -> Estimate:
    both = [data.code_of(scope[name]) for name in ("source", "reference")]
    here = np.isin(answers.source, both)
    part = answers.select(here)
    slopes = covariate_slope_difference(part.value, x[here], part.source == both[0], **part.where)
    found, name = (slopes.between, BETWEEN) if score.is_of_raters else (slopes.within, WITHIN)
    return data.record(found, part, section=SECTION, scope=scope, statistic=name, unit="rating")
