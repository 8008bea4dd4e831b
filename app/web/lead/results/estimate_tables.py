"""Figures as the tables of the analytics page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.analysis.report.statistics_registry import STATISTICS
from app.analysis.report.wording import estimate_text, interval_text, p_text, scope_text, why_text
from app.charts.table import Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.analysis.report.estimate import Figure

UNITS = {
    "rating": "rating", "item_mean": "item mean", "response": "response", "choice": "choice",
    "rater_mean": "rater mean", "item": "item",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Agreement:
    """The agreement of a question: a table, and a sentence on each statistic that could not be computed anywhere."""

    table: Table
    not_computed: tuple[str, ...]


def agreement_of(figures: Sequence[Figure]) -> Agreement:
    """One row a scope, one column a statistic, each with its interval.

    Pairs of raters stand with all the figures, and so does a pool that everybody is in.
    """
    of_pairs = [figure for figure in figures if "raters" in figure.scope or figure.statistic.startswith("cohen")]
    everybody = next((figure.n_raters for figure in figures if not figure.scope), None)
    shown = [f for f in figures if f not in of_pairs and not ("pool" in f.scope and f.n_raters == everybody)]
    computed = {figure.statistic for figure in shown if figure.estimate is not None}
    keys = [key for key in dict.fromkeys(figure.statistic for figure in shown) if key in computed]
    reasons = {figure.statistic: why_text(figure) for figure in reversed(shown) if figure.statistic not in computed}
    sentences = (f"{STATISTICS[key].words} is not computed: {why}." for key, why in reversed(reasons.items()))
    return Agreement(_agreement_table(shown, keys), tuple(sentences))


def _agreement_table(shown: Sequence[Figure], keys: Sequence[str]) -> Table:
    by_scope: dict[str, dict[str, Figure]] = {}
    for figure in shown:
        by_scope.setdefault(scope_text(figure.scope), {}).setdefault(figure.statistic, figure)
    rows = []
    for words, found in by_scope.items():
        some = next(iter(found.values()))
        numbers = (str(n) if n is not None else "–" for n in (some.n_units, some.n_raters, some.n_ratings))
        rows.append((words, *(cell_of(found.get(key)) for key in keys), *numbers))
    unit = UNITS[shown[0].unit] if shown and shown[0].unit else "unit"
    header = ("Of", *(STATISTICS[key].words for key in keys), f"{unit.capitalize()}s", "Raters", "Ratings")
    return Table(header, tuple(rows))


def cell_of(figure: Figure | None) -> str:
    """Estimate and interval, one below the other; a dash where there is no figure, the reason where no estimate."""
    if figure is None:
        return "–"
    if figure.estimate is None:
        return why_text(figure)
    return f"{estimate_text(figure)}\n{interval_text(figure)}".strip()


@dataclass(frozen=True, slots=True)
class Row:
    """One figure in words, with its recipe."""

    statistic: str
    scope: str
    estimate: str
    interval: str
    p: str
    unit: str
    n_items: int | None
    n_units: int | None
    n_raters: int | None
    n_ratings: int | None
    method: str
    recipe: str
    made_by: str


def all_rows(figures: Sequence[Figure]) -> list[Row]:
    """Every figure, none left out."""
    return [
        Row(
            STATISTICS[figure.statistic].words, scope_text(figure.scope), _estimate(figure), interval_text(figure),
            p_text(figure.p_value), UNITS[figure.unit] if figure.unit else "", figure.n_items, figure.n_units,
            figure.n_raters, figure.n_ratings, ". ".join(part for part in (figure.method, figure.note) if part),
            _recipe(figure), _made_by(figure),
        )
        for figure in figures
    ]  # fmt: skip


def _recipe(figure: Figure) -> str:
    """What is this figure's own: filter, seed, formula, hash of its answers."""
    parts = figure.recipe
    seed = "" if parts["seed"] is None else f" Seed {parts['seed']}."
    return f"{parts['filter']}.{seed} {parts['formula']}. Answers {parts['answers']}."


def _made_by(figure: Figure) -> str:
    """What all figures of a report have in common."""
    return f"Made by {figure.recipe['software']} from data with the hash {figure.recipe['data']}."


def _estimate(figure: Figure) -> str:
    return estimate_text(figure) if figure.estimate is not None else "not estimable"
