"""What a question's section holds folded away: subgroups, disagreement, raters, model judges. Headlines come first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.analysis.report.statistics_registry import STATISTICS
from app.analysis.report.wording import MINUS, estimate_text, interval_text, number, p_text, scope_text, why_text
from app.charts.table import Table
from app.web.lead.results.details import Fold
from app.web.lead.results.text_details import texts

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from app.analysis.report.estimate import Figure

# of each of the tables by condition and subgroup: the figures that are compared, not those that they are made of
COMPARED = ("mean_difference", "interaction", "share_preferred", "share_difference")
WHOSE = {"raters", "pool", "rater_kind", "flagged"}


def folds_of(figures: Sequence[Figure]) -> list[Fold]:
    """The parts that the figures of one question fill."""
    by_section: dict[str, list[Figure]] = {}
    for figure in figures:
        by_section.setdefault(figure.section, []).append(figure)
    found = (
        _subgroups(by_section.get("subgroup", [])),
        texts(by_section.get("text", [])),
        _disagreement(by_section.get("disagreement", [])),
        _raters(by_section.get("rater", []), figures),
        _judges(by_section.get("judge", [])),
    )
    return [fold for fold in found if any(table.rows for _, table in fold.tables)]


def _subgroups(figures: Sequence[Figure]) -> Fold:
    persons = [f for f in figures if f.statistic in COMPARED and not WHOSE & f.scope.keys()]
    table = _scopes(persons, "Where", "Of twenty such figures one is below .05 by chance alone.")
    return Fold("By condition and subgroup", "Differences found here are leads to follow, not findings.", table)


def _disagreement(figures: Sequence[Figure]) -> Fold:
    worst = [figure for figure in figures if figure.statistic == "unit_disagreement"]
    rows = tuple((scope_text(f.scope), estimate_text(f), f.note) for f in worst)
    split = next((estimate_text(f) for f in figures if f.statistic == "split_share" and f.estimate is not None), None)
    words = f"Where raters differ most; {split} of units stand in two camps" if split else "Where raters differ most"
    pairs = [f for f in figures if f.statistic == "pair_kappa_median"]
    tables = [(words, Table(("Unit", "Disagreement", "Note"), rows))]
    tables += [(f"Pairs of raters: {f.note or f.method}", pair_matrix(f)) for f in pairs if f.detail.get("cells")]
    about = "0 is full agreement, 1 is what chance would give. Disagreement is data."
    return Fold("Where raters disagree", about, tuple(tables))


def pair_matrix(figure: Figure) -> Table:
    """Kappa of each two of the raters with most ratings."""
    raters, cells = figure.detail.get("raters", []), figure.detail.get("cells", {})
    more = figure.detail["n_raters"] - len(raters)
    first = f"Kappa ({more} more raters are left out)" if more else "Kappa"
    rows = tuple((one, *(_kappa(cells, one, other) for other in raters)) for one in raters)
    return Table((first, *raters), rows)


def _kappa(cells: dict[tuple[str, str], tuple[float | None, int]], one: str, other: str) -> str:
    found = cells.get((one, other)) or cells.get((other, one))
    return "" if found is None or found[0] is None else number(found[0], "coefficient")


def _raters(figures: Sequence[Figure], of_question: Sequence[Figure]) -> Fold:
    tables = [("Headlines with and without flagged raters", without_flagged(figures, of_question))]
    overall = [f for f in figures if not {"raters", "flagged"} & f.scope.keys()]
    tables.append(("All raters together", _list(overall)))
    tables.append(("Each rater", each_rater([f for f in figures if "raters" in f.scope])))
    about = "Reasons to look, and none to exclude: that rule is set before the data."
    return Fold("Raters", about, tuple((words, table) for words, table in tables if table.rows))


def without_flagged(figures: Sequence[Figure], of_question: Sequence[Figure]) -> Table:
    """Each headline that was computed again, beside itself."""
    rows = []
    for figure in figures:
        if "flagged" in figure.scope:
            scope = {key: value for key, value in figure.scope.items() if key != "flagged"}
            same = (f for f in of_question if (f.statistic, f.scope) == (figure.statistic, scope))
            whole = next((f for f in same if f.section != "rater"), None)
            words = (STATISTICS[figure.statistic].words, scope_text(scope))
            rows.append((*words, _cell(whole), _cell(figure)))
    return Table(("Headline", "Of", "All raters", "Without the flagged"), tuple(rows))


def each_rater(figures: Sequence[Figure]) -> Table:
    """One row a rater, one column a statistic."""
    keys = list(dict.fromkeys(figure.statistic for figure in figures))
    by_rater: dict[str, dict[str, Figure]] = {}
    for figure in figures:
        by_rater.setdefault(figure.scope["raters"][0], {}).setdefault(figure.statistic, figure)
    rows = tuple((name, *(_short(found.get(key)) for key in keys)) for name, found in by_rater.items())
    return Table(("Rater", *(STATISTICS[key].words for key in keys)), rows)


def _judges(figures: Sequence[Figure]) -> Fold:
    table = _scopes(figures, "Judge", "Model judges beside people")
    about = (
        "The ceiling is what a person reaches in the judge's place. Half of the persons to be replaced passes the test."
    )
    return Fold("Model judges", about, table)


def _scopes(figures: Sequence[Figure], first: str, caption: str) -> tuple[tuple[str, Table], ...]:
    """One row a scope, one column a statistic, each with its interval."""
    keys = list(dict.fromkeys(figure.statistic for figure in figures))
    by_scope: dict[str, dict[str, Figure]] = {}
    for figure in figures:
        by_scope.setdefault(_words(figure), {}).setdefault(figure.statistic, figure)
    rows = tuple((words, *(_cell(found.get(key)) for key in keys)) for words, found in by_scope.items())
    return ((caption, Table((first, *(STATISTICS[key].words for key in keys)), rows)),)


def _words(figure: Figure) -> str:
    named = {key: value for key, value in figure.scope.items() if key != "rater_kind"}
    return scope_text(named, between="against" if figure.statistic.startswith("share") else MINUS)


def _list(figures: Sequence[Figure]) -> Table:
    rows = tuple((STATISTICS[f.statistic].words, scope_text(f.scope), _cell(f), f.note) for f in figures)
    return Table(("Statistic", "Of", "Estimate", "Note"), rows)


def _cell(figure: Figure | None) -> str:
    if figure is None:
        return "–"
    if figure.estimate is None:
        return why_text(figure)
    p = f"p {p_text(figure.p_value)}" if figure.p_value is not None and not interval_text(figure) else ""
    return "\n".join(part for part in (estimate_text(figure), interval_text(figure), p) if part)


def _short(figure: Figure | None) -> str:
    return "–" if figure is None else estimate_text(figure)


def told_once(figures: Sequence[Figure]) -> Iterator[Figure]:
    """The figures without those of single raters, which have a table of their own."""
    yield from (f for f in figures if not (f.section == "rater" and "raters" in f.scope))
