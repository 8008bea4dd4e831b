"""Model judges and human raters: each judge's agreement with the human raters, and the human ceiling."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from app.analysis.estimate import Estimate
from app.analysis.findings.judge_summary import judge_name as named
from app.analysis.findings.judge_summary import judge_summaries
from app.analysis.wording.formatting import estimate_text, interval_text, why_text
from app.base.numbers import whole
from app.results.charts.rows import Axis, Dot, beside_axis, dots_spec, legend_of
from app.results.charts.table import Table
from app.results.charts.theme import COLOURS, SCHEMA, Spec, Theme, Width, config, series_colours, title_of

PAIRS = (("judge_correlation", "ceiling_correlation"), ("judge_share", "ceiling_share"))
CEILING = "Human ceiling"
SUBTITLE = "Each judge's agreement with the human raters, and the agreement that a human rater reaches; 95% CIs"


def judge_rows(estimates: Sequence[Estimate]) -> list[tuple[Estimate, Estimate | None]]:
    """Return each judge's agreement on each question over all human raters, with the human ceiling."""
    found = []
    for judge, ceiling in PAIRS:
        whole = [f for f in estimates if set(f.scope) == {"rater_kind", "raters"}]
        ceilings = {(f.measured, str(f.scope)): f for f in whole if f.statistic == ceiling}
        found += [(f, ceilings.get((f.measured, str(f.scope)))) for f in whole if f.statistic == judge]
    return found


def judges_spec(
    estimates: Sequence[Estimate], *, title: str, theme: Theme = "light", width: Width = 560
) -> Spec | None:
    """Return a chart with one row per question; the ceiling is one more series beside the judges."""
    rows = [(f, ceiling) for f, ceiling in judge_rows(estimates) if f.estimate is not None]
    names = list(dict.fromkeys(str(estimate.measured) for estimate, _ in rows))
    dots: dict[tuple[int, str], Dot] = {}
    for estimate, ceiling in rows:
        at = names.index(str(estimate.measured))
        for one, series in ((ceiling, CEILING), (estimate, judge_name(estimate))):
            if one is not None and one.estimate is not None:
                dots.setdefault(
                    (at, series), Dot(at, series, one.estimate, one.ci_low, one.ci_high, estimate_text(one))
                )
    is_share = any(estimate.statistic == "judge_share" for estimate, _ in rows)
    axis = Axis("Agreement with human raters" if is_share else "Correlation with human raters", rule=0.0)
    return dots_spec(names, list(dots.values()), axis, title=title, subtitle=SUBTITLE, theme=theme, width=width)


def judges_table(estimates: Sequence[Estimate]) -> Table:
    """One row per question and judge."""
    header = ("Question", "Judge", "Agreement with people", "95% CI", "Human ceiling", "95% CI of the ceiling")
    return Table(header, tuple(_row(estimate, ceiling) for estimate, ceiling in judge_rows(estimates)))


def _row(estimate: Estimate, ceiling: Estimate | None) -> tuple[str, ...]:
    words = interval_text(estimate) if estimate.estimate is not None else why_text(estimate)
    of_people = (estimate_text(ceiling), interval_text(ceiling)) if ceiling else ("–", "")
    return str(estimate.measured), judge_name(estimate), estimate_text(estimate), words, *of_people


def judges_finding(estimates: Sequence[Estimate]) -> str:
    """State for each judge whether it was shown to be able to replace a human rater, and its biases."""
    found = [one.sentence for one in judge_summaries(estimates)]
    return " ".join(found) or "No judge could be compared with people."


def judge_name(estimate: Estimate) -> str:
    """Return the judge's ID, as judges have no labels, or the name of a jury."""
    return named(estimate.scope["raters"])


# The reliability diagram of model judges: their probabilities against the share of human raters who agree.

CALIBRATION_SUBTITLE = (
    "Answers grouped by the judge's probability; on the dashed line, human raters agree as often as stated; 95% CIs"
)
_SIDE = 320


@dataclass(frozen=True, slots=True)
class Bin:
    """The answers of a judge within one bin of probability: their mean probability and how many people agree."""

    judge: str
    words: str
    stated: Estimate
    agreed: Estimate


def bins_of(estimates: Sequence[Estimate]) -> list[Bin]:
    """Return the bins of all judges."""
    stated = {(judge_name(f), f.scope["bin"]): f for f in estimates if f.statistic == "calibration_bin_probability"}
    return [
        Bin(judge_name(f), str(f.scope["bin"]), stated[judge_name(f), f.scope["bin"]], f)
        for f in estimates
        if f.statistic == "calibration_bin_share"
    ]


