"""Tables of a report's body that set estimates side by side: means by source, and composites with their consistency."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from app.analysis.document.design_words import citation_sentences, composite_items
from app.analysis.document.numbered import MAX_ROWS, Numbered, Reasons, value_cell, with_numbers
from app.analysis.estimate import Estimate
from app.analysis.findings.agreement_summary import AgreementRow, needed_by_source
from app.analysis.report.brief import brief
from app.analysis.report.report import Report
from app.analysis.wording.formatting import ci_heading
from app.base.documents.blocks import DataTable
from app.base.numbers import styled, whole
from app.base.words import or_list
from app.protocol.cells import cell_of
from app.protocol.study import Protocol

MAX_SOURCES = 5
COMPOSITES = "Composites: the questions of each and its internal consistency."
CONSISTENCY = {"cronbach_alpha": "Cronbach's alpha", "omega": "McDonald's omega"}


def means_table(report: Report, protocol: Protocol, numbers: Numbered) -> DataTable | None:
    """Means with their intervals, one row per question and one column per source.

    None without any, or with more than MAX_SOURCES sources.
    """
    shown = [one for one in brief(report, protocol).estimates if _is_mean(one)]
    means = {(one.measured, one.scope["source"]): one for one in shown}
    sources = list(protocol.sources)
    if not means or len(sources) > MAX_SOURCES:
        return None
    heading, reasons = ci_heading(shown), Reasons()
    rows = []
    for one in {one.measured: one for one in shown}.values():
        name = _question(one, protocol)
        overall = {source: mean for (measured, source), mean in means.items() if measured == one.measured}
        by_group = {"": overall, **_by_group(report, one, protocol)}
        for group, found in by_group.items():
            cells = (_cell(found.get(source), heading, reasons, numbers) for source in sources)
            rows.append((f"{name}, {group}" if group else name, *cells))
    header = ("Question", *map(protocol.labels.source, sources))
    widths = (20, *(20 for _ in sources))
    caption = numbers.caption(f"Means by question and source, with {heading}s", shown)
    return DataTable(caption, header, tuple(rows), reasons.notes, widths)


def _by_group(report: Report, mean: Estimate, protocol: Protocol) -> dict[str, dict[str, Estimate]]:
    """The means of the pools or levels that a primary contrast of the question compares, by group and source."""
    contrasts = [result.contrast for result in report.primary if result.contrast.question == mean.question]
    pools = {pool for one in contrasts for pool in (one.pool, one.reference_pool) if pool}
    factors = {one.factor for one in contrasts if one.factor}
    found: dict[str, dict[str, Estimate]] = {}
    for one in report.estimates:
        if one.statistic != "mean" or one.measured != mean.measured:
            continue
        scope = one.scope
        if scope.keys() == {"pool", "source"} and scope["pool"] in pools:
            found.setdefault(protocol.labels.pool(scope["pool"] or ""), {}).setdefault(str(scope["source"]), one)
        elif scope.keys() == {"condition", "source"}:
            levels = cell_of(str(scope["condition"])).levels
            if len(levels) == 1 and levels[0][0] in factors:
                named = protocol.labels.level(*levels[0])
                found.setdefault(named, {}).setdefault(str(scope["source"]), one)
    return found


def needed_table(named: Report, rows: Sequence[AgreementRow]) -> DataTable | None:
    """How many ratings per response a reliable mean needs, one row per question; None if it is known for none.

    `named` is `labelled`. With more than MAX_SOURCES sources, each has a row of its own.
    """
    needed = needed_by_source(named, rows)
    sources = list(dict.fromkeys(source for found in needed.values() for source in found))
    rated = or_list(list(dict.fromkeys(row.rated for row in rows if row.label in needed)))
    header: tuple[str, ...] = ("Question", *(source or "All sources" for source in sources))
    cells = [(label, *(found.get(source, "–") for source in sources)) for label, found in needed.items()]
    if len(sources) > MAX_SOURCES:
        header = ("Question", "Source", f"Ratings per {rated}")
        cells = [(label, source, said) for label, found in needed.items() for source, said in found.items()]
    caption = f"Ratings per {rated} for a reliability of {styled('.80')} of their mean, with 95% CIs."
    n_more = len(cells) - MAX_ROWS
    more = (f"{whole(n_more)} more rows are in report.json.",) if n_more > 0 else ()
    return DataTable(caption, header, tuple(cells[:MAX_ROWS]), more) if cells else None


def _is_mean(estimate: Estimate) -> bool:
    return estimate.statistic == "mean" and estimate.scope.keys() == {"source"}


def _question(estimate: Estimate, protocol: Protocol) -> str:
    return protocol.labels.question(estimate.question or "", estimate.category)


def _cell(estimate: Estimate | None, heading: str, reasons: Reasons, numbers: Numbered) -> str:
    if estimate is None:
        return "–"
    return with_numbers(value_cell(estimate, heading, reasons), [numbers.number(estimate)])


def composite_table(report: Report, protocol: Protocol, numbers: Numbered) -> DataTable | None:
    """Each composite with its items, Cronbach's alpha and McDonald's omega; None without composites."""
    found: Mapping[tuple[str | None, str], Estimate] = {
        (one.question, one.statistic): one for one in report.of("composite") if not one.scope
    }
    heading, reasons = ci_heading(one for one in found.values() if one.statistic in CONSISTENCY), Reasons()
    rows = tuple(
        (
            protocol.labels.question(key),
            items,
            *(_cell(found.get((key, statistic)), heading, reasons, numbers) for statistic in CONSISTENCY),
        )
        for key, items in composite_items(protocol)
    )
    header = ("Composite", "Items", *(f"{name} ({heading})" for name in CONSISTENCY.values()))
    notes = (*reasons.notes, *citation_sentences(protocol))
    return DataTable(COMPOSITES, header, rows, notes, (14, 46, 20, 20)) if rows else None
