"""Comparisons of sources on a scale: each source minus the reference, and the share at or above a cut."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.analysis.data.answers import within_items
from app.analysis.data.scopes import distinct_groups, with_answers
from app.analysis.data.source_contrast import Contrast, Found
from app.analysis.sections.comparison import differences, ranks
from app.analysis.sections.comparison import ordinal_models as models
from app.stats.comparison import describe
from app.stats.proportions import share_bootstrap as bootstrap

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from app.analysis.data.answers import Answers
    from app.analysis.data.question_data import ScaledSheet
    from app.analysis.estimate import Estimate, Scope

SECTION = "comparison"


def comparison(sheet: ScaledSheet) -> Iterator[Estimate]:
    """Yield each source against the reference: ordinal model, differences, superiority, common tests, shares.

    Nothing without a reference.
    """
    if sheet.reference is None:
        return
    for group, answers in with_answers(distinct_groups(sheet.codes), sheet.answers):
        for source in sheet.sources:
            yield from _shares(sheet, answers, {**group.scope, "source": source})
        for source in sheet.sources:
            if source != sheet.reference:
                scope = {**group.scope, "source": source, "reference": sheet.reference}
                yield from _against_reference(sheet, answers, scope)


def _shares(sheet: ScaledSheet, answers: Answers, scope: Scope) -> Iterator[Estimate]:
    if sheet.cut is None:
        return
    part = answers.select(answers.source == sheet.code_of(scope["source"]))
    means = within_items(part)
    single = describe.share_at_least(part.value, sheet.cut, **part.where)
    by_item = bootstrap.share_of_item_means_at_least(means.value, sheet.cut, seed=means.seed, **means.where)
    scope = {**scope, "cut": sheet.cut}
    found = (Found("share_at_least", "rating", single), Found("share_at_least", "item_mean", by_item))
    yield from _records(sheet, part, scope, found)


def _against_reference(sheet: ScaledSheet, answers: Answers, scope: Scope) -> Iterator[Estimate]:
    contrast = Contrast.of(sheet, answers, scope)
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
        yield from _records(sheet, contrast.answers, scope, part(contrast))


def _records(sheet: ScaledSheet, answers: Answers, scope: Scope, found: Iterable[Found]) -> Iterator[Estimate]:
    for one in found:
        yield sheet.record(
            one.result,
            answers,
            section=SECTION,
            scope={**scope, **one.scope},
            statistic=one.statistic,
            unit=one.unit,
        )
