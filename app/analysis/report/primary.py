"""The primary contrasts of a report with their estimates, which are shown first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from app.analysis.estimate import Estimate, Scope
from app.analysis.report.effects import effect_behind
from app.protocol.primary import PrimaryContrast
from app.protocol.primary_default import primary_contrasts
from app.protocol.study import Protocol
from app.stats.mixed.lmm_name import LMM

# Find the estimates of a report that answer a primary contrast, by their content rather than their position.

SOURCES, POOLS = ("source", "reference"), ("pool", "reference_pool")
# Parts of a contrast that have another name in scopes.
SCOPE_KEYS = {"code": "category"}


@dataclass(frozen=True, slots=True)
class Recorded:
    """How the estimates of a test are recorded: statistic, unit, keys of the scope, and start of the method if needed.

    `keys` are in the scope of every such record, `perhaps` only in some. The parts that a contrast names are added. If
    several records of one scope differ in their method, the first is the main one.
    """

    statistic: str
    unit: str | None = "rating"
    keys: tuple[str, ...] = SOURCES
    perhaps: tuple[str, ...] = ()
    method: str = ""


RECORDED: dict[str, Recorded] = {
    "mean_difference": Recorded("mean_difference"),
    "mean_difference_lmm": Recorded("mean_difference", method=LMM),
    "t_paired": Recorded("t_paired", "item_mean"),
    "t_unpaired": Recorded("t_unpaired", "item_mean"),
    "wilcoxon": Recorded("wilcoxon", "item_mean"),
    "mann_whitney": Recorded("mann_whitney", "item_mean", perhaps=("level",)),
    "odds_ratio_clmm": Recorded("odds_ratio_clmm"),
    "prob_superiority": Recorded("prob_superiority"),
    "chi_square": Recorded("chi_square"),
    "chi_square_all_sources": Recorded("chi_square", keys=()),
    "share_at_least_ratio": Recorded("share_at_least_ratio", "item_mean", (*SOURCES, "cut")),
    "percent_change": Recorded("percent_change"),
    "percent_change_at_least": Recorded("percent_change", keys=(*SOURCES, "cut")),
    "equivalence": Recorded("equivalence"),
    "non_inferiority": Recorded("non_inferiority"),
    "share_preferred": Recorded("share_preferred", "choice"),
    "share_preferred_glmm": Recorded("share_preferred_glmm", "choice"),
    "share_preferred_wilson_cc": Recorded("share_preferred", "choice", method="wilson_cc"),
    "category_difference": Recorded("category_difference", keys=("category", *SOURCES)),
    "stuart_maxwell": Recorded("stuart_maxwell"),
    "factor_effect": Recorded("factor_effect", keys=("factor", "level", "reference_level")),
    "interaction": Recorded("interaction", perhaps=("condition", "shown_label")),
    "attribute_effect": Recorded("attribute_effect", keys=("attribute", "level", "reference_level")),
    "pool_difference": Recorded("pool_difference", "response", POOLS),
    "pool_correlation": Recorded("pool_correlation", "response", POOLS),
    "turn_slope": Recorded("turn_slope", keys=("source",)),
    "turn_slope_difference": Recorded("turn_slope_difference"),
    "covariate_slope": Recorded("covariate_slope_by_source", keys=("covariate", "source")),
    "covariate_slope_difference": Recorded("covariate_slope_by_source", keys=("covariate", *SOURCES)),
    "dprime": Recorded("dprime", keys=()),
    "belief_effect": Recorded("belief_effect", keys=("source", "covariate")),
    "accuracy_share": Recorded("accuracy_share", keys=(), perhaps=("source",)),
    "f1_macro": Recorded("f1_macro", keys=()),
    "change": Recorded("change", "rater_mean", ("before",)),
    "change_difference": Recorded("change_difference", "rater_mean", ("before", "factor", "level", "reference_level")),
    "amce": Recorded("amce", None, ("attribute", "level", "reference_level")),
    "empathic_accuracy": Recorded("empathic_accuracy", "rater_mean", ("covariate",)),
    "span_f1": Recorded("span_f1", "response", ()),
    "span_alpha": Recorded("span_alpha", "response", ()),
    "krippendorff_alpha": Recorded("krippendorff_alpha", None, ()),
    **{name: Recorded(name, None, ()) for name in ("fleiss_kappa", "gwet_ac1", "gwet_ac2", "icc_a_1", "icc_a_k")},
}


def places_of(contrast: PrimaryContrast, estimates: Sequence[Estimate], protocol: Protocol) -> list[int]:
    """Return the positions of the estimates that answer the contrast, one per scope (of human raters or a pool)."""
    found: dict[frozenset[object], int] = {}
    for place, estimate in enumerate(estimates):
        if _is_of(estimate, contrast, protocol):
            found.setdefault(_identity(estimate), place)
    return list(found.values())


def _is_of(estimate: Estimate, contrast: PrimaryContrast, protocol: Protocol) -> bool:
    recorded = RECORDED[str(contrast.test)]
    return (
        _is_statistic(estimate, recorded)
        and (estimate.question or "").partition("=")[0] == contrast.question
        and _has_keys(estimate.scope, recorded, contrast)
        and _fits(estimate.scope, contrast, protocol)
    )


def _is_statistic(estimate: Estimate, recorded: Recorded) -> bool:
    name = estimate.statistic
    is_same = name.startswith("krippendorff_alpha") if recorded.statistic == "krippendorff_alpha" else None
    is_same = name == recorded.statistic if is_same is None else is_same
    return is_same and recorded.unit in {None, estimate.unit} and estimate.method.startswith(recorded.method)


def _has_keys(scope: Scope, recorded: Recorded, contrast: PrimaryContrast) -> bool:
    """Return whether the scope has exactly the keys that the contrast requires."""
    named = {SCOPE_KEYS.get(part, part) for part in contrast.named if part not in {"margin", "factor", "level"}}
    needed = set(recorded.keys) | {key for key in named if key not in recorded.perhaps}
    if recorded.statistic == "change" and contrast.factor is not None:
        needed |= {"factor", "level"}
    return needed <= scope.keys() <= needed | set(recorded.perhaps)


def _fits(scope: Scope, contrast: PrimaryContrast, protocol: Protocol) -> bool:
    """Return whether the scope has the values that the contrast names, in its direction."""
    if "reference" in scope and scope["reference"] != (contrast.reference or protocol.reference):
        return False
    named = [(part, part) for part in ("source", *POOLS) if part in scope]
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
    name, _, value = str(scope.get("condition", "")).partition("=")
    return name == factor and level in {None, value}


def _identity(estimate: Estimate) -> frozenset[object]:
    return frozenset([("question", estimate.question), *((key, str(value)) for key, value in estimate.scope.items())])


# Tests that are another hypothesis in the other direction, not the same one with the opposite sign.
ONE_SIDED = frozenset({"non_inferiority"})


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
        if one.p_value is None or one.statistic in ONE_SIDED or not set(SOURCES) <= one.scope.keys():
            continue
        same = tests.get(_tested(one, turned(one.scope)))
        if same is None:
            tests.setdefault(_tested(one, one.scope), at)
        else:
            found[at] = same
    return found


def _tested(estimate: Estimate, scope: Scope) -> tuple[object, ...]:
    return estimate.question, estimate.statistic, estimate.unit, estimate.method, str(sorted(scope.items()))


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
