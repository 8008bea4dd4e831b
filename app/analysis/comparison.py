"""Sources against each other on a scale: each one minus the reference, and the share at or above a cut."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.analysis.answers import within_items
from app.analysis.scopes import distinct_groups, with_answers
from app.stats import bootstrap, classical, describe

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.analysis.answers import Answers
    from app.analysis.figure import Figure, Scope, Unit
    from app.analysis.sheet import ScaledSheet
    from app.stats.result import Result

    Found = tuple[str, Unit, Result]

SECTION = "comparison"


def comparison(sheet: ScaledSheet) -> Iterator[Figure]:
    """Mean differences, the t tests on item means, shares at the cut and their ratio; nothing without two sources."""
    if sheet.reference is None:
        return
    for group, answers in with_answers(distinct_groups(sheet.codes), sheet.answers):
        for source in sheet.sources:
            yield from _shares(sheet, answers, {**group.scope, "source": source})
        for source in sheet.sources:
            if source != sheet.reference:
                scope = {**group.scope, "source": source, "reference": sheet.reference}
                yield from _against_reference(sheet, answers, scope)


def _shares(sheet: ScaledSheet, answers: Answers, scope: Scope) -> Iterator[Figure]:
    if sheet.cut is None:
        return
    part = answers.select(answers.source == sheet.code_of(scope["source"]))
    single = describe.share_at_least(part.value, sheet.cut, **part.where)
    means = within_items(part)
    by_item = bootstrap.share_of_item_means_at_least(means.value, sheet.cut, seed=means.seed, **means.where)
    found: list[Found] = [("share_at_least", "rating", single), ("share_at_least", "item_mean", by_item)]
    yield from _records(sheet, part, {**scope, "cut": sheet.cut}, found)


def _against_reference(sheet: ScaledSheet, answers: Answers, scope: Scope) -> Iterator[Figure]:
    mine, theirs = sheet.code_of(scope["source"]), sheet.code_of(scope["reference"])
    part = answers.select((answers.source == mine) | (answers.source == theirs))
    difference = describe.mean_difference(part.value, part.source == mine, **part.where)
    means = within_items(part)
    value, is_mine = means.value, means.source == mine
    found: list[Found] = [("mean_difference", "rating", difference)]
    for is_paired, name, test in (
        (True, "t_paired", classical.t_paired),
        (False, "t_unpaired", classical.t_unpaired),
    ):
        gap = classical.item_mean_difference(value, is_mine, is_paired=is_paired, **means.where)
        found += [("mean_difference", "item_mean", gap), (name, "item_mean", test(value, is_mine, **means.where))]
    yield from _records(sheet, part, scope, found)
    if sheet.cut is not None:
        ratio = bootstrap.share_at_least_ratio(value, is_mine, sheet.cut, seed=means.seed, **means.where)
        yield from _records(sheet, part, {**scope, "cut": sheet.cut}, [("share_at_least_ratio", "item_mean", ratio)])


def _records(sheet: ScaledSheet, answers: Answers, scope: Scope, found: list[Found]) -> Iterator[Figure]:
    for statistic, unit, result in found:
        yield sheet.record(result, answers, section=SECTION, scope=scope, statistic=statistic, unit=unit)
