"""The section on texts: covariates by source, and their association with ratings."""

from collections.abc import Callable, Iterator, Sequence

from app.analysis.estimate import Estimate, without
from app.analysis.statistic import declared
from app.analysis.wording.formatting import (
    covariate_text,
    estimate_text,
    interval_text,
    is_measured,
    kind_of,
    scope_text,
    why_text,
)
from app.results.charts.table import Table

# What fits a page of 1280 pixels and a sheet of A4.
MAX_COLUMNS = 6
SCORES = ", and imported scores"
LENGTH, AT_EQUAL = "length", ("mean_difference_at_equal", "covariate_slope")
TABLES = (
    (("text_mean", "text_difference"), "Measures of the texts"),
    (("correlation", "rank_correlation"), "Correlation with the mean rating of a response"),
    (AT_EQUAL, "Adjusted for length"),
)


def texts(estimates: Sequence[Estimate]) -> list[tuple[str, Table, tuple[str, ...]]]:
    """Captions, tables and footnotes: one row per covariate, one column per source or comparison."""
    parts = [(words, [f for f in estimates if f.statistic in keys]) for keys, words in TABLES]
    (measures, measured), *others = parts
    has_scores = not all(is_measured(one.scope.get("covariate", "words")) for one in measured)
    parts = [(f"{measures}{SCORES if has_scores else ''}", measured), *others]
    return [table for words, found in parts if found for table in _tables(words, found)]


def _tables(words: str, found: Sequence[Estimate]) -> Iterator[tuple[str, Table, tuple[str, ...]]]:
    """Yield one table, or one per statistic where all sources would not fit beside each other."""
    columns = _columns(found)
    if len(columns) <= MAX_COLUMNS:
        yield words, _table(found, columns), _notes(found)
        return
    for statistic in dict.fromkeys(one.statistic for one in found):
        own = [one for one in found if one.statistic == statistic]
        scopes = list(dict.fromkeys(_of(one) for one in own if one.reason != "not_run"))
        table = _table(own, scopes, _of) if len(scopes) <= MAX_COLUMNS else _long_table(own)
        yield declared(statistic).caption or words, table, _notes(own)


def _notes(estimates: Sequence[Estimate]) -> tuple[str, ...]:
    """The reasons for dashes, each once, with the covariates that they are about."""
    about: dict[str, list[str]] = {}
    for estimate in estimates:
        if estimate.estimate is None:
            about.setdefault(why_text(estimate).removeprefix("not shown: ").rstrip("."), []).append(
                _covariate(estimate)
            )
    has_points = any(kind_of(one) == "share_points" and one.estimate is not None for one in estimates)
    reasons = (f"– {', '.join(dict.fromkeys(names))}: {why}." for why, names in about.items())
    return (*(("pp: percentage points.",) if has_points else ()), *reasons)


def _columns(estimates: Sequence[Estimate]) -> list[str]:
    return list(dict.fromkeys(_column(estimate) for estimate in estimates if estimate.reason != "not_run"))


def _long_table(estimates: Sequence[Estimate]) -> Table:
    """One row per covariate and source or comparison."""
    rows = tuple((_covariate(one), _of(one), _cell(one)) for one in estimates if one.reason != "not_run")
    return Table(("Covariate", "Comparison or group", "Estimate"), tuple(sorted(rows, key=lambda row: row[0])))


def _table(
    estimates: Sequence[Estimate], columns: Sequence[str], name: Callable[[Estimate], str] | None = None
) -> Table:
    named = name or _column
    by_name: dict[str, dict[str, Estimate]] = {}
    for estimate in estimates:
        by_name.setdefault(_covariate(estimate), {}).setdefault(named(estimate), estimate)
    # the reason why a covariate has no estimate at all is below the table
    known = {name: found for name, found in by_name.items() if any(f.estimate is not None for f in found.values())}
    rows = tuple((name, *(_cell(found.get(column)) for column in columns)) for name, found in known.items())
    return Table(("Covariate", *columns), rows)


def _covariate(estimate: Estimate) -> str:
    """The covariate in words; an imported score "length" is not the length at which sources are compared."""
    name = str(estimate.scope["covariate"])
    words = name if name == LENGTH and estimate.statistic not in AT_EQUAL else covariate_text(name)
    return words[:1].upper() + words[1:]


def _of(estimate: Estimate) -> str:
    return scope_text(without(estimate.scope, "covariate"))


def _column(estimate: Estimate) -> str:
    of = _of(estimate)
    return of if declared(estimate.statistic).kind_of_share else f"{declared(estimate.statistic).label}, {of}"


def _cell(estimate: Estimate | None) -> str:
    """Estimate and interval on two lines; a dash if there is none, with its reason below the table."""
    if estimate is None or estimate.estimate is None:
        return "–"
    interval = interval_text(estimate) if estimate.ci_low is not None else ""
    unit = " pp" if kind_of(estimate) == "share_points" else ""
    return f"{estimate_text(estimate)}{unit}\n{interval}".strip()
