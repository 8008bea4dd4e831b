"""The main estimates without the human raters flagged by the protocol's rule, for comparison."""

from collections.abc import Collection, Iterator

import numpy as np

from app.analysis.data.answers import UNITS, Answers, Choices
from app.analysis.data.question_data import AnyQuestionData
from app.analysis.data.rater_panel import SECTION
from app.analysis.data.scopes import groups
from app.analysis.estimate import Estimate, Scope
from app.analysis.sections.agreement import in_words
from app.analysis.sections.choice import is_between, outcomes
from app.analysis.sections.coefficients import coefficients
from app.stats.choice import preference_shares as choice_stats
from app.stats.comparison import describe

FLAGGED: Scope = {"flagged": "left_out"}


def without_flagged(data: AnyQuestionData, flagged: Collection[str]) -> Iterator[Estimate]:
    """Yield alpha, and each source's difference from or share against the reference; nothing without flags."""
    if not flagged or data.question.target == "rater":
        return
    is_kept = ~np.isin(np.asarray(data.codes.raters.ids, dtype=object), list(flagged))
    persons = groups(data.codes)[0].of(data.answers)
    answers = persons.select(is_kept[persons.rater])
    statistic, alpha = next(coefficients(data, answers))
    unit = UNITS[data.question.target]
    alpha = in_words(alpha, data, answers)
    yield data.record(alpha, answers, section=SECTION, scope=FLAGGED, statistic=statistic, unit=unit)
    for source in data.sources:
        if data.reference is not None and source != data.reference:
            yield headline(data, answers, {"source": source, "reference": data.reference, **FLAGGED})


def headline(data: AnyQuestionData, answers: Answers, scope: Scope) -> Estimate:
    """The share preferred or the mean difference of two sources, with the two-way clustered interval."""
    if isinstance(answers, Choices):
        mine = data.code_of(scope["source"])
        pairs = answers.select(is_between(answers, mine, data.code_of(scope["reference"])))
        share = choice_stats.share_preferred(outcomes(pairs, mine), **pairs.where)
        return data.record(share, pairs, section=SECTION, scope=scope, statistic="share_preferred", unit="choice")
    is_mine = answers.source == data.code_of(scope["source"])
    either = is_mine | (answers.source == data.code_of(scope["reference"]))
    two = answers.select(either)
    gap = describe.mean_difference(two.value, is_mine[either], **two.where)
    return data.record(gap, two, section=SECTION, scope=scope, statistic="mean_difference", unit="rating")
