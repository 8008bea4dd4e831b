"""The objections that a reviewer is likely to raise on this study, each with its number, a reference and what to do.

`RULES` is the only place that decides what is an objection: its threshold, how much it weighs, and what it rests on. A
study without objections gets none; of many, those that weigh most are shown.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from app.analysis.data.flow import is_by_condition
from app.analysis.estimate import Estimate
from app.analysis.findings.agreement_summary import AgreementRow, needed_sentence
from app.analysis.findings.main_contrasts import MainContrast
from app.analysis.report.report import Report
from app.analysis.report.verdicts import decisive_p, effect_behind
from app.analysis.statistic import declared
from app.analysis.wording.formatting import (
    estimate_text,
    interval_text,
    name_text,
    number,
    of_text,
    statistic_text,
)
from app.base.numbers import p_statement, styled, whole
from app.base.words import counted
from app.protocol.study import Protocol

MAX_OBJECTIONS = 5


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the rules look at; the report is `labelled`."""

    report: Report
    protocol: Protocol
    contrasts: Sequence[MainContrast]
    agreement: Sequence[AgreementRow]

    @property
    def primary(self) -> list[MainContrast]:
        """The primary contrasts between sources."""
        return [one for one in self.contrasts if one.primary]

    def whole(self, statistic: str) -> Estimate | None:
        """The estimate of a statistic over all people; None without one."""
        found = (one for one in self.report.estimates if one.statistic == statistic and not one.scope)
        return next((one for one in found if one.estimate is not None), None)


# Returns the objection with its number; empty if there is nothing to object.
Finder = Callable[[Evidence, float], str]


@dataclass(frozen=True, slots=True)
class Rule:
    """One objection: it is raised where `find` finds something by the `threshold`; heavier ones come first.

    `cites` is a key of `bibliography.REFERENCES`.
    """

    key: str
    weight: int
    threshold: float
    find: Finder
    advice: str
    cites: str


@dataclass(frozen=True, slots=True)
class Objection:
    """An objection in words. `says` has the number of this study, `advice` what to do; `cites` is a publication."""

    key: str
    says: str
    advice: str
    cites: str


def _length(found: Evidence, ratio: float) -> str:
    """A clear primary difference that length could explain, or lengths that differ and cannot be adjusted for."""
    for one in found.primary:
        if one.is_overturned and one.at_equal_length is not None:
            return f"{_name(one)} is no longer clear when adjusted for length: {_shown(one.at_equal_length)}."
    means = {
        str(one.scope["source"]): one.estimate
        for one in found.report.of("text")
        if one.statistic == "text_mean"
        and one.scope.get("covariate") == "words"
        and "source" in one.scope
        and one.estimate
    }
    for one in (each for each in found.primary if each.is_clear):
        pair = [means[name] for name in (one.source, one.reference) if name in means]
        has_adjusted = one.at_equal_length is not None and one.at_equal_length.ci_low is not None
        if len(pair) > 1 and not has_adjusted and (longer := max(pair) / min(pair)) >= ratio:
            times = styled(f"{longer:.1f}")
            said = f"Responses of {one.source} and {one.reference} differ in length by a factor of {times}"
            is_tried = one.at_equal_length is not None
            return f"{said}, and these data do not allow an adjustment." if is_tried else f"{said}."
    return ""


def _flagged_decide(found: Evidence, _: float) -> str:
    for one in found.primary:
        other = one.without_flagged
        if one.is_clear and other is not None and other.verdict == "inconclusive":
            return f"{_name(one)} is no longer clear without flagged raters: {_shown(other)}."
    return ""


def _flagged(found: Evidence, least: float) -> str:
    one = found.whole("flagged_share")
    if one is None or (one.estimate or 0.0) < least or not one.n_units:
        return ""
    n = round((one.estimate or 0.0) * one.n_units)
    share, are = number(n / one.n_units, "share"), "is" if n == 1 else "are"
    return f"{whole(n)} of {counted(one.n_units, 'rater')} ({share}) {are} flagged."


