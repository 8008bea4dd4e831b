"""The primary contrasts of a report with their estimates, which are shown first."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from app.analysis.report.effects import effect_behind
from app.analysis.report.primary_records import places_of
from app.design.protocol.primary_default import primary_contrasts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.analysis.estimate import Estimate
    from app.design.protocol.parts.primary import PrimaryContrast
    from app.design.protocol.study import Protocol

# Sections with comparisons, in which multiple tests are adjusted.
COMPARING = ("comparison", "choice", "ranking", "category", "belief", "subgroup", "contrast")
AGAINST = ("reference", "reference_level", "reference_pool")


@dataclass(frozen=True, slots=True)
class PrimaryResult:
    """A primary contrast and its estimates: one per source, level or code that the contrast leaves open.

    `is_declared` is False if the protocol names no primary contrast and this one follows from the design. `estimates`
    is empty if there are no answers for the contrast.
    """

    contrast: PrimaryContrast
    is_declared: bool
    estimates: tuple[Estimate, ...]


def declared_first(estimates: Sequence[Estimate], protocol: Protocol) -> list[Estimate]:
    """Return the estimates with the effects of declared tests before the same effects by other methods.

    Wherever one record of a statistic and scope is shown, it is the first: a declared t test on item means and the rows
    of tables and charts then have the same interval.
    """
    ahead: dict[tuple[object, ...], Estimate] = {}
    for contrast in primary_contrasts(protocol):
        for place in places_of(contrast, estimates, protocol):
            shown = effect_behind(estimates[place], estimates) or estimates[place]
            ahead.setdefault(_shown_as(shown), shown)
    moved = {id(one) for one in ahead.values()}
    found = []
    for estimate in estimates:
        if first := ahead.pop(_shown_as(estimate), None):
            found.append(first)
        if id(estimate) not in moved:
            found.append(estimate)
    return found


def _shown_as(estimate: Estimate) -> tuple[object, ...]:
    return estimate.section, estimate.question, estimate.statistic, str(estimate.scope)


def with_roles(estimates: Sequence[Estimate], protocol: Protocol) -> tuple[list[Estimate], list[tuple[int, ...]]]:
    """Return the estimates with their roles, and the positions of the estimates for each primary contrast."""
    places = [tuple(places_of(one, estimates, protocol)) for one in primary_contrasts(protocol)]
    primary = {place for found in places for place in found}
    roled = [
        replace(estimate, role="primary")
        if place in primary
        else replace(estimate, role="exploratory")
        if _compares(estimate)
        else estimate
        for place, estimate in enumerate(estimates)
    ]
    return roled, places


def _compares(estimate: Estimate) -> bool:
    """Return whether an estimate is a comparison: it has a p-value, or a second source, level or pool."""
    is_against = any(key in estimate.scope for key in AGAINST)
    return estimate.section in COMPARING and (is_against or estimate.p_value is not None)


def primary_results(
    estimates: Sequence[Estimate], places: Sequence[Sequence[int]], protocol: Protocol
) -> tuple[PrimaryResult, ...]:
    """Return the results for each primary contrast, in the order of the protocol."""
    is_declared = bool(protocol.analysis.primary)
    return tuple(
        PrimaryResult(contrast, is_declared, tuple(estimates[place] for place in found))
        for contrast, found in zip(primary_contrasts(protocol), places, strict=True)
    )
