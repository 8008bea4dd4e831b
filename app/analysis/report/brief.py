"""The estimates of a report that are shown first: primary contrasts, then main contrast, means and agreement."""

from collections.abc import Iterator
from dataclasses import replace

from app.analysis.estimate import Estimate
from app.analysis.report.primary import places_of
from app.analysis.report.report import Report
from app.analysis.report.verdicts import effect_behind
from app.analysis.statistic import declared
from app.protocol.primary_default import default_contrast, first_question
from app.protocol.study import Protocol


def brief(report: Report, protocol: Protocol) -> Report:
    """Return the report with fewer estimates, primary ones first. The report is not `labelled`."""
    found = (*report.primary_estimates, *_published(report, protocol), *_of_questions(report, protocol))
    return replace(report, estimates=tuple({id(estimate): estimate for estimate in found}.values()))


def _published(report: Report, protocol: Protocol) -> Iterator[Estimate]:
    """Yield the estimates of published tests of the primary contrasts, each with the effect that it tests."""
    for result in report.primary:
        if (contrast := result.contrast.as_published) is not None:
            for place in places_of(contrast, report.estimates, protocol):
                one = report.estimates[place]
                yield from (one, effect_behind(one, report.estimates))


def _of_questions(report: Report, protocol: Protocol) -> Iterator[Estimate]:
    """Yield the estimates by question in the protocol's order, composites last, without questions about the rater."""
    by_question: dict[str, list[Estimate]] = {}
    for estimate in report.estimates:
        by_question.setdefault(estimate.question or "", []).append(estimate)
    for key in (*(question.key for question in protocol.questions), *protocol.analysis.composites):
        question = first_question(protocol, key)
        if question is not None and question.target != "rater":
            yield from _of_question(key, by_question.get(key, []), protocol)


def _of_question(key: str, estimates: list[Estimate], protocol: Protocol) -> Iterator[Estimate]:
    contrast = default_contrast(protocol, key)
    if contrast is not None:
        for place in places_of(contrast, estimates, protocol):
            yield next(one for one in estimates if _is_same(one, estimates[place]))
    main = (estimate for estimate in estimates if _is_mean_or_agreement(estimate))
    firsts: dict[tuple[object, ...], Estimate] = {}
    for estimate in main:
        firsts.setdefault((estimate.section, estimate.measured, str(estimate.scope)), estimate)
    yield from firsts.values()


def _is_same(one: Estimate, other: Estimate) -> bool:
    """Return whether two estimates are the same by different methods; the first of them is the main one."""
    return (one.section, one.statistic, one.scope) == (other.section, other.statistic, other.scope)


def _is_mean_or_agreement(estimate: Estimate) -> bool:
    """Return whether an estimate is a mean or agreement of all human raters, pooled or by source."""
    if not estimate.scope.keys() <= {"source"}:
        return False
    if estimate.section == "distribution":
        return estimate.statistic == "mean"
    return estimate.section in {"agreement", "ranking"} and declared(estimate.statistic).agreement == "main"
