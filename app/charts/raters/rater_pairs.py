"""Heat map of the kappa of every pair of raters: a rater who agrees with no one appears as a pale row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from app.analysis.wording.formatting import estimate_text, number
from app.charts.drawing.table import Table
from app.charts.drawing.theme import COLOURS, SCHEMA, config, diverging, ink_on, title_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.analysis.estimate import Estimate
    from app.charts.drawing.theme import Spec, Theme, Width

CELL, STEPS = 30, 9
SUBTITLE = "Kappa of each pair; 0 is agreement by chance, 1 is full agreement"
COLOURS_ONLY = "Blue: above chance, orange: below. The data contain the numbers"
# Pixels that a number or a letter of a rater's name needs; in narrower cells, colours alone are shown.
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
    axis = {"labelLimit": 120, "labelAngle": angle}
    x = {"field": "column", "type": "nominal", "title": None, "sort": names, "axis": axis}
    at = {"x": x, "y": y}
    fill, ink = ({"field": name, "type": "nominal", "scale": None} for name in ("fill", "ink"))
    text = {"mark": {"type": "text"}, "encoding": {**at, "text": {"field": "words"}, "color": ink}}
    return {
        "$schema": SCHEMA,
        "title": title_of(title, f"{SUBTITLE}. {COLOURS_ONLY}" if cell_width < NUMBER_WIDTH else SUBTITLE),
        "width": width,
        "height": CELL * len(names),
        "data": {"values": [_cell(pair, kappa, colours) for pair, kappa in kappas_of(estimate).items()]},
        "layer": [
            {"mark": {"type": "rect", "stroke": COLOURS[theme].grid}, "encoding": {**at, "color": fill}},
            *([text] if cell_width >= NUMBER_WIDTH else []),
        ],
        "config": config(theme),
    }


def _cell(pair: tuple[str, str], kappa: float, colours: list[str]) -> dict[str, Any]:
    fill = colours[max(0, min(int((kappa + 1) / 2 * STEPS), STEPS - 1))]
    words = number(kappa, "coefficient")
    return {"row": pair[0], "column": pair[1], "kappa": kappa, "words": words, "fill": fill, "ink": ink_on(fill)}


def rater_pairs_table(estimates: Sequence[Estimate]) -> Table:
    """Return one row per pair, least agreement first."""
    estimate = with_pairs(estimates)
    cells = estimate.detail["cells"].items() if estimate else ()
    known = sorted(((kappa, pair, n) for pair, (kappa, n) in cells if kappa is not None), key=lambda row: row[:2])
    rows = tuple((f"{one} and {other}", number(kappa, "coefficient"), f"{n:,}") for kappa, (one, other), n in known)
    return Table(("Pair of raters", "Kappa", "In common"), rows)


def rater_pairs_finding(estimates: Sequence[Estimate]) -> str:
    """Describe the median kappa and the pair with the least agreement."""
    estimate = with_pairs(estimates)
    rows = rater_pairs_table(estimates).rows
    if estimate is None or not rows:
        return "No two raters share enough items."
    pair, kappa, _ = rows[0]
    return f"The median kappa over pairs is {estimate_text(estimate)}. Least agreement: {pair}, {kappa}."
