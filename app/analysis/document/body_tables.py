"""Tables of a report's body that set estimates side by side: means by source, and composites with their consistency."""

from collections.abc import Iterator, Mapping, Sequence

from app.analysis.document.design_words import citation_sentences, composite_items
from app.analysis.document.numbered import MAX_ROWS, Numbered, Reasons, value_cell, with_numbers
from app.analysis.estimate import Estimate
from app.analysis.findings.agreement_summary import AgreementRow, needed_by_source
from app.analysis.findings.means import by_columns, means_of
from app.analysis.report.report import Report
from app.analysis.wording.formatting import ci_heading
from app.base.documents.blocks import DataTable
from app.base.numbers import styled, whole
from app.base.words import or_list
from app.protocol.study import Protocol

MAX_SOURCES = 5
COMPOSITES = "Composites: the questions of each and its internal consistency."
CONSISTENCY = {"cronbach_alpha": "Cronbach's alpha", "omega": "McDonald's omega"}


def means_tables(report: Report, protocol: Protocol, numbers: Numbered) -> Iterator[DataTable]:
    """Means with their intervals, one row per question and one column per source; and what else is compared.

    None with more than MAX_SOURCES columns.
    """
    for columns, rows in by_columns(means_of(report, protocol)).items():
        shown = [one for row in rows for one in row.cells.values()]
        if len(columns) > MAX_SOURCES:
            continue
        heading, reasons = ci_heading(shown), Reasons()
        cells = tuple(
            (row.name, *(_cell(row.cells[name], heading, reasons, numbers) for name in columns)) for row in rows
        )
        is_by_source = all("source" in one.scope for one in shown)
        what = "Means by question and source" if is_by_source else "What is compared"
        yield DataTable(
            numbers.caption(f"{what}, with {heading}s", shown), ("Question", *columns), cells, reasons.notes
        )


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
    return DataTable(COMPOSITES, header, rows, notes) if rows else None
