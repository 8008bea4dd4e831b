"""Speed and straight-lining: how fast each rater answers, and how often they give their most frequent answer."""

from collections.abc import Sequence
from statistics import mean

from app.analysis.estimate import Estimate
from app.analysis.wording.formatting import number
from app.results.charts.table import Table
from app.results.charts.theme import COLOURS, SCHEMA, SERIES, Spec, Theme, Width, config, title_of

HEIGHT = 280
TOP_LEFT = "Fast raters with uniform answers are at the top left"


def rater_points(estimates: Sequence[Estimate]) -> list[tuple[str, float, float]]:
    """Return rater, median seconds per trial, and share of the most frequent answer averaged over questions."""
    seconds: dict[str, float] = {}
    shares: dict[str, list[float]] = {}
    for estimate in estimates:
        if set(estimate.scope) == {"raters"} and estimate.estimate is not None:
            name = str(estimate.scope["raters"][0])
            if estimate.statistic == "median_seconds":
                seconds[name] = estimate.estimate
            elif estimate.statistic == "modal_share":
                shares.setdefault(name, []).append(estimate.estimate)
    return [(name, seconds[name], mean(shares[name])) for name in seconds if name in shares]


def flagged_of(estimates: Sequence[Estimate]) -> str:
    """Return the names of the flagged raters with the reasons, as noted in the report."""
    return next((f.note for f in estimates if f.statistic == "flagged_share" and f.estimate), "")


def straight_lining_spec(
    estimates: Sequence[Estimate], *, title: str, theme: Theme = "light", width: Width = 560
) -> Spec | None:
    """Return a chart with one point per rater; flagged raters have another colour and shape."""
    points, flagged = rater_points(estimates), _flagged_names(estimates)
    if not points:
        return None
    rows = [
        {"rater": name, "seconds": time, "share": share, "kind": "Flagged" if name in flagged else "Not flagged"}
        for name, time, share in points
    ]
    x = {"field": "seconds", "type": "quantitative", "title": "Median seconds per trial", "scale": {"zero": True}}
    y = {
        "field": "share",
        "type": "quantitative",
        "title": "Most frequent answer, share",
        "axis": {"format": ".0%"},
        "scale": {"domain": [0, 1]},
    }
    kinds = ["Not flagged", "Flagged"]
    colours = [COLOURS[theme].source, SERIES[theme][1]]
    colour = {"field": "kind", "type": "nominal", "title": None, "scale": {"domain": kinds, "range": colours}}
    shape = {"field": "kind", "type": "nominal", "title": None, "scale": {"domain": kinds}}
    return {
        "$schema": SCHEMA,
        "title": title_of(title, _subtitle(estimates, len(points))),
        "width": width,
        "height": HEIGHT,
        "data": {"values": rows},
        "mark": {"type": "point", "filled": True, "size": 60, "opacity": 0.8},
        "encoding": {"x": x, "y": y, "color": colour, "shape": shape},
        "config": config(theme),
    }


def _subtitle(estimates: Sequence[Estimate], n_shown: int) -> str:
    n_all, _ = _counts(estimates, n_shown)
    who = "One point per rater" if n_all == n_shown else f"{n_shown} of {n_all:,} raters: flagged, and with most trials"
    return f"{who}. {TOP_LEFT}"


def _counts(estimates: Sequence[Estimate], n_shown: int) -> tuple[int, int]:
    """Return how many raters there are, and how many of them are flagged."""
    share = next((f for f in estimates if f.statistic == "flagged_share" and not f.scope), None)
    if share is None or share.estimate is None or not share.n_units:
        return n_shown, len(_flagged_names(estimates))
    return share.n_units, round(share.estimate * share.n_units)


def straight_lining_table(estimates: Sequence[Estimate]) -> Table:
    """Return one row per rater, fastest first."""
    points = sorted(rater_points(estimates), key=lambda point: point[1])
    rows = tuple((name, number(time, "points"), number(share, "share")) for name, time, share in points)
    return Table(("Rater", "Median seconds per trial", "Most frequent answer"), rows)


def straight_lining_finding(estimates: Sequence[Estimate]) -> str:
    """Describe the range of times and how many raters are flagged."""
    times = [time for _, time, _ in rater_points(estimates)]
    if not times:
        return "No times were recorded."
    ends = " to ".join(number(end(times), "points") for end in (min, max))
    n_all, n = _counts(estimates, len(times))
    return f"Median times range from {ends} seconds per trial; {n or 'none'} of {n_all:,} raters flagged."


def _flagged_names(estimates: Sequence[Estimate]) -> frozenset[str]:
    noted = flagged_of(estimates)
    return frozenset(name for name, _, _ in rater_points(estimates) if f", {name} (" in f", {noted}")
