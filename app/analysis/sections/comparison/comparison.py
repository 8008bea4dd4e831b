"""Comparisons of sources on a scale: each source minus the reference, and the share at or above a cut."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.analysis.data.questions.scopes import distinct_groups, with_answers
from app.analysis.data.questions.source_contrast import Contrast, Found
from app.analysis.sections.comparison import differences, ranks
from app.analysis.sections.comparison import ordinal_models as models
from app.stats.comparison import describe
from app.stats.proportions import share_bootstrap as bootstrap

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from app.analysis.data.questions.answers import Answers
    from app.analysis.data.questions.question_data import ScaledData
    from app.analysis.estimate import Estimate, Scope

SECTION = "comparison"


def comparison(data: ScaledData) -> Iterator[Estimate]:
    """Yield each source against the reference: ordinal model, differences, superiority, common tests, shares.

    Nothing without a reference.
    """
    if data.reference is None:
        return
    for group, answers in with_answers(distinct_groups(data.codes), data.answers):
        for source in data.sources:
            yield from _shares(data, answers, {**group.scope, "source": source})
        for source in data.sources:
            if source != data.reference:
                scope = {**group.scope, "source": source, "reference": data.reference}
                yield from _against_reference(data, answers, scope)


def _shares(data: ScaledData, answers: Answers, scope: Scope) -> Iterator[Estimate]:
    if data.cut is None:
        return
    part = answers.of_source(data.code_of(scope["source"]))
    means = part.per_item
    single = describe.share_at_least(part.value, data.cut, **part.where)
    by_item = bootstrap.share_of_item_means_at_least(means.value, data.cut, seed=means.seed, **means.where)
    scope = {**scope, "cut": data.cut}
    found = (Found("share_at_least", "rating", single), Found("share_at_least", "item_mean", by_item))
    yield from _records(data, part, scope, found)


def _against_reference(data: ScaledData, answers: Answers, scope: Scope) -> Iterator[Estimate]:
    contrast = Contrast.of(data, answers, scope)
    parts = (
        models.ordinal,
        models.proportionality,
        differences.mean_differences,
        differences.against_margin,
        ranks.superiority,
        differences.shares,
        ranks.rank_tests,
    )
    for part in parts:
        yield from _records(data, contrast.answers, scope, part(contrast))


def _records(data: ScaledData, answers: Answers, scope: Scope, found: Iterable[Found]) -> Iterator[Estimate]:
    for one in found:
        yield data.record(
            one.result,
            answers,
            section=SECTION,
            scope={**scope, **one.scope},
            statistic=one.statistic,
            unit=one.unit,
        )
