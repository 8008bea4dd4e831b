"""The rated texts: differences between sources, and the relation of ratings to text measures and imported scores."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from app.analysis.data.answers import Answers
from app.analysis.data.covariates import Covariates
from app.analysis.data.encoded_study import Floats, Ints
from app.analysis.data.question_data import ScaledData, record_of
from app.analysis.data.scopes import Contrast, groups
from app.analysis.estimate import Estimate, Scope
from app.analysis.minimum_data import ASSOCIATION
from app.analysis.sections.study_data import StudyData
from app.analysis.statistic import Bounds, Recorded, Statistic, declare
from app.analysis.wording.formatting import is_share
from app.base.words import and_list
from app.protocol.primary import is_of_texts
from app.protocol.primary_default import primary_contrasts
from app.stats.clusters import for_new_items, kept_within
from app.stats.comparison import describe
from app.stats.linear.correlation import Kind, correlation
from app.stats.linear.regression import difference_at_equal
from app.stats.result import Method, Result, undefined

SECTION = "text"
LENGTH: Scope = {"covariate": "length"}
CORRELATIONS: dict[str, Kind] = {"correlation": "pearson", "rank_correlation": "spearman"}
COUNTS = frozenset({"words", "emoji", "exclamation_marks", "punctuation"})
NO_MEASURE = "responses.csv has no column {} of numbers, and no text has this measure; known are {}."
NOT_MEDIATION = "The model cannot tell whether length is a confounder or part of what raters value"

declare(
    Statistic(
        "rank_correlation",
        "Rank correlation",
        "coefficient",
        docs="texts",
        minimum=ASSOCIATION,
        caption="Rank correlation with the mean rating of a response",
    ),
    Statistic("text_mean", "Mean over texts", "points", docs="texts", kind_of_share="share"),
    Statistic(
        "text_difference",
        "Difference between texts",
        "points",
        docs="texts",
        no_difference=0.0,
        kind_of_share="share_points",
        tests={"text_difference": Recorded(unit="response", keys=("source", "reference", "covariate"))},
        caption="Differences between sources in these measures",
    ),
    Statistic(
        "mean_difference_at_equal",
        "Mean difference at equal covariate",
        "points",
        docs="texts",
        cites=("dubois2024",),
        no_difference=0.0,
        bounds=Bounds(times=1),
        caption="Mean difference adjusted for length",
    ),
    Statistic(
        "covariate_slope",
        "Slope per unit of the covariate",
        "points",
        docs="texts",
        no_difference=0.0,
        caption="Points that go with the length",
    ),
)


def texts(study: StudyData) -> Iterator[Estimate]:
    """Yield each covariate per source and against the reference; the reason for measures that are left out."""
    of_texts = _one_each(study)
    for name, values in study.covariates.known.items():
        whole = replace(of_texts, value=values).select(np.isfinite(values))
        for source in study.codes.sources:
            part = whole.of_source(study.codes.sources.index(source))
            over_texts = describe.share if is_share(name) else describe.mean
            mean = over_texts(part.value, item=part.item, rater=part.item)
            if name in COUNTS:
                # a text has no more of anything than characters
                mean = kept_within(mean, 0.0, float(np.nanmax(study.covariates.known["characters"], initial=1.0)))
            yield _of_texts(for_new_items(mean), part, {"source": source, "covariate": name}, "text_mean")
        for source in study.codes.sources:
            if study.protocol.reference not in {source, None}:
                scope: Scope = {"source": source, "reference": study.protocol.reference, "covariate": name}
                yield _of_texts(*_difference(whole, study.codes.sources, scope), scope, "text_difference")
    nothing = of_texts.select(np.zeros(0, dtype=np.int64))
    for name, why in study.covariates.left_out.items():
        yield _of_texts(
            undefined("not_run", why, method=Method(words="mean over texts")), nothing, {"covariate": name}, "text_mean"
        )
    yield from _without_measure(study, nothing)


def _without_measure(study: StudyData, nothing: Answers) -> Iterator[Estimate]:
    """Yield why a primary contrast of texts cannot be estimated: a measure that is left out or unknown."""
    known, left_out = study.covariates.known, study.covariates.left_out
    for contrast in primary_contrasts(study.protocol):
        if not is_of_texts(contrast) or contrast.question in known:
            continue
        reference, name = str(contrast.reference or study.protocol.reference), contrast.question
        why = left_out.get(name) or NO_MEASURE.format(name, and_list(known) or "none")
        found = undefined("not_run", why, method=Method(words="difference of means over texts"))
        for source in study.codes.sources if contrast.source is None else (contrast.source,):
            if source != reference:
                scope: Scope = {"source": source, "reference": reference, "covariate": name}
                yield _of_texts(found, nothing, scope, "text_difference")


def _one_each(study: StudyData) -> Answers:
    """Return the responses in the form of answers, each as one unit without a rater."""
    responses = study.codes.responses
    n = len(responses.item)
    every = np.arange(n)
    return Answers(responses.item, every, np.zeros(n, int), responses.source, np.zeros(n), np.ones(n, bool), every)


def _difference(whole: Answers, sources: tuple[str, ...], scope: Scope) -> tuple[Result, Answers]:
    mine, theirs = (whole.source == sources.index(scope[key]) for key in ("source", "reference"))
    two = whole.select(mine | theirs)
    return for_new_items(describe.mean_difference(two.value, mine[mine | theirs], item=two.item, rater=two.item)), two


def _of_texts(result: Result, part: Answers, scope: Scope, statistic: str) -> Estimate:
    return replace(
        record_of(None, result, part, section=SECTION, scope=scope, statistic=statistic, unit="response"),
        n_pairable_units=0,
        n_raters=0,
        n_ratings=0,
    )


def ratings_and_texts(data: ScaledData, covariates: Covariates) -> Iterator[Estimate]:
    """Yield correlations of mean human rating and covariate, overall and per source; differences at equal length."""
    answers = groups(data.codes)[0].of(data.answers)
    response = data.codes.rows.response[answers.row]
    if not len(response) or not (response >= 0).all():
        return
    for name, values in covariates.known.items():
        yield from _correlations(data, answers, values[response], response, {"covariate": name})
        for source in data.sources:
            part = answers.of_source(data.code_of(source))
            own = data.codes.rows.response[part.row]
            yield from _correlations(data, part, values[own], own, {"source": source, "covariate": name})
    yield from _at_equal_length(data, answers)


def _correlations(
    data: ScaledData, answers: Answers, covariate: Floats, response: Ints, scope: Scope
) -> Iterator[Estimate]:
    """Yield correlations over responses of the mean human rating with the covariate, clustered by item."""
    code, first, place = np.unique(response, return_index=True, return_inverse=True)
    mean = np.bincount(place, answers.value, len(code)) / np.maximum(np.bincount(place, minlength=len(code)), 1)
    item = answers.item[first]
    for statistic, kind in CORRELATIONS.items():
        found = for_new_items(correlation(mean, covariate[first], item=item, rater=item, kind=kind))
        yield data.record(found, answers, section=SECTION, scope=scope, statistic=statistic, unit="response")


def at_equal_length(study: StudyData, key: str) -> Iterator[Estimate]:
    """Yield the differences of one question at equal length, against the reference of the study."""
    for data in study.numbers:
        if data.question.key == key:
            answers = groups(data.codes)[0].of(data.answers)
            response = data.codes.rows.response[answers.row]
            if len(response) and (response >= 0).all():
                yield from _at_equal_length(data, answers)


def _at_equal_length(data: ScaledData, answers: Answers) -> Iterator[Estimate]:
    length = data.codes.responses.doublings
    for source in data.sources:
        if data.reference in {source, None} or not np.isfinite(length).any():
            continue
        scope: Scope = {"source": source, "reference": data.reference, **LENGTH}
        contrast = Contrast.of(data, answers, scope)
        rows = contrast.answers
        doublings = length[data.codes.rows.response[rows.row]]
        result = difference_at_equal(rows.value, contrast.is_mine, doublings, **rows.where)
        found = {
            "mean_difference_at_equal": result.difference.noted("" if result.difference.reason else NOT_MEDIATION),
            "covariate_slope": result.slope,
        }
        for statistic, one in found.items():
            yield data.record(one, rows, section=SECTION, scope=scope, statistic=statistic, unit="rating")
