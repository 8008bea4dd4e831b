"""The limits of a report: which checks failed, what could not be computed, what is exploratory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.analysis.document.blocks import Bullets, Section

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.analysis.findings.summary import Summary
    from app.analysis.report.report import Report
    from app.design.protocol.study import Protocol

FEW_ITEMS, FEW_RATERS = 10, 5
DOUBTFUL_P = 0.05


def limits_section(report: Report, protocol: Protocol, summary: Summary) -> Section:
    """Sentences, one each."""
    return Section("Limits", (Bullets(tuple(_limits(report, protocol, summary))),))


def _limits(report: Report, protocol: Protocol, summary: Summary) -> Iterator[str]:
    if only := report.filters.in_words(protocol.labels):
        yield f"This report is of a part of the answers only: {only}."
    yield from report.notes
    yield from _checks(report)
    yield from summary.warnings
    sample = report.sample
    if sample.n_items < FEW_ITEMS or sample.n_raters < FEW_RATERS:
        yield (
            f"With {sample.n_items:,} items and {sample.n_raters:,} raters, intervals for new items and new raters are "
            "wide and depend on few cases."
        )
    if summary.failed:
        yield summary.failed
    yield _exploratory(report)


def _checks(report: Report) -> Iterator[str]:
    """What the raters' checks and the models' assumptions say."""
    for one in report.of("rater"):
        if one.statistic == "flagged_share" and not one.scope and one.estimate is not None:
            n = round(one.estimate * (one.n_units or 0))
            yield f"{n:,} of {one.n_units:,} raters are flagged: {one.note}." if n else "No rater is flagged."
    odds = [one for one in report.estimates if one.statistic == "proportional_odds_trend" and one.p_value is not None]
    failed = [one for one in odds if (one.p_value or 1) < DOUBTFUL_P and "rater_kind" not in one.scope]
    if failed:
        n, of = len(failed), len(odds)
        yield f"The proportional odds assumption of the ordinal model is in doubt in {n} of {of} tests (p < .05)."


def _exploratory(report: Report) -> str:
    n = sum(one.role == "exploratory" for one in report.estimates)
    n_primary = sum(one.role == "primary" for one in report.estimates)
    return (
        f"{n_primary:,} of {len(report.estimates):,} estimates belong to the primary contrasts, and {n:,} other "
        "comparisons are exploratory: they suggest hypotheses and do not test them."
    )
