"""The section on texts: covariates by source, and their association with ratings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.analysis.wording.formatting import covariate_text, scope_text, why_text
from app.analysis.wording.statistics_registry import STATISTICS
from app.charts.drawing.table import Table
from app.web.lead.results.sections.estimate_tables import cell_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.analysis.estimate import Estimate

LENGTH, AT_EQUAL = "length", ("mean_difference_at_equal", "covariate_slope")
TABLES = (
    (("text_mean", "text_difference"), "Measures of the texts, and imported scores"),
    (("correlation", "rank_correlation"), "Correlation with the mean rating of a response"),
    (AT_EQUAL, "At equal length"),
)


def texts(estimates: Sequence[Estimate]) -> list[tuple[str, Table]]:
    """Captions and tables: one row per covariate, one column per source or comparison."""
    tables = [(words, _table([f for f in estimates if f.statistic in keys])) for keys, words in TABLES]
    return [(words, table) for words, table in tables if table.rows]


def _table(estimates: Sequence[Estimate]) -> Table:
    columns = list(dict.fromkeys(_column(estimate) for estimate in estimates if estimate.reason != "not_run"))
    by_name: dict[str, dict[str, Estimate]] = {}
    for estimate in estimates:
        by_name.setdefault(_covariate(estimate), {}).setdefault(_column(estimate), estimate)
    rows = tuple((name, *_cells(found, columns)) for name, found in by_name.items())
    return Table(("Covariate", *columns), rows)


def _covariate(estimate: Estimate) -> str:
    """The covariate in words; an imported score "length" is not the length at which sources are compared."""
    name = str(estimate.scope["covariate"])
    return name if name == LENGTH and estimate.statistic not in AT_EQUAL else covariate_text(name)


def _column(estimate: Estimate) -> str:
    of = scope_text({key: value for key, value in estimate.scope.items() if key != "covariate"})
    return of if estimate.statistic.startswith("text") else f"{STATISTICS[estimate.statistic].words}, {of}"


def _cells(found: dict[str, Estimate], columns: Sequence[str]) -> list[str]:
    """The cells of a row; for a covariate that was not measured, the reason appears once."""
    left_out = next((estimate for estimate in found.values() if estimate.reason == "not_run"), None)
    if left_out is not None:
        return [why_text(left_out), *[""] * (len(columns) - 1)]
    return [cell_of(found.get(column)) for column in columns]
