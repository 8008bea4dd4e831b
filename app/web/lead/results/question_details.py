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

    from app.analysis.estimate import Estimate

# of each of the tables by condition and subgroup: the estimates that are compared, not those that they are made of
COMPARED = ("mean_difference", "interaction", "share_preferred", "share_difference")
BETWEEN_RATERS = ("pool_difference", "pool_correlation")
WHOSE = {"raters", "pool", "rater_kind", "flagged"}


def folds_of(estimates: Sequence[Estimate]) -> list[Fold]:
    """The parts that the estimates of one question fill."""
    by_section: dict[str, list[Estimate]] = {}
    for estimate in estimates:
        by_section.setdefault(estimate.section, []).append(estimate)
    found = (
        _ranks(by_section.get("ranking", [])),
        _against_key(by_section.get("category", [])),
        _contrasts(by_section.get("contrast", [])),
        _subgroups(by_section.get("subgroup", [])),
        texts(by_section.get("text", [])),
        _disagreement(by_section.get("disagreement", [])),
        _raters(by_section.get("rater", []), estimates),
        _judges(by_section.get("judge", [])),
    )
    return [fold for fold in found if any(table.rows for _, table in fold.tables)]


def _ranks(estimates: Sequence[Estimate]) -> Fold:
    means = [f for f in estimates if f.statistic == "mean_rank" and not WHOSE & f.scope.keys()]
    return Fold(
        "Mean ranks",
        "1 is first. Tied responses share the mean of their places.",
        _scopes(means, "Source", "Mean ranks"),
    )


def _against_key(estimates: Sequence[Estimate]) -> Fold:
    """F1, and the confusion table with a row for each correct code."""
    scores = [f for f in estimates if f.statistic in {"f1_macro", "f1", "items_needed"}]
    shares = {(f.scope["correct"], f.scope["category"]): f for f in estimates if f.statistic == "confusion_share"}
    given = list(dict.fromkeys(code for _, code in shares))
    rows = tuple(
        (right, *(_short(shares.get((right, code))) for code in given))
        for right in dict.fromkeys(right for right, _ in shares)
    )
    tables = (("Match with the key", _list(scores)), ("Confusion table", Table(("Correct", *given), rows)))
    about = "Each row of the confusion table has one correct code, and the share of answers with each code."
    return Fold("Answers against the key", about, tuple((words, table) for words, table in tables if table.rows))


def _contrasts(estimates: Sequence[Estimate]) -> Fold:
    """A table for each kind of contrast, in the report's order; what is not estimable for all rows is left out."""
    by_statistic: dict[str, list[Estimate]] = {}
    for estimate in estimates:
        if not WHOSE - {"pool"} & estimate.scope.keys() or estimate.statistic in BETWEEN_RATERS:
            by_statistic.setdefault(estimate.statistic, []).append(estimate)
    tables = tuple(
        (STATISTICS[name].words, Table(("Contrast", "Estimate", "Note"), tuple(_contrast(f) for f in found)))
        for name, found in by_statistic.items()
        if any(f.estimate is not None for f in found)
    )
    about = (
        "Source pairs, design factors, attributes, pools, turns, scores, changes and highlights, as far as the study "
        "has them."
    )
    return Fold("Contrasts", about, tables)


def _contrast(estimate: Estimate) -> tuple[str, str, str]:
    return _words(estimate), _cell(estimate), estimate.note if estimate.estimate is not None else ""


def _subgroups(estimates: Sequence[Estimate]) -> Fold:
    persons = [f for f in estimates if f.statistic in COMPARED and not WHOSE & f.scope.keys()]
    table = _scopes(persons, "Where", "One in twenty such tests has p < .05 by chance alone.")
    about = "These comparisons are exploratory: treat differences as hypotheses, not findings."
    return Fold("By condition and subgroup", about, table)


def _disagreement(estimates: Sequence[Estimate]) -> Fold:
    worst = [estimate for estimate in estimates if estimate.statistic == "unit_disagreement"]
    rows = tuple((scope_text(f.scope), estimate_text(f), f.note) for f in worst)
    split = next((estimate_text(f) for f in estimates if f.statistic == "split_share" and f.estimate is not None), None)
    words = "Items with the most disagreement"
    words += f"; {split} of units show split opinions" if split else ""
    pairs = [f for f in estimates if f.statistic == "pair_kappa_median"]
    tables = [(words, Table(("Unit", "Disagreement", "Note"), rows))]
    tables += [(f"Pairs of raters: {f.note or f.method}", pair_matrix(f)) for f in pairs if f.detail.get("cells")]
    about = "0 is full agreement, 1 is what chance would give. Disagreement is information, not error."
    return Fold("Where raters disagree", about, tuple(tables))


