"""Agreement on every question: Krippendorff's alpha, overall and within each source, pool and kind of rater."""

from collections.abc import Sequence
from typing import Any

from app.analysis.estimate import Estimate
from app.analysis.statistic import declared
from app.analysis.wording.formatting import (
    estimate_and_interval,
    estimate_text,
    interval_text,
    number,
    scope_text,
    why_text,
)
from app.base.numbers import MINUS, whole
from app.results.charts.rows import Axis, Dot, dots_spec
from app.results.charts.table import Table
from app.results.charts.theme import COLOURS, SCHEMA, Spec, Theme, Width, config, diverging, ink_on, title_of

SHOWN_SCOPES: tuple[set[str], ...] = ({"source"}, {"pool"}, {"rater_kind"}, set())
MAX_SERIES = 6
EVERYBODY = "All raters"
SUBTITLE = "With 95% CIs. 1: perfect agreement, 0: no more than by chance"


def alphas(estimates: Sequence[Estimate]) -> list[Estimate]:
    """Return the first alpha per question and scope; a source or pool that includes all ratings is left out."""
    found: dict[tuple[str, str], Estimate] = {}
    n_all: dict[str, int | None] = {}
    for estimate in estimates:
        name = str(estimate.measured)
        if not declared(estimate.statistic).is_alpha or set(estimate.scope) not in SHOWN_SCOPES:
            continue
        if not estimate.scope:
            n_all.setdefault(name, estimate.n_ratings)
        found.setdefault((name, str(estimate.scope)), estimate)
    return [f for f in found.values() if not (_is_part(f) and f.n_ratings == n_all.get(str(f.measured)))]


def _is_part(estimate: Estimate) -> bool:
    return bool({"pool", "source"} & estimate.scope.keys())


