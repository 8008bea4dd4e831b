"""The primary contrasts of a report with their estimates, which are shown first."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from app.analysis.estimate import Estimate, Scope
from app.analysis.report.verdicts import effect_behind
from app.analysis.statistic import Recorded, declared
from app.protocol.cells import cell_of
from app.protocol.primary import PrimaryContrast, is_of_texts
from app.protocol.primary_default import primary_contrasts
from app.protocol.study import Protocol

# Find the estimates of a report that answer a primary contrast, by their content rather than their position.

SOURCES = ("source", "reference")
GROUPS = ("pool", "reference_pool", "rater_kind", "reference_rater_kind")
# Parts of a contrast that have another name in scopes.
SCOPE_KEYS = {"code": "category"}


def places_of(contrast: PrimaryContrast, estimates: Sequence[Estimate], protocol: Protocol) -> list[int]:
    """Return the positions of the estimates that answer the contrast, one per scope (of human raters or a pool)."""
    found: dict[frozenset[object], int] = {}
    for place, estimate in enumerate(estimates):
        if _is_of(estimate, contrast, protocol):
            found.setdefault(_identity(estimate), place)
    return list(found.values())


def _is_of(estimate: Estimate, contrast: PrimaryContrast, protocol: Protocol) -> bool:
    recorded = declared(estimate.statistic).tests.get(str(contrast.test))
    return (
        recorded is not None
        and recorded.unit in {None, estimate.unit}
        and recorded.procedure in {None, estimate.procedure}
        and _is_about(estimate, contrast)
        and _has_keys(estimate.scope, recorded, contrast)
        and _fits(estimate.scope, contrast, protocol)
    )


def _is_about(estimate: Estimate, contrast: PrimaryContrast) -> bool:
    """Return whether the estimate is of the contrast's question, or of its measure of texts."""
    if is_of_texts(contrast):
        return estimate.question is None and estimate.scope.get("covariate") == contrast.question
    return estimate.question == contrast.question


def _has_keys(scope: Scope, recorded: Recorded, contrast: PrimaryContrast) -> bool:
    """Return whether the scope has exactly the keys that the contrast requires."""
    named = {SCOPE_KEYS.get(part, part) for part in contrast.named if part not in {"margin", "factor", "level"}}
    needed = set(recorded.keys) | {key for key in named if key not in recorded.perhaps}
    if contrast.test == "change" and contrast.factor is not None:
        needed |= {"factor", "level"}
    return needed <= scope.keys() <= needed | set(recorded.perhaps)


def _fits(scope: Scope, contrast: PrimaryContrast, protocol: Protocol) -> bool:
    """Return whether the scope has the values that the contrast names, in its direction."""
    if "reference" in scope and scope["reference"] != (contrast.reference or protocol.reference):
        return False
    named = [(part, part) for part in ("source", *GROUPS) if part in scope]
    others = (*named, ("attribute", "attribute"), ("code", "category"), ("covariate", "covariate"))
    is_same = all(getattr(contrast, part) in {None, scope.get(key)} for part, key in others)
    return is_same and (contrast.factor is None or _is_factor(scope, contrast))


def _is_factor(scope: Scope, contrast: PrimaryContrast) -> bool:
    """Return whether the scope has the contrast's factor: by name in effects, as `factor=level` in interactions."""
    factor, level = contrast.factor, contrast.level
    if "factor" in scope:
        return scope["factor"] == factor and level in {None, scope["level"], scope.get("reference_level")}
    if factor == "shown_label":
        return "shown_label" in scope and level in {None, scope["shown_label"]}
    levels = cell_of(str(scope.get("condition", ""))).levels
    return len(levels) == 1 and levels[0][0] == factor and level in {None, levels[0][1]}


def _identity(estimate: Estimate) -> frozenset[object]:
    return frozenset([("question", estimate.measured), *((key, str(value)) for key, value in estimate.scope.items())])


def turned(scope: Scope) -> Scope:
    """The scope of the same comparison of two sources in the other direction."""
    return {**scope, "source": scope["reference"], "reference": scope["source"]}


def mirrors_of(estimates: Sequence[Estimate]) -> dict[int, int]:
    """The positions of tests that repeat another in the other direction, such as A minus B beside B minus A.

    Each is given with the position of the other, which is the primary one if one of them is, otherwise the first.
    """
    found: dict[int, int] = {}
    tests: dict[tuple[object, ...], int] = {}
    for at in sorted(range(len(estimates)), key=lambda at: estimates[at].role != "primary"):
        one = estimates[at]
        if one.p_value is None or _is_one_sided(one) or not set(SOURCES) <= one.scope.keys():
            continue
        same = tests.get(_tested(one, turned(one.scope)))
        if same is None:
            tests.setdefault(_tested(one, one.scope), at)
        else:
            found[at] = same
    return found


def _is_one_sided(estimate: Estimate) -> bool:
    """Whether the other direction is another hypothesis, not the same one with the opposite sign."""
    margin = declared(estimate.statistic).margin
    return margin is not None and margin.is_one_sided


def _tested(estimate: Estimate, scope: Scope) -> tuple[object, ...]:
    return estimate.measured, estimate.statistic, estimate.unit, estimate.method, str(sorted(scope.items()))


# Sections with comparisons, in which multiple tests are adjusted.
COMPARING = ("comparison", "choice", "ranking", "category", "belief", "subgroup", "contrast")
AGAINST = ("reference", "reference_level", "reference_pool", "reference_rater_kind")


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
            shown = effect_behind(estimates[place], estimates)
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
    return estimate.section, estimate.measured, estimate.statistic, str(estimate.scope)


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
    for mirror in mirrors_of(roled).keys() - primary:
        roled[mirror] = replace(roled[mirror], role="descriptive")
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