def pair_matrix(estimate: Estimate) -> Table:
    """Kappa of each two of the raters with most ratings."""
    raters, cells = estimate.detail.get("raters", []), estimate.detail.get("cells", {})
    more = estimate.detail["n_raters"] - len(raters)
    first = f"Kappa ({more} more raters not shown)" if more else "Kappa"
    rows = tuple((one, *(_kappa(cells, one, other) for other in raters)) for one in raters)
    return Table((first, *raters), rows)


def _kappa(cells: dict[tuple[str, str], tuple[float | None, int]], one: str, other: str) -> str:
    found = cells.get((one, other)) or cells.get((other, one))
    return "" if found is None or found[0] is None else number(found[0], "coefficient")


def _raters(estimates: Sequence[Estimate], of_question: Sequence[Estimate]) -> Fold:
    tables = [("Main results with and without flagged raters", without_flagged(estimates, of_question))]
    overall = [f for f in estimates if not {"raters", "flagged"} & f.scope.keys()]
    tables.append(("All raters combined", _list(overall)))
    tables.append(("Rater by rater", each_rater([f for f in estimates if "raters" in f.scope])))
    about = "Evidence to review, not a reason to exclude: set exclusion rules before data collection."
    return Fold("Raters", about, tuple((words, table) for words, table in tables if table.rows))


def without_flagged(estimates: Sequence[Estimate], of_question: Sequence[Estimate]) -> Table:
    """Each headline that was computed again, beside itself."""
    rows = []
    for estimate in estimates:
        if "flagged" in estimate.scope:
            scope = {key: value for key, value in estimate.scope.items() if key != "flagged"}
            same = (f for f in of_question if (f.statistic, f.scope) == (estimate.statistic, scope))
            whole = next((f for f in same if f.section != "rater"), None)
            words = (STATISTICS[estimate.statistic].words, scope_text(scope))
            rows.append((*words, _cell(whole), _cell(estimate)))
    return Table(("Result", "For", "All raters", "Without flagged raters"), tuple(rows))


def each_rater(estimates: Sequence[Estimate]) -> Table:
    """One row per rater, one column per statistic."""
    keys = list(dict.fromkeys(estimate.statistic for estimate in estimates))
    by_rater: dict[str, dict[str, Estimate]] = {}
    for estimate in estimates:
        by_rater.setdefault(estimate.scope["raters"][0], {}).setdefault(estimate.statistic, estimate)
    rows = tuple((name, *(_short(found.get(key)) for key in keys)) for name, found in by_rater.items())
    return Table(("Rater", *(STATISTICS[key].words for key in keys)), rows)


def _judges(estimates: Sequence[Estimate]) -> Fold:
    table = _scopes(estimates, "Judge", "Model judges beside people")
    about = (
        "The ceiling is the agreement that a human rater reaches in the judge's place. "
        "A judge passes the test if its winning rate is at least one half."
    )
    return Fold("Model judges", about, table)


def _scopes(estimates: Sequence[Estimate], first: str, caption: str) -> tuple[tuple[str, Table], ...]:
    """One row per scope, one column per statistic, each with its interval."""
    keys = list(dict.fromkeys(estimate.statistic for estimate in estimates))
    by_scope: dict[str, dict[str, Estimate]] = {}
    for estimate in estimates:
        by_scope.setdefault(_words(estimate), {}).setdefault(estimate.statistic, estimate)
    rows = tuple((words, *(_cell(found.get(key)) for key in keys)) for words, found in by_scope.items())
    return ((caption, Table((first, *(STATISTICS[key].words for key in keys)), rows)),)


def _words(estimate: Estimate) -> str:
    is_contrast = estimate.statistic in BETWEEN_RATERS
    named = {key: value for key, value in estimate.scope.items() if key != "rater_kind" or is_contrast}
    return scope_text(named, between="against" if estimate.statistic.startswith("share") else MINUS)


def _list(estimates: Sequence[Estimate]) -> Table:
    rows = tuple((STATISTICS[f.statistic].words, scope_text(f.scope), _cell(f), f.note) for f in estimates)
    return Table(("Statistic", "Of", "Estimate", "Note"), rows)


def _cell(estimate: Estimate | None) -> str:
    if estimate is None:
        return "–"
    if estimate.estimate is None:
        return why_text(estimate)
    p = f"p {_equals(p_text(estimate.p_value))}" if estimate.p_value is not None and not interval_text(estimate) else ""
    return "\n".join(part for part in (estimate_text(estimate), interval_text(estimate), p) if part)


def _equals(p: str) -> str:
    return p if p.startswith("<") else f"= {p}"


def _short(estimate: Estimate | None) -> str:
    return "–" if estimate is None else estimate_text(estimate)


def told_once(estimates: Sequence[Estimate]) -> Iterator[Estimate]:
    """The estimates without those of single raters, which have a table of their own."""
    yield from (f for f in estimates if not (f.section == "rater" and "raters" in f.scope))
