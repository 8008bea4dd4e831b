"""Estimates as the tables of the analytics page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.analysis.report.statistics_registry import STATISTICS
from app.analysis.report.wording import estimate_text, interval_text, p_text, scope_text, why_text
from app.charts.table import Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.analysis.estimate import Estimate

UNITS = {
    "rating": "rating",
    "item_mean": "item mean",
    "response": "response",
    "choice": "choice",
    "rater_mean": "rater mean",
    "item": "item",
}


@dataclass(frozen=True, slots=True)
class Agreement:
    """The agreement of a question: a table, and a sentence on each statistic that could not be computed anywhere."""

    table: Table
    not_computed: tuple[str, ...]


def agreement_of(estimates: Sequence[Estimate]) -> Agreement:
    """One row per scope, one column per statistic, each with its interval.

    Pairs of raters stand with all the estimates, and so does a pool that everybody is in.
    """
    of_pairs = [
        estimate for estimate in estimates if "raters" in estimate.scope or estimate.statistic.startswith("cohen")
    ]
    everybody = next((estimate.n_raters for estimate in estimates if not estimate.scope), None)
    shown = [f for f in estimates if f not in of_pairs and not ("pool" in f.scope and f.n_raters == everybody)]
    computed = {estimate.statistic for estimate in shown if estimate.estimate is not None}
    keys = [key for key in dict.fromkeys(estimate.statistic for estimate in shown) if key in computed]
    reasons = {
        estimate.statistic: why_text(estimate) for estimate in reversed(shown) if estimate.statistic not in computed
    }
    sentences = (f"{STATISTICS[key].words} was not computed: {why}." for key, why in reversed(reasons.items()))
    return Agreement(_agreement_table(shown, keys), tuple(sentences))


def _agreement_table(shown: Sequence[Estimate], keys: Sequence[str]) -> Table:
    by_scope: dict[str, dict[str, Estimate]] = {}
    for estimate in shown:
        by_scope.setdefault(scope_text(estimate.scope), {}).setdefault(estimate.statistic, estimate)
    rows = []
    for words, found in by_scope.items():
        some = next(iter(found.values()))
        numbers = (str(n) if n is not None else "–" for n in (some.n_units, some.n_raters, some.n_ratings))
        rows.append((words, *(cell_of(found.get(key)) for key in keys), *numbers))
    unit = UNITS[shown[0].unit] if shown and shown[0].unit else "unit"
    header = ("Of", *(STATISTICS[key].words for key in keys), f"{unit.capitalize()}s", "Raters", "Ratings")
    return Table(header, tuple(rows))


def cell_of(estimate: Estimate | None) -> str:
    """Estimate and interval, one below the other; a dash where there is no estimate, the reason where no estimate."""
    if estimate is None:
        return "–"
    if estimate.estimate is None:
        return why_text(estimate)
    return f"{estimate_text(estimate)}\n{interval_text(estimate)}".strip()


@dataclass(frozen=True, slots=True)
class Row:
    """One estimate in words, with its recipe."""

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


def all_rows(estimates: Sequence[Estimate]) -> list[Row]:
    """Every estimate, none left out."""
    return [
        Row(
            STATISTICS[estimate.statistic].words,
            scope_text(estimate.scope),
            _estimate(estimate),
            interval_text(estimate),
            p_text(estimate.p_value),
            UNITS[estimate.unit] if estimate.unit else "",
            estimate.n_items,
            estimate.n_units,
            estimate.n_raters,
            estimate.n_ratings,
            ". ".join(part for part in (estimate.method, estimate.note) if part),
            _recipe(estimate),
            _made_by(estimate),
        )
        for estimate in estimates
    ]


def _recipe(estimate: Estimate) -> str:
    """What is this estimate's own: filter, seed, formula, hash of its answers."""
    parts = estimate.recipe
    seed = "" if parts["seed"] is None else f" Seed {parts['seed']}."
    return f"{parts['filter']}.{seed} {parts['formula']}. Answers {parts['answers']}."


def _made_by(estimate: Estimate) -> str:
    """What all estimates of a report have in common."""
    return f"Made by {estimate.recipe['software']} from data with the hash {estimate.recipe['data']}."


def _estimate(estimate: Estimate) -> str:
    return estimate_text(estimate) if estimate.estimate is not None else "not estimable"
