"""What could change the answer: each primary difference between sources, analysed in other ways."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from app.analysis.estimate import Estimate, Scope, without
from app.analysis.findings.main_contrasts import MainContrast
from app.analysis.report.report import Report
from app.analysis.report.verdicts import excludes_no_difference
from app.analysis.wording.formatting import SENSITIVITY, estimate_text, interval_text
from app.base.words import and_list, counted

HEADER = ("Question", "Comparison", "Analysis", "Estimate", "95% CI", "Includes no difference")
LOWEST = (
    "Without one rater or item: of all that could be left out, the one that gives the lowest or the highest estimate."
)
AS_REPORTED, MAX_NAMED = "as reported", 3


@dataclass(frozen=True, slots=True)
class OtherWay:
    """One difference by another analysis.

    `is_changed`: its 95% CI excludes no difference and that of the difference as reported does not, or the other way
    round; None without one of them.
    """

    contrast: MainContrast
    name: str
    estimate: Estimate
    is_changed: bool | None


def other_ways(contrasts: Sequence[MainContrast], report: Report) -> list[OtherWay]:
    """Every other analysis of the primary contrasts, in their order; the report is `labelled`."""
    return [way for one in contrasts if one.primary for way in _of_contrast(one, report)]


def _of_contrast(contrast: MainContrast, report: Report) -> Iterator[OtherWay]:
    beside = (("adjusted for length", contrast.at_equal_length), ("without flagged raters", contrast.without_flagged))
    found = {name: one for name, one in beside if one is not None}
    wanted = (contrast.estimate.measured, contrast.estimate.statistic, contrast.estimate.scope)
    for one in report.of("rater"):
        if "sensitivity" in one.scope and (one.measured, one.statistic, without(one.scope, "sensitivity")) == wanted:
            found[SENSITIVITY[one.scope["sensitivity"]]] = one
    found |= {_combined_with(one): one for one in report.of("judge") if _is_combined(one, wanted)}
    is_clear = excludes_no_difference(contrast.estimate)
    for name, one in found.items():
        if one.estimate is not None:
            other = excludes_no_difference(one)
            yield OtherWay(contrast, name, one, None if None in {other, is_clear} else other != is_clear)


def _is_combined(one: Estimate, wanted: tuple[object, str, Scope]) -> bool:
    """Whether this is the same difference by people and model judges together, beside that of people alone."""
    measured, statistic, scope = wanted
    of = (one.measured, one.statistic, without(one.scope, "rater_kind", "raters"))
    return of == (measured, f"{statistic}_ppi", scope)


def _combined_with(one: Estimate) -> str:
    judges = one.scope["raters"]
    return f"people combined with model {'judge' if len(judges) == 1 else 'judges'} {and_list(judges, most=MAX_NAMED)}"


def robustness_sentence(ways: Sequence[OtherWay], *, is_named: bool = True) -> str:
    """How many other analyses change an answer, and which if `is_named`; empty without any."""
    known = [one for one in ways if one.is_changed is not None]
    if not known:
        return ""
    are_several = len({(one.contrast.estimate.measured, one.contrast.source) for one in known}) > 1
    said = f"{counted(len(known), 'other analysis', 'other analyses')} of the primary differences"
    if not is_named:
        n = sum(bool(one.is_changed) for one in known)
        verb = "changes" if n == 1 else "change"
        return f"{n or 'None'} of {counted(len(known), 'other analysis', 'other analyses')} {verb} the answer."
    changed = [_name(one, are_several=are_several) for one in known if one.is_changed]
    if not changed:
        return f"None of {said} changes whether the 95% CI includes no difference."
    which = and_list(changed, most=MAX_NAMED)
    verb = "changes" if len(changed) == 1 else "change"
    return f"{len(changed)} of {said} {verb} whether the 95% CI includes no difference: {which}."


def _name(way: OtherWay, *, are_several: bool) -> str:
    return f"{way.contrast.label} ({way.contrast.source}) {way.name}" if are_several else way.name


def robustness_rows(ways: Sequence[OtherWay]) -> tuple[tuple[str, ...], ...]:
    """A row per difference as reported, followed by its other analyses; the columns are `HEADER`."""
    rows = []
    shown: MainContrast | None = None
    for way in ways:
        one = way.contrast
        of = (one.label, f"{one.source} against {one.reference}")
        if one is not shown:
            rows.append((*of, AS_REPORTED, *_cells(one.estimate)))
            shown = one
        rows.append((*of, way.name, *_cells(way.estimate)))
    return tuple(rows)


def _cells(estimate: Estimate) -> tuple[str, str, str]:
    is_clear = excludes_no_difference(estimate)
    included = "–" if is_clear is None else "no" if is_clear else "yes"
    return estimate_text(estimate), interval_text(estimate) or "–", included
