"""How the numbers of a report can be got again: data, software, and a recipe for each number with all its digits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.analysis.document.blocks import DataTable, Paragraph, Section
from app.analysis.report.recipe import software

if TYPE_CHECKING:
    from app.analysis.document.numbered import Numbered
    from app.analysis.estimate import Estimate
    from app.analysis.report.report import Report


def reproduction_section(report: Report, numbers: Numbered) -> Section:
    """Data hash, software, and the list of recipes. Numbers in square brackets in the text are those of the list."""
    text = (
        f"The numbers were computed by {software()} from data with the SHA-256 {report.data_hash}. Each number in this "
        "report has a row below. The same rows, and every estimate that is not shown, are in report.json; "
        "attune analyze STUDY --again recomputes one of them."
    )
    rows = tuple(_row(number, one) for number, one in enumerate(numbers.shown.values(), 1))
    table = DataTable("Recipe for each number", ("No.", "All digits", "How"), rows, widths=(1, 5, 12))
    return Section("How each number was computed", (Paragraph(text), table))


def _row(number: int, estimate: Estimate) -> tuple[str, str, str]:
    parts = estimate.recipe
    seed = "" if parts.get("seed") is None else f" Seed {parts['seed']}."
    how = f"{estimate.statistic}, {estimate.method}. Rows: {parts['filter']}. Formula: {parts['formula']}.{seed}"
    return str(number), digits(estimate), f"{how} Answers {parts['answers']}."


def digits(estimate: Estimate) -> str:
    """The estimate with its interval as JSON and CSV write them."""
    if estimate.estimate is None:
        return f"none ({estimate.reason})"
    if estimate.ci_low is None:
        return repr(estimate.estimate)
    return f"{estimate.estimate!r} ({estimate.ci_low!r} to {estimate.ci_high!r})"
