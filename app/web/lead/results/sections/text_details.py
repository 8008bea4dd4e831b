"""The section on texts: covariates by source, and their association with ratings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.analysis.wording.formatting import covariate_text, estimate_text, interval_text, scope_text, why_text
from app.analysis.wording.statistics_registry import STATISTICS
from app.charts.drawing.table import Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.analysis.estimate import Estimate

LENGTH, AT_EQUAL = "length", ("mean_difference_at_equal", "covariate_slope")
TABLES = (
    (("text_mean", "text_difference"), "Measures of the texts, and imported scores"),
    (("correlation", "rank_correlation"), "Correlation with the mean rating of a response"),
    (AT_EQUAL, "At equal length"),
)


def texts(estimates: Sequence[Estimate]) -> list[tuple[str, Table, tuple[str, ...]]]:
    """Captions, tables and footnotes: one row per covariate, one column per source or comparison."""
    parts = [(words, [f for f in estimates if f.statistic in keys]) for keys, words in TABLES]
    return [(words, _table(found), _notes(found)) for words, found in parts if found]


def _notes(estimates: Sequence[Estimate]) -> tuple[str, ...]:
    """The reasons for dashes, each once, with the covariates that they are about."""
    about: dict[str, list[str]] = {}
    for estimate in estimates:
        if estimate.estimate is None:
            about.setdefault(why_text(estimate).rstrip("."), []).append(_covariate(estimate))
    return tuple(f"– {', '.join(dict.fromkeys(names))}: {why}." for why, names in about.items())


def _table(estimates: Sequence[Estimate]) -> Table:
    columns = list(dict.fromkeys(_column(estimate) for estimate in estimates if estimate.reason != "not_run"))
    by_name: dict[str, dict[str, Estimate]] = {}
    for estimate in estimates:
        by_name.setdefault(_covariate(estimate), {}).setdefault(_column(estimate), estimate)
    rows = tuple((name, *(_cell(found.get(column)) for column in columns)) for name, found in by_name.items())
    return Table(("Covariate", *columns), rows)


def _covariate(estimate: Estimate) -> str:
    """The covariate in words; an imported score "length" is not the length at which sources are compared."""
    name = str(estimate.scope["covariate"])
    words = name if name == LENGTH and estimate.statistic not in AT_EQUAL else covariate_text(name)
    return words[:1].upper() + words[1:]


def _column(estimate: Estimate) -> str:
    of = scope_text({key: value for key, value in estimate.scope.items() if key != "covariate"})
    return of if estimate.statistic.startswith("text") else f"{STATISTICS[estimate.statistic].words}, {of}"


def _cell(estimate: Estimate | None) -> str:
    """Estimate and interval on two lines; a dash if there is none, with its reason below the table."""
    if estimate is None or estimate.estimate is None:
        return "–"
    interval = interval_text(estimate) if estimate.ci_low is not None else ""
    return f"{estimate_text(estimate)}\n{interval}".strip()