def _few_raters(found: Evidence, least: float) -> str:
    n = sum(group.n for group in found.report.sample.raters if group.kind == "person")
    if not n or n >= least or found.protocol.raters.identity != "known":
        return ""
    return f"{counted(n, 'rater')} took part, too few to generalize to other raters."


def _interval_of_few(found: Evidence, _: float) -> str:
    """The interval of a primary contrast that rests on few raters, or on few in one arm."""
    for one in found.report.primary_estimates:
        for words in one.interval_warnings:
            return f"{_name_of(one, found)}, {_shown(one)}: {words[:1].lower()}{words[1:]}"
    return ""


def _few_items(found: Evidence, least: float) -> str:
    n, primary = found.report.sample.n_items, found.report.primary_estimates
    if primary and not any(each.n_items for each in primary):
        return ""
    one, several, _ = found.protocol.labels.items
    return f"The results rest on {counted(n, one)}, too few to generalize to other {several}." if n < least else ""


def _no_evidence(found: Evidence, _: float) -> str:
    """An inconclusive primary difference without a margin is no evidence that there is none."""
    names = {id(one.primary): _name(one) for one in found.primary}
    for one in found.report.primary_estimates:
        margin = found.protocol.analysis.margin_of(one.question or "")
        if one.verdict == "inconclusive" and margin is None and not declared(one.statistic).margin:
            shown, name = effect_behind(one, found.report.estimates), names.get(id(one)) or _name_of(one, found)
            return f"{name} is inconclusive, which is no evidence that there is none: {_shown(shown)}."
    return ""


def _detected(found: Evidence, _: float) -> str:
    one = found.whole("dprime")
    if one is None or one.verdict != "clear" or (one.estimate or 0.0) <= 0:
        return ""
    return f"Raters told models from people, d′ = {_shown(one)}, and may have rated whom they took for the author."


def _undeclared(found: Evidence, _: float) -> str:
    n = sum(one.role in {"primary", "exploratory"} and one.p_value is not None for one in found.report.estimates)
    if found.protocol.analysis.primary or not n:
        return ""
    return f"No primary contrast was declared, and {counted(n, 'test')} could have been reported as the main one."


def _attrition(found: Evidence, points: float) -> str:
    """A clear difference between arms in who left, or one in missing answers."""
    for one in found.report.of("rater"):
        if one.statistic == "attrition_difference" and one.verdict == "clear":
            return f"More raters left one arm than the other, {of_text(one)}: {_shown(one)} percentage points."
    shares = {arm: n / of for arm, (n, of) in found.report.sample.missing.items() if arm and of}
    if len(shares) < len(("one", "other")):
        return ""
    least, most = min(shares, key=lambda arm: shares[arm]), max(shares, key=lambda arm: shares[arm])
    if shares[most] - shares[least] < points:
        return ""
    by_condition, labels = is_by_condition(found.protocol), found.protocol.labels
    named = {arm: f"with {labels.condition(arm)}" if by_condition else f"in {labels.pool(arm)}" for arm in shares}
    said = (f"{number(shares[arm], 'share')} {named[arm]}" for arm in (most, least))
    return f"Missing answers differ between arms: {' and '.join(said)}."


def _agreement(found: Evidence, least: float) -> str:
    """Agreement on a primary question whose lower limit is below the customary minimum, which is one of alpha."""
    asked = {one.contrast.question for one in found.report.primary}
    for row in found.agreement:
        alpha = row.pooled
        if row.key not in asked or alpha is None or alpha.estimate is None or not declared(alpha.statistic).is_alpha:
            continue
        if (alpha.estimate if alpha.ci_low is None else alpha.ci_low) < least:
            name, minimum = declared(alpha.statistic).name, styled(f"{least:g}")
            below = "below" if alpha.estimate < least else "and may be below"
            said = f"Agreement on {row.label} is {name} = {_shown(alpha)}, {below} {minimum}."
            return f"{said} {needed_sentence(found.report, row)}".strip()
    return ""


