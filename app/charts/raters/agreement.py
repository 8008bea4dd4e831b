"""Agreement on every question: Krippendorff's alpha, overall and within each source, pool and kind of rater."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.analysis.wording.formatting import estimate_text, interval_text, number, scope_text, why_text
from app.charts.drawing.rows_of_dots import Axis, Dot, dots_spec
from app.charts.drawing.table import Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.analysis.estimate import Estimate
    from app.charts.drawing.theme import Spec, Theme, Width

SHOWN_SCOPES: tuple[set[str], ...] = ({"source"}, {"pool"}, {"rater_kind"}, set())
MAX_SERIES = 6
EVERYBODY = "All raters"
SUBTITLE = "With 95% CIs. 1: perfect agreement, 0: no more than by chance"


def alphas(estimates: Sequence[Estimate]) -> list[Estimate]:
    """Return the first alpha per question and scope; a source or pool that includes all ratings is left out."""
    found: dict[tuple[str, str], Estimate] = {}
    n_all: dict[str, int | None] = {}
    for estimate in estimates:
        name = str(estimate.question)
        if not estimate.statistic.startswith("krippendorff_alpha") or set(estimate.scope) not in SHOWN_SCOPES:
            continue
        if not estimate.scope:
            n_all.setdefault(name, estimate.n_ratings)
        found.setdefault((name, str(estimate.scope)), estimate)
    return [f for f in found.values() if not (_is_part(f) and f.n_ratings == n_all.get(str(f.question)))]


def _is_part(estimate: Estimate) -> bool:
    return bool({"pool", "source"} & estimate.scope.keys())


def agreement_spec(
    estimates: Sequence[Estimate], *, title: str, theme: Theme = "light", width: Width = 560
) -> Spec | None:
    """Return a chart with one row per question and one series per scope."""
    shown = [estimate for estimate in alphas(estimates) if estimate.estimate is not None]
    series = list(dict.fromkeys(map(series_of, shown)))[:MAX_SERIES]
    names = list(dict.fromkeys(str(estimate.question) for estimate in shown))
    dots = [
        Dot(names.index(str(f.question)), series_of(f), f.estimate or 0.0, f.ci_low, f.ci_high, _text(f))
        for f in shown
        if series_of(f) in series
    ]
    axis = Axis("Krippendorff's alpha", rule=0.0)
    return dots_spec(names, dots, axis, title=title, subtitle=SUBTITLE, theme=theme, width=width)


def agreement_table(estimates: Sequence[Estimate]) -> Table:
    """Return a table of alphas with the scope, the confidence interval and the counts."""
    header = ("Question", "Ratings of", "Alpha", "95% CI", "Units", "Raters", "Ratings")
    rows = []
    for estimate in alphas(estimates):
        counts = ("–" if n is None else f"{n:,}" for n in (estimate.n_units, estimate.n_raters, estimate.n_ratings))
        interval = interval_text(estimate) if estimate.estimate is not None else why_text(estimate)
        rows.append((str(estimate.question), series_of(estimate), estimate_text(estimate), interval, *counts))
    return Table(header, tuple(rows))


def agreement_finding(estimates: Sequence[Estimate]) -> str:
    """Describe the lowest and the highest alpha over all sources."""
    pooled = [f for f in alphas(estimates) if not f.scope and f.estimate is not None]
    if not pooled:
        return "Agreement could not be estimated."
    low, high = (pick(pooled, key=lambda f: f.estimate or 0.0) for pick in (min, max))
    ends = [f"{number(f.estimate or 0.0, 'coefficient')} ({f.question})" for f in (low, high)]
    words = f"is {ends[0]}" if len(pooled) == 1 else f"ranges from {ends[0]} to {ends[1]}"
    return f"Krippendorff's alpha {words}."


def series_of(estimate: Estimate) -> str:
    """Return a short name for the scope of an alpha."""
    words = scope_text(estimate.scope) if estimate.scope else EVERYBODY
    return words if "source" in estimate.scope else words[:1].upper() + words[1:]


def _text(estimate: Estimate) -> str:
    return f"{estimate_text(estimate)} ({interval_text(estimate)})"
