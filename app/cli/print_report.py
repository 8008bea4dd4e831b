"""Print a report in the terminal."""

from collections.abc import Iterable
from itertools import groupby

from rich.console import Console
from rich.table import Table
from rich.text import Text

from app.analysis.estimate import Estimate
from app.analysis.findings.answers import answers_of, named_notes
from app.analysis.findings.main_contrasts import main_contrasts
from app.analysis.findings.means import means_beside
from app.analysis.report.brief import brief
from app.analysis.report.labelled import labelled
from app.analysis.report.report import Report
from app.analysis.report.sentences import published_line
from app.analysis.report.verdicts import verdict_text
from app.analysis.wording.formatting import (
    adjustment_note,
    ci_cell,
    ci_heading,
    estimate_text,
    name_text,
    of_text,
    p_cell,
)
from app.protocol.study import Protocol

# The table does not fit into the default width of 80 characters for output that is not a terminal.
LEAST_WIDTH = 150
# The tables have all means.
MAX_MEANS = 12
NO_RATINGS = "No ratings yet. Results appear with the first ratings."
NO_MATCH = "No ratings match these filters."


def print_report(report: Report, protocol: Protocol, *, full: bool) -> None:
    """Print the answers to the primary questions, then a table per section and question; all estimates with `full`."""
    out, labels = console(), protocol.labels
    out.print(Text(protocol.title, style="bold"))
    if report.filters:
        out.print(Text(f"Only {report.filters.in_words(labels)}.", style="bold"))
    for note in (*named_notes(report, protocol), *report.notes):
        out.print(Text(note))
    if not report.sample.n_raters and not report.sample.excluded:
        out.print(Text(f"\n{NO_MATCH if report.filters else NO_RATINGS}"))
        return
    named = labelled(report, labels)
    for answer in answers_of(main_contrasts(named, protocol), named, protocol):
        out.print(Text(f"\n{answer.english}"))
    for row in means_beside(report, protocol)[:MAX_MEANS]:
        out.print(Text(row.text, style="dim"))
    if published := published_line(report, protocol):
        out.print(Text(f"\n{published}", style="dim"))
    n_all = len(report.estimates)
    report = report if full else brief(report, protocol)
    if note := adjustment_note(report.estimates):
        out.print(Text(f"\n{note}"))
    for (section, question), estimates in groupby(
        labelled(report, labels).estimates, lambda estimate: (estimate.section, estimate.measured)
    ):
        about = f" · {labels.question(question)}" if question else ""
        out.print(Text(f"\n{section.capitalize()}{about}", style="bold"))
        out.print(estimates_table(estimates))
    shown = f"{len(report.estimates):,} of {n_all:,} estimates shown. For all of them: --full, --json or --out."
    out.print(Text(f"\n{'' if full else f'{shown} '}Data {report.data_hash[:12]}", style="dim"))


def console() -> Console:
    """Return standard output as a console that is wide enough for a table if it is not a terminal."""
    out = Console()
    return out if out.is_terminal else Console(width=LEAST_WIDTH)


def estimates_table(estimates: Iterable[Estimate]) -> Table:
    """All estimates, one per row."""
    shown = list(estimates)
    heading = ci_heading(shown)
    table = Table(box=None, pad_edge=False, header_style="dim")
    for name in ("statistic", "of"):
        table.add_column(name, overflow="fold")
    for name in ("estimate", heading, "p", "verdict", "items", "raters", "ratings"):
        table.add_column(name, justify="right", overflow="fold")
    table.add_column("unit and method", overflow="fold")
    for estimate in shown:
        counts = (str(n) for n in (estimate.n_items, estimate.n_raters, estimate.n_ratings))
        how = f"{estimate.unit}; {estimate.note if estimate.reason else estimate.method}"
        words = (name_text(estimate), of_text(estimate), estimate_text(estimate))
        cells = (*words, ci_cell(estimate, heading), p_cell(estimate), verdict_text(estimate), *counts, how)
        table.add_row(*(Text(cell) for cell in cells))
    return table