def _side(found: Evidence, least: float) -> str:
    for one in found.report.estimates:
        if one.statistic == "first_side_share" and not one.scope and one.ci_low is not None and one.ci_high is not None:
            away = max(one.ci_low - 0.5, 0.5 - one.ci_high)
            if away > least:
                asked = found.protocol.labels.question(one.question or "")
                return f"On {asked}, raters chose the left side in {_shown(one)} of choices."
    return ""


RULES = (
    Rule(
        *("length", 10, 1.25, _length),
        "Report the adjusted estimate beside the primary one; if there is none, compare responses of equal length.",
        "dubois2024",
    ),
    Rule(
        *("flagged_decide", 9, 0.0, _flagged_decide),
        "State the rule by which raters are excluded and when it was fixed, and report both estimates.",
        "meade2012",
    ),
    Rule(
        *("few_raters", 8, 5, _few_raters),
        "Add raters, or limit the conclusion to these raters and say so.",
        "pustejovsky2018",
    ),
    Rule(
        *("interval_of_few", 8, 0.0, _interval_of_few),
        "Add raters, and do not rest a conclusion on an end of the interval.",
        "pustejovsky2018",
    ),
    Rule(
        *("no_evidence", 8, 0.0, _no_evidence),
        "Do not write that there is no difference. State the smallest effect size of interest and test equivalence.",
        "altman1995",
    ),
    Rule(
        *("detected", 7, 0.0, _detected),
        "Report how ratings depend on the believed author, and how many raters were wrong about it.",
        "green1966",
    ),
    Rule(
        *("undeclared", 7, 0.0, _undeclared),
        "Call the results exploratory, or name the primary contrast before the next raters begin.",
        "simmons2011",
    ),
    Rule(
        *("attrition", 6, 0.05, _attrition),
        "Report attrition by arm, and how far it could change the result.",
        "zhou2016",
    ),
    Rule(
        *("few_items", 6, 10, _few_items),
        "Add items, or limit the conclusion to these items and say so.",
        "clark1973",
    ),
    Rule(
        *("flagged", 5, 0.1, _flagged),
        "Say what they were flagged for, and report the results with and without them.",
        "meade2012",
    ),
    Rule(
        *("agreement", 4, 0.667, _agreement),
        "Conclusions rest on all raters together, not on single ratings: report how reliable their mean is.",
        "krippendorff2004",
    ),
    Rule(
        *("side", 3, 0.0, _side),
        "Check that both sides showed each source equally often, and report the estimate that models the side.",
        "davidson1977",
    ),
)


def objections_of(
    report: Report, protocol: Protocol, contrasts: Sequence[MainContrast], agreement: Sequence[AgreementRow]
) -> tuple[Objection, ...]:
    """The objections that weigh most, at most five; none if there is nothing to object. The report is `labelled`."""
    if not report.sample.n_raters:
        return ()
    evidence = Evidence(report, protocol, contrasts, agreement)
    heaviest_first = sorted(RULES, key=lambda one: -one.weight)
    found = [(rule, says) for rule in heaviest_first if (says := rule.find(evidence, rule.threshold))]
    return tuple(Objection(rule.key, says, rule.advice, rule.cites) for rule, says in found[:MAX_OBJECTIONS])


def _name(contrast: MainContrast) -> str:
    return f"The difference between {contrast.source} and {contrast.reference} on {contrast.label}"


def _name_of(estimate: Estimate, found: Evidence) -> str:
    """The name of a primary estimate that is no difference between two sources."""
    on = found.protocol.labels.question(estimate.question or "", estimate.category)
    return f"{name_text(estimate)} on {on} ({of_text(estimate)})"


def _shown(estimate: Estimate) -> str:
    p = decisive_p(estimate)
    if estimate.ci_low is None and p is not None:
        adjusted = "adjusted " if estimate.p_adjusted is not None else ""
        return f"{statistic_text(estimate) or estimate_text(estimate)}, {adjusted}{p_statement(p)}"
    interval = f" (95% CI {interval_text(estimate)})" if estimate.ci_low is not None else ""
    return f"{estimate_text(estimate)}{interval}"
