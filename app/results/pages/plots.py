"""Small inline plots, drawn by the template without scripts; positions are in percent of the width."""

from collections.abc import Sequence
from dataclasses import dataclass

from app.analysis.estimate import Estimate
from app.analysis.findings.main_contrasts import MainContrast
from app.analysis.report.report import Report
from app.analysis.wording.formatting import estimate_text, number
from app.base.numbers import with_minus
from app.base.words import isolated, left_to_right, number_text
from app.protocol.study import Protocol
from app.results.scale_widths import scale_width

WIDE = 100.0
# How the share preferred counts them; otherwise it would not seem to fit to the bar.
IN_SHARE = {"tie": ", counts as half", "neither": ", not counted"}
# Margin beside the ends of a scale, for a point and its label.
EDGE = 4.0


@dataclass(frozen=True, slots=True)
class Mark:
    """A point with its interval, in percent; `tone` is the CSS class of its colour."""

    at: float
    low: float
    high: float
    words: str
    tone: str


@dataclass(frozen=True, slots=True)
class Segment:
    """A part of a bar, in percent."""

    start: float
    width: float
    words: str
    tone: str


@dataclass(frozen=True, slots=True)
class Plot:
    """The plot of a card: marks on a scale with ticks, or the segments of a bar; `words` is its text alternative."""

    marks: tuple[Mark, ...]
    segments: tuple[Segment, ...]
    ticks: tuple[tuple[float, str], ...]
    words: str


def card_plot(contrast: MainContrast, report: Report, protocol: Protocol) -> Plot | None:
    """Means on the scale, or the shares of a choice; None if neither is available."""
    if contrast.is_share and any(contrast.estimate.detail.get("counts", ())):
        return _bar(contrast)
    question = protocol.question(contrast.key)
    values = tuple(getattr(question, "values", ()))
    if contrast.is_share or not values:
        return None
    means = {f.scope.get("source"): f for f in report.of("distribution", contrast.key) if _is_mean(f)}
    shown = [(means.get(name), tone) for name, tone in ((contrast.reference, "reference"), (contrast.source, "source"))]
    marks = tuple(_mark(f, values[0], values[-1], tone) for f, tone in shown if f is not None)
    said = "; ".join(f"{mark.words}" for mark in marks)
    return Plot(marks, (), _ticks(values), f"Means on the scale: {said}") if marks else None


def _is_mean(estimate: Estimate) -> bool:
    return estimate.statistic == "mean" and estimate.scope.keys() == {"source"} and estimate.estimate is not None


def _mark(estimate: Estimate, first: float, last: float, tone: str) -> Mark:
    value = estimate.estimate or 0.0
    ends = (value if end is None else end for end in (estimate.ci_low, estimate.ci_high))
    at, low, high = (_place(one, first, last) for one in (value, *ends))
    words = left_to_right(f"{isolated(estimate.scope['source'])} {estimate_text(estimate)}")
    return Mark(at, low, high, words, tone)


def _place(value: float, first: float, last: float) -> float:
    inside = min(max(value, first), last)
    return round(EDGE + (WIDE - 2 * EDGE) * (inside - first) / (last - first), 2)


def _ticks(values: Sequence[float]) -> tuple[tuple[float, str], ...]:
    shown = values if len(values) <= len("1234567") else (values[0], values[-1])
    return tuple((_place(value, values[0], values[-1]), with_minus(number_text(value))) for value in shown)


def _bar(contrast: MainContrast) -> Plot:
    counts, total, start = contrast.estimate.detail["counts"], 0.0, 0.0
    total = float(sum(counts)) or 1.0
    names = (contrast.source, "tie", "neither", contrast.reference)
    segments = []
    for name, count, tone in zip(names, counts, ("source", "tie", "neither", "reference"), strict=True):
        width = WIDE * count / total
        share = f"{isolated(name)} {number(count / total, 'share')}"
        words = left_to_right(f"{share}{IN_SHARE.get(tone, '')}")
        segments.append(Segment(round(start, 2), round(width, 2), words, tone))
        start += width
    shown = tuple(segment for segment in segments if segment.width > 0)
    return Plot((), shown, (), f"Choices: {'; '.join(segment.words for segment in shown)}")


def row_marks(contrasts: Sequence[MainContrast], protocol: Protocol) -> list[Mark | None]:
    """Each contrast relative to the line of no difference in the middle; those of one statistic share one axis.

    Differences in points are drawn as parts of their scale: scales from 1 to 5 and from 0 to 100 share the axis.
    """
    spans = [
        scale_width(one.key, protocol) if one.estimate.statistic == "mean_difference" else 1.0 for one in contrasts
    ]
    reach = {"share_preferred": 0.5}
    for one, span in zip(contrasts, spans, strict=True):
        if not one.is_share:
            reach[one.estimate.statistic] = max(reach.get(one.estimate.statistic, 0.0), _reach(one) / span)
    return [
        _row_mark(one, span * (reach[one.estimate.statistic] or 1.0))
        for one, span in zip(contrasts, spans, strict=True)
    ]


def _reach(contrast: MainContrast) -> float:
    one = contrast.estimate
    known = [abs(value) for value in (one.estimate, one.ci_low, one.ci_high) if value is not None]
    return max(known, default=0.0)


def _row_mark(contrast: MainContrast, reach: float) -> Mark | None:
    one = contrast.estimate
    if one.estimate is None:
        return None
    ends = (one.estimate if end is None else end for end in (one.ci_low, one.ci_high))
    at, low, high = (_place(value - contrast.null, -reach, reach) for value in (one.estimate, *ends))
    return Mark(at, low, high, contrast.effect, "estimate" if contrast.is_clear else "unclear")


def alpha_mark(estimate: Estimate | None, tone: str) -> Mark | None:
    """An alpha on an axis from 0 to 1; values below 0 are at the edge."""
    if estimate is None or estimate.estimate is None:
        return None
    ends = (estimate.estimate if end is None else end for end in (estimate.ci_low, estimate.ci_high))
    at, low, high = (_place(value, 0.0, 1.0) for value in (estimate.estimate, *ends))
    return Mark(at, low, high, estimate_text(estimate), tone)
