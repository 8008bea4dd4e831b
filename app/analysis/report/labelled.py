"""Replace the keys in a report by labels for people; files keep the keys."""

from collections.abc import Iterable
from contextvars import ContextVar
from dataclasses import replace

from app.analysis.estimate import Estimate, Scope
from app.analysis.report.report import Report
from app.analysis.statistic import Kind
from app.analysis.wording.formatting import is_measured, kind_of
from app.base.words import readable
from app.protocol.labels import Labels

# the last report, its labels and the answer: a page or document asks for the same several times
_LAST: ContextVar[tuple[Report, Labels, Report] | None] = ContextVar("last", default=None)


def labelled(report: Report, labels: Labels) -> Report:
    """Return the report with the labels of sources, conditions, pools and attributes in the scope of each estimate.

    The question keys stay, because pages and charts find estimates by them.
    """
    last = _LAST.get()
    if last is not None and last[0] is report and last[1] == labels:
        return last[2]
    primary = tuple(replace(result, estimates=_each(result.estimates, labels)) for result in report.primary)
    made = replace(report, estimates=_each(report.estimates, labels), primary=primary)
    _LAST.set((report, labels, made))
    return made


def _each(estimates: Iterable[Estimate], labels: Labels) -> tuple[Estimate, ...]:
    return tuple(labelled_estimate(estimate, labels) for estimate in estimates)


def labelled_estimate(estimate: Estimate, labels: Labels) -> Estimate:
    """Return one estimate with labels in its scope, and without an interval that tells nothing."""
    estimate = with_telling_interval(estimate)
    if not estimate.scope:
        return estimate
    return replace(
        estimate, scope=_codes(_levels(_scope(estimate.scope, labels), labels), estimate.question or "", labels)
    )


# An interval that covers this much of the possible values tells nothing. The range of points depends on the question.
MIN_UNINFORMATIVE = 0.9
_RANGES: dict[Kind, float] = {"share": 1.0, "coefficient": 2.0, "share_points": 2.0}


def with_telling_interval(estimate: Estimate) -> Estimate:
    """Return the estimate without an interval that tells nothing."""
    if not is_without_information(estimate):
        return estimate
    return replace(
        estimate,
        ci_low=None,
        ci_high=None,
        ci_level=None,
        inference="none",
        ci_reason="too_few",
        interval_warnings=(),
    )


def is_without_information(estimate: Estimate) -> bool:
    """Whether the interval covers nine tenths of the possible values, such as 1.1% to 95.8%; files keep it."""
    possible = _RANGES.get(kind_of(estimate))
    if possible is None or estimate.ci_low is None or estimate.ci_high is None:
        return False
    return estimate.ci_high - estimate.ci_low >= MIN_UNINFORMATIVE * possible


def _scope(scope: Scope, labels: Labels) -> Scope:
    found = scope.copy()
    for source in ("source", "reference"):
        if source in found:
            found[source] = labels.source(found[source])
    for pool in ("pool", "reference_pool"):
        if pool in found:
            found[pool] = labels.pool(found[pool])
    if "attribute" in found:
        found["attribute"] = labels.column(found["attribute"])
    if "before" in found:
        found["before"] = labels.question(found["before"])
    if "condition" in found:
        found["condition"] = labels.condition(found["condition"])
    if "covariate" in found and not is_measured(found["covariate"]):
        found["covariate"] = labels.column(found["covariate"])
    if "subgroup" in found:
        found["subgroup"] = {labels.column(name): value for name, value in found["subgroup"].items()}
    return found


def _levels(scope: Scope, labels: Labels) -> Scope:
    """Return the scope with labels of the factor and its levels; shown labels are written as raters saw them."""
    if "factor" not in scope or scope["factor"] not in labels.levels:
        return scope
    found, factor = scope.copy(), scope["factor"]
    found["factor"] = labels.factors.get(factor) or readable(factor)
    for name in ("level", "reference_level"):
        if name in found:
            found[name] = labels.level(factor, found[name])
    return found


def _codes(scope: Scope, question: str, labels: Labels) -> Scope:
    """Return the scope with labels of the codes of the question."""
    codes = labels.codes.get(question, {})
    found = scope.copy()
    for name in ("category", "correct"):
        if name in scope:
            found[name] = codes.get(scope[name]) or scope[name]
    return found