def calibration_spec(
    estimates: Sequence[Estimate], *, title: str, theme: Theme = "light", width: Width = 560
) -> Spec | None:
    """Return the diagram: one point per bin and judge, sized by its answers, and the line of perfect calibration."""
    rows = [_calibration_row(one) for one in bins_of(estimates)]
    if not rows:
        return None
    judges = list(dict.fromkeys(row["judge"] for row in rows))
    return {
        "$schema": SCHEMA,
        "title": title_of(title, CALIBRATION_SUBTITLE),
        "width": width,
        "height": _SIDE,
        "data": {"values": rows},
        "layer": [_diagonal(theme), *_points(judges, theme, width)],
        "config": config(theme),
    }


def _calibration_row(one: Bin) -> dict[str, Any]:
    share = one.agreed.estimate
    low, high = (share if end is None else end for end in (one.agreed.ci_low, one.agreed.ci_high))
    words = f"{one.judge}, {one.words}: {estimate_text(one.agreed)} agree ({interval_text(one.agreed)})"
    size = one.agreed.n_units
    return {
        "judge": one.judge,
        "x": one.stated.estimate,
        "y": share,
        "low": low,
        "high": high,
        "n": size,
        "text": words,
    }


def _diagonal(theme: Theme) -> Spec:
    line = {"type": "line", "color": COLOURS[theme].muted, "strokeDash": [4, 4]}
    ends = {"values": [{"p": 0, "q": 0}, {"p": 1, "q": 1}]}
    encoding = {"x": {"field": "p", "type": "quantitative"}, "y": {"field": "q", "type": "quantitative"}}
    return {"data": ends, "mark": line, "encoding": encoding}


def _points(judges: list[str], theme: Theme, width: Width) -> list[Spec]:
    axis = {"format": ".0%", "tickCount": 6, "gridOpacity": 0.7}
    domain = {"domain": [0, 1]}
    legend = legend_of(judges, beside_axis(width)) if len(judges) > 1 else None
    colours = {"domain": judges, "range": series_colours(len(judges), theme)}
    x = {
        "field": "x",
        "type": "quantitative",
        "title": "Judge's mean probability of its answers",
        "scale": domain,
        "axis": axis,
    }
    shared = {"x": x, "color": {"field": "judge", "type": "nominal", "scale": colours, "legend": legend}}
    shape = {"field": "judge", "type": "nominal", "scale": {"domain": judges}, "legend": legend}
    low = {
        "field": "low",
        "type": "quantitative",
        "title": "Human raters who agree",
        "scale": domain,
        "axis": axis,
    }
    size = {"field": "n", "type": "quantitative", "legend": None, "scale": {"range": [40, 240], "zero": True}}
    rule = {"mark": {"type": "rule", "strokeWidth": 2}, "encoding": {**shared, "y": low, "y2": {"field": "high"}}}
    line = {"mark": {"type": "line", "strokeWidth": 1.5}, "encoding": {**shared, "y": {**low, "field": "y"}}}
    point = {"type": "point", "filled": True, "opacity": 1}
    tooltip = {"field": "text", "type": "nominal"}
    at = {**shared, "y": {**low, "field": "y"}, "shape": shape, "size": size, "tooltip": tooltip}
    return [line, rule, {"mark": point, "encoding": at}]


def calibration_table(estimates: Sequence[Estimate]) -> Table:
    """Return one row per judge and bin."""
    header = ("Judge", "Probability", "Answers", "Mean probability", "Human raters who agree", "95% CI")
    return Table(header, tuple(_cells(one) for one in bins_of(estimates)))


def _cells(one: Bin) -> tuple[str, ...]:
    words = interval_text(one.agreed) or why_text(one.agreed)
    n = whole(one.agreed.n_units or 0)
    return one.judge, one.words, n, estimate_text(one.stated), estimate_text(one.agreed), words


def calibration_finding(estimates: Sequence[Estimate]) -> str:
    """State for each judge its mean probability, how many people agree, and the calibration error."""
    sentences = []
    for judge in dict.fromkeys(one.judge for one in bins_of(estimates)):
        of_judge = {f.statistic: f for f in estimates if "bin" not in f.scope and judge_name(f) == judge}
        known = ("stated_probability", "agreeing_share", "calibration_error")
        stated, agreed, error = (estimate_text(of_judge[name]) for name in known)
        sentences.append(
            f"{judge} gives its answers a probability of {stated} on average; {agreed} of human raters agree. "
            f"Expected calibration error: {error} ({interval_text(of_judge['calibration_error'])})."
        )
    return " ".join(sentences)
