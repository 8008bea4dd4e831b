"""A score of the rater (a questionnaire, age) against their ratings of each source."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from app.analysis.data.covariates import scores
from app.analysis.data.scopes import groups
from app.analysis.data.splits import OWN_COLUMNS
from app.stats.linear.correlation import correlation
from app.stats.linear.covariates import covariate_slope, covariate_slope_difference

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from app.analysis.data.answers import Answers
    from app.analysis.data.encoded_study import Codes, Floats
    from app.analysis.data.question_data import ScaledSheet
    from app.analysis.estimate import Estimate, Scope

SECTION = "contrast"
MAX_SCORES = 12
_THREE = 3


def rater_scores(codes: Codes, about_raters: Sequence[ScaledSheet]) -> dict[str, Floats]:
    """The value of each rater, nan where there is none: composites and questions about raters, numbers of the table.

    Composites come first: a questionnaire of many questions must not crowd out the scores that they make.
    """
    found: dict[str, Floats] = {}
    for sheet in sorted(about_raters, key=lambda sheet: not sheet.is_composite):
        mean = pd.Series(sheet.answers.value).groupby(sheet.answers.rater).mean()
        value = mean.reindex(range(len(codes.raters.ids)))
        found[sheet.question.key] = np.asarray(value, dtype=np.float64)
    for name in (column for column in codes.rater_table.columns if column not in OWN_COLUMNS):
        values = scores(codes.rater_table[name])
        if values is not None and len(np.unique(values[np.isfinite(values)])) >= _THREE:
            found.setdefault(str(name), values)
    return dict(list(found.items())[:MAX_SCORES])


def covariates(sheet: ScaledSheet, known: Mapping[str, Floats]) -> Iterator[Estimate]:
    """For each score and source, of persons: slope, correlation, and the slope less that of the reference."""
    if sheet.question.target == "rater":
        return
    answers = groups(sheet.codes)[0].of(sheet.answers)
    for name, score in known.items():
        x = score[answers.rater]
        for source in sheet.sources or (None,):
            mine = np.ones(len(x), bool) if source is None else answers.source == sheet.code_of(source)
            scope: Scope = {"covariate": name} if source is None else {"covariate": name, "source": source}
            yield from _of_source(sheet, answers.select(mine), x[mine], scope)
            if source is not None and sheet.reference is not None and source != sheet.reference:
                yield _difference(sheet, answers, x, {**scope, "reference": sheet.reference})


def _of_source(sheet: ScaledSheet, answers: Answers, x: Floats, scope: Scope) -> Iterator[Estimate]:
    found = {
        "covariate_slope_by_source": covariate_slope(answers.value, x, **answers.where).between,
        "correlation": correlation(answers.value, x, **answers.where),
    }
    for statistic, result in found.items():
        yield sheet.record(result, answers, section=SECTION, scope=scope, statistic=statistic, unit="rating")


def _difference(sheet: ScaledSheet, answers: Answers, x: Floats, scope: Scope) -> Estimate:
    both = [sheet.code_of(scope[name]) for name in ("source", "reference")]
    here = np.isin(answers.source, both)
    part = answers.select(here)
    found = covariate_slope_difference(part.value, x[here], part.source == both[0], **part.where).between
    name = "covariate_slope_by_source"
    return sheet.record(found, part, section=SECTION, scope=scope, statistic=name, unit="rating")