def agreement_spec(
    estimates: Sequence[Estimate], *, title: str, theme: Theme = "light", width: Width = 560
) -> Spec | None:
    """Return a chart with one row per question and one series per scope."""
    shown = [estimate for estimate in alphas(estimates) if estimate.estimate is not None]
    series = list(dict.fromkeys(map(series_of, shown)))[:MAX_SERIES]
    names = list(dict.fromkeys(str(estimate.measured) for estimate in shown))
    dots = [
        Dot(
            names.index(str(f.measured)), series_of(f), f.estimate or 0.0, f.ci_low, f.ci_high, estimate_and_interval(f)
        )
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
        counts = (whole(n) for n in (estimate.n_units, estimate.n_raters, estimate.n_ratings))
        interval = interval_text(estimate) if estimate.estimate is not None else why_text(estimate)
        rows.append((str(estimate.measured), series_of(estimate), estimate_text(estimate), interval, *counts))
    return Table(header, tuple(rows))


def agreement_finding(estimates: Sequence[Estimate]) -> str:
    """Describe the lowest and the highest alpha over all sources."""
    pooled = [f for f in alphas(estimates) if not f.scope and f.estimate is not None]
    if not pooled:
        return "Agreement could not be estimated."
    low, high = (pick(pooled, key=lambda f: f.estimate or 0.0) for pick in (min, max))
    ends = [f"{number(f.estimate or 0.0, 'coefficient')} ({f.measured})" for f in (low, high)]
    words = f"is {ends[0]}" if len(pooled) == 1 else f"ranges from {ends[0]} to {ends[1]}"
    return f"Krippendorff's alpha {words}."


def series_of(estimate: Estimate) -> str:
    """Return a short name for the scope of an alpha."""
    words = scope_text(estimate.scope) if estimate.scope else EVERYBODY
    return words if "source" in estimate.scope else words[:1].upper() + words[1:]


# Heat map of the kappa of every pair of raters: a rater who agrees with no one appears as a pale row.

CELL, STEPS = 30, 9
PAIRS_SUBTITLE = "Kappa of each pair; 0 is agreement by chance, 1 is full agreement"
COLOURS_ONLY = "Blue: above chance; orange, or with a minus sign: below. The data contain the numbers"
# Pixels that a number or a letter of a rater's name needs; narrower cells have a colour and, for grey print, a sign.
NUMBER_WIDTH, LETTER_WIDTH, FULL_WIDTH = 36, 8, 560


def with_pairs(estimates: Sequence[Estimate]) -> Estimate | None:
    """Return the estimate that contains the pairs; None if there is none."""
    found = (f for f in estimates if f.statistic == "pair_kappa_median" and f.detail.get("cells"))
    return next(found, None)


def kappas_of(estimate: Estimate) -> dict[tuple[str, str], float]:
    """Return kappa by pair of raters, in both orders."""
    cells = estimate.detail["cells"].items()
    known = {pair: kappa for pair, (kappa, _) in cells if kappa is not None}
    return known | {pair[::-1]: kappa for pair, kappa in known.items()}


def rater_pairs_spec(
    estimates: Sequence[Estimate], *, title: str, theme: Theme = "light", width: Width = 560
) -> Spec | None:
    """Return a heat map with one cell per pair."""
    estimate = with_pairs(estimates)
    if estimate is None or not kappas_of(estimate):
        return None
    names, colours = list(estimate.detail["raters"]), diverging(STEPS, theme)
    y = {"field": "row", "type": "nominal", "title": None, "sort": names}
    cell_width = (width if isinstance(width, int) else FULL_WIDTH) / len(names)
    angle = 0 if max(map(len, names)) * LETTER_WIDTH < cell_width else 270
    axis = {"labelLimit": 200, "labelAngle": angle}
    x = {"field": "column", "type": "nominal", "title": None, "sort": names, "axis": axis}
    at = {"x": x, "y": y}
    fill, ink = ({"field": name, "type": "nominal", "scale": None} for name in ("fill", "ink"))
    said = {"field": "words" if cell_width >= NUMBER_WIDTH else "sign"}
    text = {"mark": {"type": "text"}, "encoding": {**at, "text": said, "color": ink}}
    return {
        "$schema": SCHEMA,
        "title": title_of(title, f"{PAIRS_SUBTITLE}. {COLOURS_ONLY}" if cell_width < NUMBER_WIDTH else PAIRS_SUBTITLE),
        "width": width,
        "height": CELL * len(names),
        "data": {"values": [_cell(pair, kappa, colours) for pair, kappa in kappas_of(estimate).items()]},
        "layer": [
            {"mark": {"type": "rect", "stroke": COLOURS[theme].grid}, "encoding": {**at, "color": fill}},
            text,
        ],
        "config": config(theme),
    }


def _cell(pair: tuple[str, str], kappa: float, colours: list[str]) -> dict[str, Any]:
    fill = colours[max(0, min(int((kappa + 1) / 2 * STEPS), STEPS - 1))]
    words = number(kappa, "coefficient")
    named = {"row": pair[0], "column": pair[1], "kappa": kappa, "words": words, "sign": MINUS if kappa < 0 else ""}
    return {**named, "fill": fill, "ink": ink_on(fill)}


def rater_pairs_table(estimates: Sequence[Estimate]) -> Table:
    """Return one row per pair, least agreement first."""
    estimate = with_pairs(estimates)
    cells = estimate.detail["cells"].items() if estimate else ()
    known = sorted(((kappa, pair, n) for pair, (kappa, n) in cells if kappa is not None), key=lambda row: row[:2])
    rows = tuple((f"{one} and {other}", number(kappa, "coefficient"), whole(n)) for kappa, (one, other), n in known)
    return Table(("Pair of raters", "Kappa", "In common"), rows)


def rater_pairs_finding(estimates: Sequence[Estimate]) -> str:
    """Describe the median kappa and the pair with the least agreement."""
    estimate = with_pairs(estimates)
    rows = rater_pairs_table(estimates).rows
    if estimate is None or not rows:
        return "No two raters share enough items."
    pair, kappa, _ = rows[0]
    return f"The median kappa over pairs is {estimate_text(estimate)}. Least agreement: {pair}, {kappa}."
